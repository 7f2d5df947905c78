"""NaN, infinite and zero gradients: the section shows the case of the link, as code and as what that code gave."""

from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from lib.derivative.unsafe import looks, source
from lib.derivative.unsafe_cases import CASES
from lib.derivative.unsafe_sentences import result_claim, unsafe_claim, unsafe_why
from lib.derivative.unsafe_tables import overview
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.page.unsafe import FIRST
from tests.page.visiting import BY_HAND, tick, visit


def opened(query: str = "") -> AppTest:
    at = visit(f"samples=10&unsafe=true&{urlencode({'tab': BY_HAND})}&{query}")
    assert not at.error
    return at


def assert_shown(at: AppTest, key: str, dtype: str) -> None:
    """The code of the case is there, what it gave, why, and the table of all cases."""
    case, experiment, found = CASES[key], Experiment(dtype=dtype), looks(dtype, "cpu")
    assert [block.value for block in at.code] == [source(case.unsafe), source(case.safe)]
    texts = {text.value for text in at.markdown}
    assert f"**{unsafe_claim(case, found[key], experiment)}**" in texts
    assert unsafe_why(case, found[key]).markdown in texts
    for side in "unsafe", "safe":
        assert "  \n".join(result_claim(one, getattr(one, side), experiment) for one in found[key]) in texts
    assert at.table[-1].value.equals(overview(found, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_case_can_be_picked(dtype):
    at = opened(f"dtype={dtype}")
    assert_shown(at, FIRST, dtype)
    for key in CASES:
        (row,) = [group for group in at.button_group if list(group.options) == list(CASES)]
        row.set_value(key)
        assert_shown(tick(at), key, dtype)


@pytest.mark.parametrize("key", CASES)
def test_the_case_is_in_the_link(key):
    assert_shown(opened(urlencode({"case": key})), key, "float32")


@pytest.mark.parametrize("text", ["", "nonsense", "![a](//b.cc)", "<script>", "9" * 3000, "where&case=sqrt"])
def test_what_is_no_case_is_the_first(text):
    assert_shown(opened(f"case={text}"), FIRST, "float32")


def test_nothing_is_computed_while_the_section_is_closed(monkeypatch):
    asked = []
    monkeypatch.setattr("lib.page.unsafe.looks", lambda *about: asked.append(about))
    at = visit(f"samples=10&{urlencode({'tab': BY_HAND})}")
    assert not at.code and not asked
