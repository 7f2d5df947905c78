"""A reason is given for the failure that was measured and for no other; a link says where others met it."""

import re
from dataclasses import replace

import pytest

from lib.derivative.unsafe import BAD, KINDS, Look, look
from lib.derivative.unsafe_cases import CASES, Case
from lib.derivative.unsafe_sentences import unsafe_why
from lib.derivative.unsafe_tables import arranged, mark, signed

every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def seen(case: Case, unsafe: str, safe: str = "right") -> list[Look]:
    """The case as if its spellings had given results of these kinds."""
    (one, *_) = look(case, "float32", "cpu")
    return [replace(one, unsafe=replace(one.unsafe, kind=unsafe), safe=replace(one.safe, kind=safe))]


@every_case
@pytest.mark.parametrize("kind", KINDS)
def test_the_reason_is_that_of_the_failure(case, kind):
    said = unsafe_why(case, seen(case, kind))
    assert (case.why in said.why) == (kind in case.fails)
    assert ("Nothing is wrong here" in said.why) == (kind not in BAD)
    assert ("has no explanation for" in said.why) == (kind in BAD - case.fails)
    assert (bool(case.known) and case.known in said.why) == (bool(case.known) and kind in BAD)
    assert said.do == case.do


@every_case
@pytest.mark.parametrize("kind", KINDS)
def test_what_does_not_help_is_not_advised(case, kind):
    assert (unsafe_why(case, seen(case, "nan", kind)).do == case.do) == (kind not in BAD)


@every_case
def test_the_texts_are_short_and_whole(case):
    for text in case.why, case.do:
        assert text[-1] == "." and "  " not in text and len(text) < 330
        assert text.count("`") % 2 == 0
    assert not case.known or re.fullmatch(r"https://github\.com/pytorch/\w+/issues/\d+", case.known)
    assert len(case.label) <= 28


def test_the_labels_are_distinct():
    assert len({case.label for case in CASES.values()}) == len(CASES)


def test_a_mark_says_it_without_colour():
    (one,) = seen(CASES["where"], "right")
    marks = {kind: mark(replace(one.safe, kind=kind)) for kind in KINDS}
    assert {kind for kind, sign in marks.items() if sign == "✗"} == BAD
    assert marks["right"] == marks["near"] == "✓" and marks["choice"] == "○"


def test_numbers_vectors_and_matrices():
    assert (arranged([*"1"]), arranged([*"12"]), arranged([*"1234"])) == ("1", "(1, 2)", "[[1, 2], [3, 4]]")
    with pytest.raises(ValueError, match="3 components are no number"):
        arranged([*"123"])
    assert (signed("-1e-08"), signed("2.0"), signed("nan")) == ("−1e-08", "2.0", "nan")
