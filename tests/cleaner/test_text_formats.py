"""CSV, JSON, HTML, Markdown, calendars and cards: the form stays, keys stay, values go from all parts."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privasis.cleaner.formats.documents import CleanedDocument, clean_documents, joined_text
from privasis.cleaner.formats.opening import open_document
from privasis.cleaner.instruction import read_instruction
from privasis.cleaner.results import Wish
from privasis.errors import ConfigError, InputError
from privasis.text.edits import apply_edits

CODES = "Replace each person by a code [P1], [P2]. Remove all phone numbers and e-mail addresses."


def cleaned(text: str, name: str, instruction: str = CODES) -> CleanedDocument:
    document = open_document(text.encode(), name)
    (done,) = clean_documents([document], read_instruction(instruction, joined_text([document])))
    return done


def written(text: str, name: str, instruction: str = CODES) -> str:
    done = cleaned(text, name, instruction)
    assert done.data is not None, done.risks
    return done.data.decode()


def test_csv_keeps_quoting_headings_and_line_ends() -> None:
    table = (
        "id,full_name,phone,note\r\n"
        '1,"Brandt, Zofia",212-555-0147,"said ""Zofia"", twice"\r\n'
        '2,"Ravi Moreno",,Zofia Brandt called\r\n\r\n"3",x\r\n'
    )
    assert written(table, "a.csv") == (
        "id,full_name,phone,note\r\n"
        '1,"[P1]",,"said ""[P1]"", twice"\r\n'
        '2,"[P2]",,[P1] called\r\n\r\n"3",x\r\n'
    )


def test_csv_quotes_what_needs_quotes_now() -> None:
    done = open_document(b"name;town\nZofia;York\n", "a.csv")
    wish = Wish("Zofia", "code", ("Zofia",), code='a "code"; here')
    (document,) = clean_documents([done], [wish])
    assert document.data == b'name;town\n"a ""code""; here";York\n'


def test_csv_with_a_value_in_a_heading_or_an_open_quote_is_refused() -> None:
    done = cleaned("name,phone of Zofia Brandt\nZofia Brandt,212-555-0147\n", "a.csv")
    assert done.data is None
    assert {risk.where for risk in done.risks} >= {"heading 2"}
    with pytest.raises(InputError, match="a quote is not closed"):
        open_document(b'a,b\n1,"x\n', "a.csv")


def test_a_table_without_headings_has_its_first_row_cleaned() -> None:
    assert written("Zofia Brandt\t212-555-0147\nRavi Moreno\t\n", "a.tsv") == "[P1]\t\n[P2]\t\n"


CELL = st.text(
    st.one_of(st.characters(exclude_categories=["Cc", "Cs"]), st.sampled_from('\n",; \t')), max_size=8
)
CELLS = st.lists(st.lists(CELL, min_size=2, max_size=3), min_size=1, max_size=4)


@settings(max_examples=100, deadline=None)
@given(CELLS, st.sampled_from([",", ";", "\t"]), st.booleans())
def test_any_table_is_read_as_the_csv_module_reads_it(
    rows: list[list[str]], delimiter: str, quoted: bool
) -> None:
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL).writerows(
        [["a", "b", "c"], *rows]
    )
    document = open_document(file.getvalue().encode(), "a.csv")
    read = [*csv.reader(io.StringIO(file.getvalue(), newline=""), delimiter=delimiter)]
    expected = [cell for row in read for cell in row if cell]
    assert [leaf.text for leaf in document.form.leaves] == expected


def test_json_keys_and_all_blanks_stay() -> None:
    text = (
        '{"name" : "people",\n  "list": [{"name": "Zofia Br\\u00e4ndt", "phone": 2125550147, "n": 12},\n'
        '   {"fullName":"Ravi Moreno", "ok": true, "note":"Zofia says \\"hi\\"\\n"}]}\n'
    )
    assert written(text, "a.json") == (
        '{"name" : "people",\n  "list": [{"name": "[P1]", "phone": null, "n": 12},\n'
        '   {"fullName":"[P2]", "ok": true, "note":"[P1] says \\"hi\\"\\n"}]}\n'
    )


def test_json_with_a_value_in_a_key_is_not_given_out() -> None:
    done = cleaned('{"Zofia Brandt": {"name": "Zofia Brandt"}, "b": 1}', "a.json")
    assert done.data is None
    assert {risk.where for risk in done.risks} == {"a key"}
    assert all("Zofia" not in risk.where for risk in done.risks)


def test_json_lines_and_broken_json() -> None:
    lines = '{"name": "Zofia Brandt"}\n{"t": "Zofia was here"}\n'
    assert written(lines, "a.jsonl") == '{"name": "[P1]"}\n{"t": "[P1] was here"}\n'
    with pytest.raises(InputError, match=r"a.json is no JSON \(line 1, column 7\)"):
        open_document(b'{"a": x}', "a.json")
    with pytest.raises(InputError, match="nested too deep"):
        open_document(b"[" * 200_000 + b"]" * 200_000, "a.json")


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(VALUES, st.booleans())
def test_any_json_is_the_same_but_for_the_leaf_that_changes(value: object, ascii_only: bool) -> None:
    text = json.dumps({"who": "Zofia", "rest": value}, ensure_ascii=ascii_only, indent=1)
    document = open_document(text.encode("utf-8", "surrogatepass"), "a.json")
    news = [("Ä\n\"x'" if leaf.text == "Zofia" else leaf.text) for leaf in document.form.leaves]
    again = json.loads(document.form.write(news))
    assert again["who"] == "Ä\n\"x'"
    if "Zofia" not in repr(value):
        assert again["rest"] == value


def test_html_and_markdown_keep_their_markup() -> None:
    page = "<p title='Zofia Brandt'>Dear Z&#111;fia <b>Bra</b>ndt, <a href='mailto:zofia%40ex.org'>x</a></p>"
    kept = written(page, "a.html", "Remove Zofia Brandt.")
    assert kept.count("<") == page.count("<")
    assert not any(part in kept.casefold() for part in ("zof", "z&#111;fia", "bra", "ndt"))
    note = "# Zofia\n\n- **Zofia Brandt**: [mail](mailto:zofia.brandt@ex.org)\n"
    assert written(note, "a.md", CODES) == "# [P1]\n\n- **[P1]**: [mail](mailto:)\n"


def test_a_picture_inside_a_text_is_refused() -> None:
    with pytest.raises(InputError, match="line 2 has a file embedded"):
        open_document(b"<p>\n<img src='data:image/png;base64,iVBORw0KGgo='>", "a.html")


CARD = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Brandt;Zofia;;Dr.;\r\n"
    "FN:Zofia Brandt\r\nTEL;TYPE=CELL:+1 212 555 0147\r\n"
    "EMAIL:zofia.brandt@example.org\r\n"
    "X-UNTOUCHED:a line that is folded here and there because it is so very l\r\n"
    " ong\\, as one sees\r\nNOTE:met Ravi Moreno\\, a friend of Zofia Bra\r\n ndt\\; likes tea\r\n"
    "END:VCARD\r\n"
)


def test_a_card_is_unfolded_unescaped_and_written_back() -> None:
    assert written(CARD, "a.vcf") == (
        "BEGIN:VCARD\r\nVERSION:3.0\r\nN:[P1];[P1];;Dr.;\r\nFN:[P1]\r\nTEL;TYPE=CELL:\r\nEMAIL:\r\n"
        "X-UNTOUCHED:a line that is folded here and there because it is so very l\r\n ong\\, as one sees\r\n"
        "NOTE:met [P2]\\, a friend of [P1]\\; likes tea\r\nEND:VCARD\r\n"
    )


def test_a_calendar_has_its_parameters_cleaned_and_its_times_kept() -> None:
    text = (
        "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nDTSTART;TZID=Europe/Oslo:20240302T090000\n"
        'ATTENDEE;CN="Brandt, Zofia";ROLE=CHAIR:mailto:zofia.brandt@example.org\n'
        "SUMMARY:Zofia Brandt and somebody with a long explanation of what this is all about\\nat noon\n"
        "END:VEVENT\nEND:VCALENDAR\n"
    )
    new = written(text, "a.ics", "Replace Zofia Brandt by [ÄÄÄ]. Remove e-mail addresses.")
    assert "DTSTART;TZID=Europe/Oslo:20240302T090000\n" in new
    assert 'ATTENDEE;CN="[ÄÄÄ]";ROLE=CHAIR:mailto:\n' in new
    assert "all about\\nat noon\n" in new.replace("\n ", "")
    assert all(len(line.encode()) <= 75 for line in new.splitlines() if line.startswith(("SUMMARY", " ")))


def test_a_calendar_whose_times_are_to_go_is_not_given_out() -> None:
    text = "BEGIN:VEVENT\nDTSTART:2024-03-02\nSUMMARY:On 2024-03-02\nEND:VEVENT\n"
    done = cleaned(text, "a.ics", "Remove 2024-03-02.")
    assert done.data is None
    assert {risk.where for risk in done.risks} == {"line 2"}


def test_quoted_printable_cards_and_pictures() -> None:
    text = (
        "BEGIN:VCARD\nVERSION:2.1\n"
        "NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Z=6Ffia Br=C3=A4ndt has a long=\n"
        " tail=0Aof words\nEND:VCARD\n"
    )
    new = written(text, "a.vcf", "Remove Zofia Brändt.")
    assert "QUOTED-PRINTABLE:has a long tail=0Aof words\n" in new
    with pytest.raises(InputError, match="line 2 holds a file"):
        open_document(b"BEGIN:VCARD\nPHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ\nEND:VCARD\n", "a.vcf")
    with pytest.raises(InputError, match="line 2 is no line of a calendar"):
        open_document(b"BEGIN:VCARD\nhello\nEND:VCARD\n", "a.vcf")


def test_edits_of_every_part_give_its_new_text() -> None:
    for leaf in cleaned(CARD, "a.vcf").leaves:
        assert apply_edits(leaf.before, leaf.edits) == leaf.after
        assert all(0 <= f.span.start < f.span.end <= len(leaf.before) for f in leaf.findings)


def test_a_format_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="there is no format pdf"):
        open_document(b"x", "x", "pdf")


@pytest.mark.parametrize(
    ("name", "data"), [("a.mbox", b"From x\n"), ("a.ipynb", b"{}"), ("a.txt", b"{\\rtf1 Zof\\'eda}")]
)
def test_texts_with_encodings_of_their_own_are_refused(name: str, data: bytes) -> None:
    with pytest.raises(InputError, match=r"no reader for this format|is no text"):
        open_document(data, name)
