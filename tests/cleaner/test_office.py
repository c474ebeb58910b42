"""DOCX and XLSX: every part is cleaned, split runs too; what cannot be read is refused."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, date, datetime

import docx
import openpyxl
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from openpyxl.comments import Comment

from privasis.cleaner.formats.documents import CleanedDocument, clean_documents, joined_text
from privasis.cleaner.formats.opening import open_document
from privasis.cleaner.instruction import read_instruction
from privasis.errors import InputError

CODES = "Replace Zofia Brandt by [P1]. Replace Ravi Moreno by [P2]. Remove all phone numbers."
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def cleaned(data: bytes, name: str, instruction: str = CODES) -> CleanedDocument:
    document = open_document(data, name)
    (done,) = clean_documents([document], read_instruction(instruction, joined_text([document])))
    return done


def letter() -> bytes:
    made = docx.Document()
    paragraph = made.add_paragraph("Dear ")
    for run, bold in (("Zo", True), ("fia Br", False), ("andt", True)):
        paragraph.add_run(run).bold = bold
    paragraph.add_run(", call 212-555-0147 on Monday.")
    made.add_table(1, 2).cell(0, 1).text = "Ravi Moreno"
    made.sections[0].header.paragraphs[0].text = "For Zofia Brandt"
    made.sections[0].footer.paragraphs[0].text = "Written by Ravi Moreno"
    made.add_comment(paragraph.runs[0], text="Is Zofia right?", author="Ravi Moreno", initials="RM")
    made.core_properties.author = "Ravi Moreno"
    made.core_properties.title = "Zofia Brandt's letter"
    made.core_properties.created = datetime(2024, 3, 2, tzinfo=UTC)
    made.part.relate_to("mailto:zofia.brandt@example.org", RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    changed = (
        f'<w:p xmlns:w="{WORD}"><w:r><w:t xml:space="preserve">by </w:t></w:r>'
        '<w:del w:id="7" w:author="Ravi Moreno"><w:r><w:delText>Zofia Brandt</w:delText></w:r></w:del>'
        '<w:ins w:id="8" w:author="Ravi Moreno"><w:r><w:t>us</w:t></w:r></w:ins></w:p>'
    )
    made.element.body.insert(0, parse_xml(changed))
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def workbook() -> bytes:
    made = openpyxl.Workbook()
    sheet = made.active
    sheet.title = "Zofia Brandt"
    sheet.append(["name", "phone", "visits"])
    sheet.append(["Zofia Brandt", "212-555-0147", 12])
    sheet.append(["Ravi Moreno", 2125550199, 7])
    sheet["C4"] = "=SUM(C2:C3)"
    sheet["A2"].comment = Comment("asked by Ravi Moreno", "Zofia Brandt")
    sheet["A3"].hyperlink = "https://example.org/zofia-brandt"
    sheet.oddHeader.left.text = "Zofia Brandt"
    made.properties.creator = "Ravi Moreno"
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def everything(data: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return "\n".join(package.read(name).decode("utf-8") for name in package.namelist())


def test_every_part_of_a_letter_is_cleaned_and_formats_stay() -> None:
    done = cleaned(letter(), "a.docx")
    assert done.data is not None, done.risks
    assert not re.search("zofia|brandt|moreno|0147", everything(done.data), re.IGNORECASE)
    new = docx.Document(io.BytesIO(done.data))
    first = next(p for p in new.paragraphs if p.text.startswith("Dear"))
    assert first.text.startswith("Dear [P1], call")
    assert first.text.endswith("on Monday.")
    assert {run.text.strip(" ,"): run.bold for run in first.runs if run.text}["[P1]"] is True
    assert new.tables[0].cell(0, 1).text == "[P2]"
    assert new.sections[0].header.paragraphs[0].text == "For [P1]"
    assert new.sections[0].footer.paragraphs[0].text == "Written by [P2]"
    assert new.core_properties.author == "[P2]"
    assert new.core_properties.title == "[P1]'s letter"
    assert [comment.author for comment in new.comments] == ["[P2]"]
    assert "docProps/thumbnail.jpeg" not in zipfile.ZipFile(io.BytesIO(done.data)).namelist()


def test_every_part_of_a_workbook_is_cleaned() -> None:
    done = cleaned(workbook(), "a.xlsx", f"{CODES} Remove 2125550199.")
    assert done.data is not None, done.risks
    assert not re.search("zofia|brandt|moreno|0147|0199", everything(done.data), re.IGNORECASE)
    new = openpyxl.load_workbook(io.BytesIO(done.data))
    assert new.sheetnames == ["P1"]
    rows = [[cell.value for cell in row] for row in new.active.iter_rows()]
    assert rows[0] == ["name", "phone", "visits"]
    assert rows[1][0] == "[P1]"
    assert rows[1][2] == 12
    assert rows[2] == ["[P2]", None, 7]
    assert rows[3][2] == "=SUM(C2:C3)"
    assert new.active["A2"].comment.text == "asked by [P2]"


def test_numbers_are_read_under_their_headings_and_dates_as_dates() -> None:
    made = openpyxl.Workbook()
    made.active.append(["name", "phone", "date of birth", "visits"])
    made.active.append(["Zofia Brandt", 2125550147, date(1984, 3, 2), 12])
    file = io.BytesIO()
    made.save(file)
    done = cleaned(file.getvalue(), "a.xlsx", "Remove all phone numbers and dates of birth.")
    assert done.data is not None, done.risks
    new = openpyxl.load_workbook(io.BytesIO(done.data))
    assert [cell.value for cell in new.active[2]] == ["Zofia Brandt", None, None, 12]


def test_a_value_in_a_formula_or_a_half_deleted_one_is_not_given_out() -> None:
    made = openpyxl.Workbook()
    made.active["A1"] = "Zofia Brandt"
    made.active["A2"] = '="for "&"Zofia Brandt"'
    file = io.BytesIO()
    made.save(file)
    done = cleaned(file.getvalue(), "a.xlsx")
    assert done.data is None
    assert all("part of the form" in risk.where for risk in done.risks)
    text = docx.Document()
    text.add_paragraph("Zofia Brandt")
    half = (
        f'<w:p xmlns:w="{WORD}"><w:r><w:t>Zofia Br</w:t></w:r>'
        '<w:del w:id="7" w:author="x"><w:r><w:delText>andt</w:delText></w:r></w:del></w:p>'
    )
    text.element.body.insert(0, parse_xml(half))
    file = io.BytesIO()
    text.save(file)
    done = cleaned(file.getvalue(), "a.docx", "Remove Zofia Brandt.")
    assert done.data is None or "andt" not in everything(done.data)


def test_all_people_of_a_letter_are_found_without_the_words_of_its_form() -> None:
    made = docx.Document()
    made.add_paragraph("Dear Zofia Brandt, see Ravi Moreno.")
    file = io.BytesIO()
    made.save(file)
    done = cleaned(file.getvalue(), "a.docx", "Replace each person by a code [P1], [P2].")
    assert done.data is not None, done.risks
    assert docx.Document(io.BytesIO(done.data)).paragraphs[0].text == "Dear [P1], see [P2]."


def test_an_untouched_letter_says_the_same() -> None:
    done = cleaned(letter(), "a.docx", "Remove Aurelio Quist.")
    assert done.data is not None
    old, new = (docx.Document(io.BytesIO(data)) for data in (letter(), done.data))
    assert [p.text for p in old.paragraphs] == [p.text for p in new.paragraphs]


def with_part(data: bytes, name: str, content: bytes) -> bytes:
    file = io.BytesIO(data)
    with zipfile.ZipFile(file, "a") as package:
        package.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize(
    ("part", "content", "why"),
    [
        ("word/vbaProject.bin", b"\xd0\xcf", "has macros"),
        ("word/media/image1.png", b"\x89PNG", "a picture or an embedded file"),
        ("word/embeddings/oleObject1.bin", b"\xd0\xcf", "a picture or an embedded file"),
        ("word/broken.xml", b"<a>", "no well-formed XML"),
        ("word/entity.xml", b'<!DOCTYPE a [<!ENTITY n "Zofia">]><a>&n;</a>', "declares entities"),
    ],
)
def test_what_cannot_be_read_is_refused(part: str, content: bytes, why: str) -> None:
    with pytest.raises(InputError, match=why) as refused:
        open_document(with_part(letter(), part, content), "a.docx")
    assert part in str(refused.value)


@pytest.mark.parametrize("change", [lambda data: b"hello", lambda data: data[: len(data) // 2]])
def test_what_is_no_document_is_refused(change: Callable[[bytes], bytes]) -> None:
    with pytest.raises(InputError, match="no DOCX or XLSX file"):
        open_document(change(letter()), "a.docx")
