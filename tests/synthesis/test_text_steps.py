"""Annotation, filters and the acceptance score: planted truth, no model."""

import numpy as np
import pytest
from scipy import stats

from privasis.errors import Reject
from privasis.stage import derive_seed
from privasis.synthesis.annotate import distinct, locate
from privasis.synthesis.filters import check_person, complaint_about, defect
from privasis.synthesis.languages import language_code
from privasis.synthesis.options import SynthesisOptions
from privasis.synthesis.refine import accept_score
from privasis.types import Attribute, Seed, Span

OPTIONS = SynthesisOptions()
WORDS = (
    "The clinic on Harbour Street confirmed the appointment of Maren Kallio for Tuesday morning at nine, "
    "and asked her to bring the letter of the insurer, two photographs and the old prescription. She wrote "
    "back the same evening that the bus from the island arrives late, thanked Doctor Adeyemi for the new "
    "date, and promised to pay the remaining forty euros in cash. Her brother will wait downstairs with the "
    "car, since she must not drive for a day after the treatment, and the neighbour keeps the dog until "
    "Wednesday noon."
)


def test_only_what_stands_in_the_text_is_an_attribute() -> None:
    text = "Ann Lee filed the Annual report. ANN LEE signed; lee@example.org."
    found = locate(text, [("name", "Ann Lee"), ("city", "Oslo"), ("first", "Ann")], "text")
    assert [(a.name, a.value, a.spans) for a in found] == [
        ("name", "Ann Lee", (Span(0, 7),)),
        ("first", "Ann", (Span(0, 3),)),
    ]
    for attribute in found:
        assert all(text[s.start : s.end] == attribute.value for s in attribute.spans)


def test_the_texts_own_form_becomes_the_value() -> None:
    text = "PATIENT: MAREN KALLIO\nSeen: Maren\nKallio, again MAREN KALLIO"
    (found,) = locate(text, [("name", "maren kallio")], "profile")
    assert found.value == "MAREN KALLIO"
    assert found.spans == (Span(9, 21), Span(48, 60))


def test_bare_ages_of_a_profile_are_left_to_the_reader() -> None:
    assert locate("She is 34, at 34 Elm Row.", [("age", "34")], "profile") == ()
    assert locate("She is 34.", [("age", "34")], "text")


def test_bare_punctuation_is_no_attribute() -> None:
    assert locate("One, two, A.", [("sum", ","), ("initial", "A")], "text") == ()


def test_names_are_numbered_and_values_stand_once() -> None:
    def attribute(name: str, value: str) -> Attribute:
        return Attribute(name, value, "text", (Span(0, 1),))

    kept = distinct((attribute("date", "a"), attribute("date", "b"), attribute("day", "a")))
    assert [(a.name, a.value) for a in kept] == [("date", "a"), ("date_2", "b")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (WORDS, None),
        ("Too short.", "too_short"),
        ("I'm sorry, but I can't help with that. " + WORDS, "refusal"),
        ("As an AI language model I write this. " + WORDS, "refusal"),
        ("The patient was seen today and is well again. " * 40, "looping"),
        ("Dear [Name], on [Date] you moved to [Address]. " + WORDS, "placeholders"),
        ("You write documents that look as if they came from real life, he said. " + WORDS, "prompt_echo"),
        ("Die Praxis in der Hafenstraße bestätigt den Termin am Dienstag um neun Uhr. " * 2 + "Bitte bringen "
         "Sie den Brief der Versicherung, zwei Fotos und das alte Rezept mit. Sie schrieb am selben Abend, "
         "dass der Bus von der Insel spät ankommt, dankte dem Arzt für den neuen Termin und versprach, die "
         "restlichen vierzig Euro bar zu zahlen. Ihr Bruder wartet unten mit dem Wagen, weil sie nach der "
         "Behandlung einen Tag lang nicht fahren darf.", "wrong_language"),
    ],
)  # fmt: skip
def test_defects(text: str, reason: str | None) -> None:
    instructions = "You write documents that look as if they came from real life, and nothing else at all."
    instructions = "You write documents that look as if they came from real life, he said. Nothing else."
    assert defect(text, instructions, OPTIONS) == reason
    assert (complaint_about(instructions, (), OPTIONS)(text) is None) == (reason is None)


def test_unspaced_scripts_are_counted_in_words() -> None:
    chinese = "患者于三月三日来院复查,血压正常,医生建议继续服药并于下月复诊。" * 12
    assert defect(chinese[:120], "", SynthesisOptions(language="Chinese")) == "too_short"
    whole = (
        "患者王小明于三月三日来院复查,血压正常。医生建议他继续服药,下月五日再来复诊,并带上化验单。"
        "他说最近睡眠不好,夜里常常醒来,白天工作没有精神。妻子李红陪同前来,询问饮食方面的问题。"
        "护士登记了联系电话和住址,提醒他周四之前缴清上次的检查费用三百二十元。"
        "他答应明天由弟弟代为付款,并请医院把发票寄到单位。"
    )
    assert defect(whole, "", SynthesisOptions(language="Chinese")) is None


def test_persons_under_age_are_refused() -> None:
    child = Seed(0, "Ida", "female", 17, "2020-01-01", "single", "low", "A+", "Danish")
    with pytest.raises(Reject, match="under_age"):
        check_person(child, OPTIONS)


def test_language_names_and_codes() -> None:
    assert [language_code(name) for name in ("Korean", "ko", " english ", "Klingon")] == [
        "ko",
        "ko",
        "en",
        None,
    ]


def test_the_acceptance_score_is_the_papers() -> None:
    assert accept_score(1.0, 0.2, OPTIONS) == pytest.approx(0.6)
    assert accept_score(1.0, -0.2, OPTIONS) == pytest.approx(0.4)  # better, but less diverse: not above 0.5
    assert accept_score(0.0, 1.2, OPTIONS) == pytest.approx(0.6)
    assert accept_score(1.0, None, OPTIONS) == 1.0  # nothing to compare with yet
    heavy = SynthesisOptions(alpha=0.0, beta=2.0)
    assert accept_score(1.0, 0.3, heavy) == pytest.approx(0.6)


def test_the_judges_order_is_balanced() -> None:
    firsts = sum(
        int(np.random.Generator(np.random.PCG64(derive_seed(7, str(item), "record.judge#1"))).integers(2))
        for item in range(4000)
    )
    assert stats.binomtest(firsts, 4000, 0.5).pvalue > 0.001


def test_the_papers_constants() -> None:
    assert (OPTIONS.refinement_steps, OPTIONS.tau, OPTIONS.min_words, OPTIONS.min_age) == (3, 0.5, 64, 18)
    assert (OPTIONS.min_groups, OPTIONS.max_groups) == (3, 8)


def test_a_text_without_the_persons_details_is_complained_about() -> None:
    check = complaint_about("", ("Maren Kallio", "Harbour Street", "KE-4471", "12 June"), OPTIONS)
    assert check(WORDS) is None
    complaint = check(WORDS.replace("Maren Kallio", "a woman"))
    assert complaint is not None
    assert "Maren Kallio; KE-4471; 12 June" in complaint
