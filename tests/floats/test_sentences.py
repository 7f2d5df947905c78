"""Sentences that hold are said, and a visitor's text is shown as typed.

The oracle of code in Markdown is a parser's rules for code spans, written anew here; the browser's
tests see the real thing.
"""

import re
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.experiment.query import Experiment, QueryError
from lib.floats.sentences import Sentence, Why, code, plain, quoted, said

ROWS = [
    Sentence("{f.equal:,} of {f.all:,} are equal."),
    Sentence("All are.", lambda f: f.equal == f.all),
    Sentence("None is.", lambda f: f.equal == 0),
]


def test_the_sentences_that_hold_are_one_paragraph():
    every = SimpleNamespace(equal=2000, all=2000)
    assert said(ROWS, every) == "2,000 of 2,000 are equal. All are."
    assert said(ROWS, SimpleNamespace(equal=0, all=7)) == "0 of 7 are equal. None is."


def test_an_explanation_links_its_names_to_the_documentation():
    why = Why("Floats round.", "Add less.", {"sum": "generated/torch.sum.html", "x": "x.html"})
    assert why.markdown == (
        "**Why?** Floats round.\n\n**What to do:** Add less. PyTorch's documentation: "
        "[sum](https://docs.pytorch.org/docs/stable/generated/torch.sum.html), "
        "[x](https://docs.pytorch.org/docs/stable/x.html)."
    )


@given(st.text(st.sampled_from("a `*[](<>)!$~_:"), min_size=1))
def test_code_is_one_span_that_holds_the_text(text):
    """CommonMark 0.31, section 6.1: a span ends at the first run of as many backticks as it began
    with, and loses one space at both ends."""
    shown = code(text)
    fence = re.match("`+", shown)[0]
    runs = [run.span() for run in re.finditer("`+", shown) if len(run[0]) == len(fence)]
    assert len(runs) == 2 and runs[0][0] == 0 and runs[1][1] == len(shown)
    assert shown[len(fence) + 1 : -len(fence) - 1] == text


MARKUP = ["10**6", "*a*", "_a_", "`a`", "[a](b)", "<b>", "~~a~~", "$a$", ":red[a]", "a\\"]


@pytest.mark.parametrize("text", [*MARKUP, "->", "--", "a|b", "![p](q)"])
def test_markup_is_escaped(text):
    escaped = plain(text)
    assert re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", escaped) == text
    assert not re.search(r"(?<!\\)(?:\\\\)*[*`\[\]<>~$|]", escaped)
    assert escaped != text


def test_words_numbers_and_names_stay_as_they_are():
    for text in ("0.5 and 1.5, (1e-05)", "set_printoptions", "a.b: c", "1 – 2", "it's x = 3!"):
        assert plain(text) == text


@pytest.mark.parametrize("value", ["[a](//b.cc)", "`", "a``b`", "![p](//e.cc/f)", "", "x" * 500])
def test_what_a_link_sent_is_shown_as_code(value):
    with pytest.raises(QueryError) as caught:
        Experiment.from_pairs([("dtype", value)])
    error = caught.value
    sentence = quoted(str(error), error.shown)
    fence, rest = re.fullmatch(r"dtype = (`+) (.*)", sentence).groups()
    shown, tail = rest.split(f" {fence} ")
    cut = error.shown.removeprefix("'" if value else "")
    assert shown == (value if 0 < len(value) < 60 else cut)
    assert fence not in shown and tail.startswith("is not allowed")


QUOTED = {
    ("At '...': (threshold=10**6) or.", "'...'"): r"At ` ... `: (threshold=10\*\*6) or.",
    ("x = a`b is not allowed.", "a`b"): "x = `` a`b `` is not allowed.",
    ("Nothing was sent.", ""): "Nothing was sent.",
}


def test_what_a_visitor_wrote_is_code_as_it_was_typed_and_the_rest_is_no_markup():
    for (sentence, shown), text in QUOTED.items():
        assert quoted(sentence, shown) == text
