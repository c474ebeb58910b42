from pathlib import Path

import pytest

from privasis.errors import DiskError, RunFolderError
from privasis.store.run import fingerprint_of, open_run, read_config

CONFIG = {"seed": 7, "options": {"tau": 0.5}}


def test_the_same_configuration_resumes(tmp_path: Path) -> None:
    with open_run(tmp_path / "run", "records", CONFIG) as first:
        name = first.name
    with open_run(tmp_path / "run", "records", CONFIG) as again:
        assert again.name == name


def test_another_configuration_is_refused_with_what_differs(tmp_path: Path) -> None:
    with open_run(tmp_path, "records", CONFIG):
        pass
    with pytest.raises(RunFolderError, match=r"different: options\.tau, seed"):
        with open_run(tmp_path, "records", {"seed": 8, "options": {"tau": 0.6}}):
            pass


def test_a_folder_of_another_kind_is_refused(tmp_path: Path) -> None:
    with open_run(tmp_path, "records", CONFIG):
        pass
    with pytest.raises(RunFolderError, match="holds records, not triplets"):
        with open_run(tmp_path, "triplets", CONFIG):
            pass


def test_a_strange_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(RunFolderError, match="not empty"):
        with open_run(tmp_path, "records", CONFIG):
            pass
    assert (tmp_path / "thesis.tex").read_text() == "mine"


def test_a_file_in_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(RunFolderError, match="--out names a folder"):
        with open_run(tmp_path / "run", "records", CONFIG):
            pass


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    with open_run(tmp_path, "records", CONFIG):
        with pytest.raises(RunFolderError, match="in use"):
            with open_run(tmp_path, "records", CONFIG):
                pass


def test_a_broken_config_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"kind": "rec')
    with pytest.raises(RunFolderError, match=r"config\.json is broken"):
        read_config(tmp_path)


def test_an_unwritable_place_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DiskError, match="Choose another folder"):
        with open_run(Path("/sys/run"), "records", CONFIG):
            pass


def test_fingerprints_differ_by_kind_and_by_value() -> None:
    assert fingerprint_of("a", CONFIG) != fingerprint_of("b", CONFIG)
    assert fingerprint_of("a", CONFIG) != fingerprint_of("a", {**CONFIG, "seed": 8})
