from __future__ import annotations

import pytest

from privasis.text.kinds import ValueKind, kind_of


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("full_name", "Ilse Vandermeer", "person_name"),
        ("patientName", "王小明", "person_name"),
        ("first_name", "Ilse", "person_name"),
        ("attending_physician", "Dr. Okoro", "person_name"),
        ("spouse", "Ravi", "person_name"),
        ("product_name", "Aster 3", "other"),
        ("pet_name", "Biscuit", "other"),
        ("event_name", "Spring Gala", "other"),
        ("date_of_birth", "3 March 1984", "date"),
        ("appointment", "2024-03-03", "date"),
        ("appointment_day", "someday soon", "other"),
        ("生年月日", "昭和59年3月3日", "date"),
        ("arrival_time", "9:30 PM", "time"),
        ("phone_number", "+44 20 7946 0018", "phone"),
        ("callback", "(212) 555-0147", "phone"),
        ("email", "ilse@example.org", "email"),
        ("contact", "ilse@example.org", "email"),
        ("website", "https://example.org/~v", "url"),
        ("portal", "example.org", "url"),
        ("user_handle", "ilse92", "handle"),
        ("twitter", "@ilse92", "handle"),
        ("passport_number", "X12345678", "number"),
        ("iban", "GB33 BUKB 2020 1555 5555 55", "number"),
        ("salary", "$45,000", "amount"),
        ("deal", "€1.2 million", "amount"),
        ("age", "74", "age"),
        ("ageAtDiagnosis", "seventy-four", "age"),
        ("home_address", "4 Elm Row, Leeds LS1 4AB", "address"),
        ("employer", "Aster Bay Ltd", "organization"),
        ("diagnosis", "migraine with aura", "other"),
        ("bank_account", "9876543210", "number"),
        ("", "", "other"),
    ],
)
def test_a_kind_is_inferred_from_name_and_shape(name: str, value: str, kind: ValueKind) -> None:
    assert kind_of(name, value) == kind
