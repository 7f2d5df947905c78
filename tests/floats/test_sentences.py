"""A visitor's text is shown as typed, and brings no markup to life."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.floats.sentences import code, plain, quoted


@given(st.text(st.sampled_from("a `*[](<>)!$~_:"), min_size=1))
def test_code_is_one_span_that_holds_the_text(text):
    """CommonMark 0.31, section 6.1: a span ends at the first run of as many backticks as it began
    with, and loses one space at both ends."""
    shown = code(text)
    fence = re.match("`+", shown)[0]
    runs = [run.span() for run in re.finditer("`+", shown) if len(run[0]) == len(fence)]
    assert len(runs) == 2 and runs[0][0] == 0 and runs[1][1] == len(shown)
    assert shown[len(fence) + 1 : -len(fence) - 1] == text
    assert fence[1:] in text


MARKUP = "10**6 *a* _a_ `a` [a](b) <b> ~~a~~ $a$ :red[a] a\\ -> -- a|b ![p](q) __import__(1)"


@pytest.mark.parametrize("text", MARKUP.split(" "))
def test_a_quotation_is_code_and_all_else_is_escaped(text):
    escaped = plain(text)
    assert re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", escaped) == text != escaped
    assert not re.search(r"(?<!\\)(?:\\\\)*[*_`\[\]<>~$|]", escaped)
    assert quoted(f"x_1 is *not* {text}.", text) == f"x\\_1 is \\*not\\* {code(text)}."
    assert quoted(text, "") == escaped
