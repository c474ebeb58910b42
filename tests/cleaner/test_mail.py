"""E-mail: every header and part is decoded, cleaned and written back; what cannot be read is refused."""

from __future__ import annotations

import email
from email import policy
from email.message import EmailMessage

import pytest

from privasis.cleaner.formats.documents import CleanedDocument, clean_documents, joined_text
from privasis.cleaner.formats.opening import open_document
from privasis.cleaner.instruction import read_instruction
from privasis.errors import InputError

CODES = "Replace each person by a code [P1], [P2]. Remove all phone numbers and e-mail addresses."
GONE = ("zofia", "br\u00e4ndt", "ravi", "moreno", "0147", "@example")


def cleaned(data: bytes, instruction: str = CODES) -> CleanedDocument:
    document = open_document(data, "a.eml")
    (done,) = clean_documents([document], read_instruction(instruction, joined_text([document])))
    return done


def opened(data: bytes) -> EmailMessage:
    message = email.message_from_bytes(data, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def message() -> EmailMessage:
    made = EmailMessage()
    made["From"] = "Zofia Brändt <zofia.brandt@example.org>"
    made["To"] = '"Ravi Moreno" <ravi@example.org>'
    made["Subject"] = "Zofia Brändt’s visit to Ravi Moreno, and a long explanation of what it is all about"
    made["X-Mailer"] = "Aster 1.0"
    made.set_content("Dear Ravi,\n\ncall 212-555-0147. Schöne Grüße, Zofia Brändt\n", cte="quoted-printable")
    made.add_alternative(
        "<p>Dear <b>Ra</b>vi, call 212-555-0147.</p><p>Zofia Br&auml;ndt</p>", subtype="html", cte="base64"
    )
    made.add_attachment(
        "name,phone\nZofia Brändt,212-555-0147\n".encode(),
        maintype="text",
        subtype="csv",
        filename="Zofia_Brändt.csv",
    )
    made.add_attachment(b'{"name": "Ravi Moreno"}', maintype="application", subtype="json", filename="x.json")
    return made


@pytest.mark.parametrize("end_of_line", ["\n", "\r\n"])
def test_all_headers_and_parts_are_cleaned_with_the_same_codes(end_of_line: str) -> None:
    done = cleaned(message().as_bytes(policy=policy.SMTP.clone(linesep=end_of_line)))
    assert done.data is not None, done.risks
    new = opened(done.data)
    assert email.message_from_bytes(done.data)["From"] == "[P1] <>"
    assert str(new["Subject"]).startswith("[P1]'s visit to [P2], and a long explanation")
    assert new["X-Mailer"] == "Aster 1.0"
    plain, html, table, listed = (p for p in new.walk() if not p.is_multipart())
    assert plain.get_content().split() == ["Dear", "[P2],", "call.", "Schöne", "Grüße,", "[P1]"]
    assert plain["content-transfer-encoding"] == "quoted-printable"
    assert html["content-transfer-encoding"] == "base64"
    assert html.get_content().count("[P1]") == html.get_content().count("[P2]") == 1
    assert table.get_content().splitlines() == ["name,phone", "[P1],"]
    assert listed.get_content() == b'{"name": "[P2]"}'
    said = "\n".join(str(p.get_content()) for p in (plain, html, table, listed)) + str(new.items())
    assert not [word for word in GONE if word in said.casefold()]
    assert not [p.get_filename() for p in new.walk() if "zofia" in (p.get_filename() or "").casefold()]
    lines = done.data.split(b"\n")
    assert all(line.endswith(b"\r") for line in lines[:-1]) is (end_of_line == "\r\n")


def test_an_untouched_message_is_the_same_to_the_last_byte() -> None:
    data = message().as_bytes()
    assert cleaned(data, "Remove Aurelio Quist.").data == data


def test_a_change_in_one_part_leaves_the_others_alone() -> None:
    before = message().as_bytes()
    after = cleaned(before, "Replace Aster by [X].").data
    assert after is not None
    old, new = before.decode().splitlines(), after.decode().splitlines()
    assert [line for line in new if line not in old] == ["X-Mailer: [X] 1.0"]


def test_text_that_its_charset_cannot_hold_becomes_utf_8() -> None:
    data = b"From: a@b.org\nContent-Type: text/plain; charset=iso-8859-1\n\nZofia Brandt, K\xf6ln\n"
    done = cleaned(data, "Replace Zofia Brandt by [\u0416].")
    assert done.data is not None
    assert opened(done.data).get_content() == "[\u0416], Köln\n"


def test_8_bit_headers_and_attached_messages() -> None:
    inner = b"From: Zofia Brandt <z.brandt@ex.org>\nSubject: =?utf-8?q?An_Zofia?=\n\nZofia Brandt\n"
    data = (
        (
            "From: Zofia Brandt <z.brandt@ex.org>\nSubject: für Zofia\n"
            "Content-Type: multipart/mixed; boundary=b\n\n"
            "for Zofia Brandt only\n--b\n\nZofia\n--b\nContent-Type: message/rfc822\n\n"
        ).encode()
        + inner
        + b"--b--\nbye Zofia Brandt\n"
    )
    done = cleaned(data, "Remove Zofia Brandt. Remove e-mail addresses.")
    assert done.data is not None, done.risks
    assert b"ofia" not in done.data
    assert b"brandt" not in done.data.lower()
    assert opened(done.data)["Subject"] == "für"
    assert done.data.rstrip().endswith(b"--b--\nbye")


@pytest.mark.parametrize(
    ("part", "why"),
    [
        (b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n", "is no text"),
        (b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\niVB$$$\n", "no valid base64"),
        (b"Content-Type: text/plain\nContent-Transfer-Encoding: x-uuencode\n\nbegin\n", "transfer encoding"),
        (b"Content-Type: text/plain; charset=x-nothing\n\nhello\n", "by its charset"),
        (b"Content-Type: text/plain; charset=utf-8\n\nK\xf6ln\n", "by its charset"),
        (b"Content-Type: multipart/encrypted; boundary=c\n\n--c\n\nx\n--c--\n", "multipart/encrypted"),
        (b"Subject: =?x-nothing?q?a?=\n\nhello\n", "cannot be decoded"),
        (b'Content-Type: text/csv\n\na,b\n1,"x\n', "a quote is not closed"),
    ],
)
def test_what_cannot_be_decoded_is_refused_with_its_place(part: bytes, why: str) -> None:
    data = (
        b"From: a@b.org\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nhello\n--b\n" + part + b"--b--\n"
    )
    with pytest.raises(InputError, match=why) as refused:
        open_document(data, "a.eml")
    assert "part 2" in str(refused.value)


def test_what_is_no_message_is_refused() -> None:
    with pytest.raises(InputError, match="no headers"):
        open_document(b"hello, this is a text\n", "a.eml")
    with pytest.raises(InputError, match="part 0 is broken"):
        open_document(b"From: a@b.org\nContent-Type: multipart/mixed\n\nhello\n", "a.eml")
