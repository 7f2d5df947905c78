"""Sentences that hold are said, and a contract that does not hold says so; a visitor's text is shown as typed.

The oracle of code in Markdown is a parser's rules for code spans, written anew here; the browser's tests see the real
thing.
"""

import re
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.experiment.query import Experiment, QueryError
from lib.floats.sentences import Sentence, Why, code, plain, quoted, said
from tests.sentences import Contract


@dataclass(frozen=True)
class Counted:
    equal: int
    all: int


ROWS = [
    Sentence("{f.equal:,} of {f.all:,} are equal."),
    Sentence("All are.", lambda f: f.equal == f.all),
    Sentence("None is.", lambda f: f.equal == 0),
]
ORACLES = [
    lambda s: {"equal": f"{s.equal:,}", "all": lambda text: int(text.replace(",", "")) == s.all},
    lambda s: {} if s.equal == s.all else None,
    lambda s: None if s.equal else {},
]
STATES = [Counted(2000, 2000), Counted(0, 7), Counted(3, 7)]


def contract(rows=ROWS, oracles=ORACLES, states=STATES) -> Contract:
    return Contract(rows, lambda state: state, lambda: states, oracles)


def test_the_sentences_that_hold_are_one_paragraph():
    assert said(ROWS, Counted(2000, 2000)) == "2,000 of 2,000 are equal. All are."
    assert said(ROWS, Counted(0, 7)) == "0 of 7 are equal. None is."


def test_a_contract_holds():
    contract().check()


@pytest.mark.parametrize(
    "broken",
    [
        contract(oracles=[lambda s: {"equal": "3", "all": "7"}, *ORACLES[1:]]),  # a wrong figure
        contract(oracles=[lambda s: {"all": str}, *ORACLES[1:]]),  # a figure without an oracle
        contract(oracles=[ORACLES[0], lambda s: {}, ORACLES[2]]),  # hidden where it is true
        contract(oracles=[ORACLES[0], lambda s: None, ORACLES[2]]),  # shown where it is false
        contract(oracles=ORACLES[:2]),  # a row without an oracle
        contract(states=STATES[:1]),  # a row that no state shows
        contract(
            rows=[ROWS[0], Sentence("All are.", lambda f: True)], oracles=[ORACLES[0], lambda s: {}]
        ),
    ],
)
def test_a_contract_that_is_broken_says_so(broken):
    with pytest.raises((AssertionError, ValueError)):
        broken.check()


def test_an_explanation_links_its_names_to_the_documentation():
    assert Why(
        "Floats round.", "Add less.", {"sum": "generated/torch.sum.html", "x": "x.html"}
    ).markdown == (
        "**Why?** Floats round.\n\n**What to do:** Add less. PyTorch's documentation: "
        "[sum](https://docs.pytorch.org/docs/stable/generated/torch.sum.html), "
        "[x](https://docs.pytorch.org/docs/stable/x.html)."
    )


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
    [
        "10**6",
        "*a*",
        "_a_",
        "`a`",
        "[a](b)",
        "<b>",
        "~~a~~",
        "$a$",
        ":red[a]",
        "a\\",
        "->",
        "--",
        "a|b",
        "![p](q)",
    ],
)
def test_markup_is_escaped(text):
    escaped = plain(text)
    assert (
        re.sub(r"\\(?=[^a-zA-Z0-9\s])", "", escaped.replace("\\\\", "\0")).replace("\0", "\\")
        == text
    )
    assert not re.search(r"(?<!\\)(?:\\\\)*[*`\[\]<>~$|]", escaped)


def test_words_numbers_and_names_stay_as_they_are():
    for text in ("0.5 and 1.5, (1e-05)", "set_printoptions", "a.b: c", "1 – 2", "it's x = 3!"):
        assert plain(text) == text


@pytest.mark.parametrize(
    "value", ["[a](//b.cc)", "`", "a``b`", "![p](//e.cc/f)", "**x**", "", "x" * 500]
)
def test_what_a_link_sent_is_shown_as_code(value):
    with pytest.raises(QueryError) as caught:
        Experiment.from_pairs([("dtype", value)])
    head, fence, rest = re.fullmatch(
        r"(dtype = )(`+) (.*)", quoted(str(caught.value), caught.value.shown)
    ).groups()
    shown, tail = rest.split(f" {fence} ")
    assert shown == (
        value if 0 < len(value) < 60 else caught.value.shown.removeprefix("'" if value else "")
    )
    assert fence not in shown and tail.startswith("is not allowed")


def test_what_a_visitor_wrote_is_code_as_it_was_typed_and_the_rest_is_no_markup():
    assert quoted("Left out at '...': after (threshold=10**6) or (threshold=10**6).", "'...'") == (
        r"Left out at ` ... `: after (threshold=10\*\*6) or (threshold=10\*\*6)."
    )
    assert quoted("x = a`b is not allowed.", "a`b") == "x = `` a`b `` is not allowed."
    assert quoted("Nothing was sent.", "") == "Nothing was sent."
