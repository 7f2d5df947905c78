"""A visitor's text in Markdown: as code, or as text in which nothing is markup. The oracle is a Markdown parser's rules
for code spans, written anew here; the browser's tests see the real thing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.display.markdown import code, plain


@given(st.text(st.sampled_from("a `*[](<>)!$~_:"), min_size=1))
def test_code_is_one_span_that_holds_the_text(text):
    """CommonMark 0.31, section 6.1: a span ends at the first run of as many backticks as it began with, and loses one
    space at both ends."""
    shown = code(text)
    fence = re.match("`+", shown)[0]
    runs = [found.span() for found in re.finditer("`+", shown) if len(found[0]) == len(fence)]
    assert len(runs) == 2 and runs[0][0] == 0 and runs[1][1] == len(shown)
    assert shown[len(fence) + 1 : -len(fence) - 1] == text


@pytest.mark.parametrize(
    "text",
    ["10**6", "*a*", "_a_", "`a`", "[a](b)", "<b>", "~~a~~", "$a$", ":red[a]", "a\\", "->", "--", "a|b", "![p](q)"],
)
def test_markup_is_escaped(text):
    escaped = plain(text)
    assert re.sub(r"\\(?=[^a-zA-Z0-9\s])", "", escaped.replace("\\\\", "\0")).replace("\0", "\\") == text
    assert not re.search(r"(?<!\\)(?:\\\\)*[*`\[\]<>~$|]", escaped)


def test_words_numbers_and_names_stay_as_they_are():
    for text in ("0.5 and 1.5, (1e-05)", "set_printoptions", "a.b: c", "1 – 2", "it's x = 3!"):
        assert plain(text) == text
