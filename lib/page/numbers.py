"""Check your own numbers: which floats pasted numbers or vectors are, and how far apart they are, as a picture."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from lib.display.markdown import quoted
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.experiment.studies import STUDIES
from lib.page import address
from lib.page.elements import Card, go_to, show_cards, show_table, unfold
from lib.page.picture import draw_picture
from lib.page.shared import TURNS
from lib.paste.answer_sentences import answer, digits_card, meaning, tolerance_card
from lib.paste.causes import likely_cause
from lib.paste.decode import Decoded, Decoding
from lib.paste.decode_sentences import expected, notes, why_print_more
from lib.paste.decode_tables import (
    as_differences,
    by_component,
    of_difference,
    one_below_another,
    side_by_side,
    to_pick_from,
)
from lib.paste.distances import NotFinitePair, Pair
from lib.paste.failures import Failure, decoded
from lib.paste.found import Found
from lib.paste.intervals import picture, place_of
from lib.paste.tokenizer import PasteError

EXAMPLES = {
    "one gradient component": "-0.0086  -0.0086  9.3132e-10",
    "all five of them": (
        "tensor([ 0.0206, -0.0086,  0.0514, -0.0260,  0.0332])\n"
        "tensor([ 0.0206, -0.0086,  0.0514, -0.0260,  0.0332])\n"
        "tensor([ 0.0000e+00,  9.3132e-10, -3.7253e-09, -1.8626e-09,  0.0000e+00])"
    ),
    "1/x by hand": (
        "tensor(-0.9074) tensor(-0.9074, grad_fn=<MulBackward>)\ntensor(5.9605e-08, grad_fn=<ThSubBackward>)"
    ),
    "two floats": "0.1  0.10000000894",
    "alike in print": "0.0086  0.0086",
    "a difference alone": "9.3132e-10",
    "differences": "tensor([ 0.0000e+00,  9.3132e-10, -3.7253e-09, -1.8626e-09,  0.0000e+00])",
    "a failed test": (
        "AssertionError: Scalars are not close!\n\nExpected 0.0514 but got 0.0513999984.\n"
        "Absolute difference: 3.7252903e-09 (up to 1e-09 allowed)\n"
        "Relative difference: 7.2476e-08 (up to 0.0 allowed)"
    ),
}
"""Numbers to start with, by their names on the page: those of two posts first."""

MATRIX = "Paste it: equal rows, zeros or NaN can reveal a common mistake."

READING = """
Printed decimals are rounded, so a text may stand for many floats:

- A number with at least four digits, in all or after its point, is known to half a unit of its last digit. So
  PyTorch's `0.0086` is anything from 0.00855 to 0.00865. The same holds for a shorter number in e-notation, such as
  `1.19e-07`, if no number in the paste is longer.
- Any other short number is as precise as the longest number in the paste, and never less than to four digits: it was
  typed, or it lost its zeros. So `0.1` beside `0.10000000894` is one float32, the nearest.
- `1.` in a `tensor(…)` is exactly 1, since PyTorch prints whole numbers so. A hexadecimal `0x1.8p-3` is exact, too.
- `0`, `0.0` and `0e+00` are exactly zero. `0.00` and `0.0000` are rounded to their decimals. NumPy's `0.` need not be
  zero: with `suppress=True` it stands for whatever the decimals do not show.
- A printed difference says more than the digits of its two numbers: it must be a multiple of their spacing.
- Numbers are read as differences if the words before them say so. Three or more are, too, if all are small multiples
  of powers of two, as differences of neighbouring floats are.

A dtype named in the paste counts more than the one chosen here; of two, the one of lower precision. Words are skipped,
and so are an index, a count, a tolerance or the 0 of `J.sum(0)` among them. The second number is the expected one,
unless a word such as *expected* says that the first one is.

Messages of failed checks are read whole, those of `assert_close`, NumPy's `testing` and `pytest.approx`, with pytest's
`E` and a terminal's colours before their lines.

Pasted text is read as numbers and brackets, never run.
"""

state = st.session_state


def box() -> None:
    """Draw the box, the dtype of what is in it, and the examples, which fill it."""
    with st.container(key="box", horizontal=True, vertical_alignment="bottom", gap="small"):
        place_of_box = st.container(width="stretch")
        st.selectbox("dtype", list(DTYPES), list(DTYPES).index(Experiment.dtype), **_linked("numbers_dtype", 132))
        example = st.selectbox("Try one", list(EXAMPLES), **_linked("numbers", 200))
    if example != state.get("example in box"):
        state.update({"example in box": example, "pasted_numbers": EXAMPLES[example]})
    place_of_box.text_area(
        "Printed numbers: first, second, difference if known",
        key="pasted_numbers",
        placeholder=EXAMPLES[example],
        height=68,
        help="As Python, NumPy, JSON or PyTorch prints them. They are read as numbers and brackets, never run.",
        persist_state="session",
    )


def _linked(key: str, width: int) -> Mapping:
    return {"key": key, "width": width, "bind": "query-params"}


def show() -> None:
    """Answer what is in the box, or what its example says while it is empty."""
    text = str(state.pasted_numbers)
    text = text if text.strip() else EXAMPLES[state.numbers]
    _forget_pick((text, state.numbers_dtype))
    try:
        with TURNS.lent():  # a long paste takes seconds
            decoding = decoded(text, state.numbers_dtype)
    except PasteError as error:
        st.error(quoted(str(error), error.shown))
        return
    if isinstance(decoding, Failure):
        show_failure(decoding)
        return
    place = address.number("numbers_at", 0, len(decoding.pairs or decoding.numbers) - 1)
    if place is None:
        st.query_params.pop("numbers_at", None)
    with st.container(key="answer"):
        st.header(answer(decoding, place), anchor=False)
    show_picture(decoding, place)
    cause = likely_cause(decoding, place)
    if cause:
        show_cause(cause)
    sentences = "" if cause else meaning(decoding, place), *notes(decoding)
    said = [sentence for sentence in sentences if sentence]
    if said:
        st.markdown(" ".join(said))
    show_cards(
        [
            Card("How many digits?", digits_card(decoding), "How digits are read", "numbers_why"),
            Card("What does `assert_close` say?", tolerance_card(decoding, place), "All tolerances", "numbers_figures"),
            Card("A whole Jacobian?", MATRIX, "Check my matrix", "matrix_box"),
        ]
    )
    unfold("Tolerances and exact values", "numbers_figures", show_tables, decoding)
    unfold("Why print more? How digits are read", "numbers_why", show_reading)


def show_failure(failure: Failure) -> None:
    """Say what the message of a failed check tells, which holds no values that could be drawn."""
    with st.container(key="answer"):
        st.header(failure.answer, anchor=False)
    if failure.cause:
        show_cause(failure.cause)
    st.markdown(failure.more)


def show_cause(cause: Found) -> None:
    """Show the likely cause as a card, with a way on to each tab or section that shows it."""
    with st.container(key="cause", border=True):
        st.markdown(f"**Why?** {cause.sentence} *{cause.strength}*")
        with st.container(horizontal=True, key="ways_on"):
            for link in cause.links:
                key = f"on to {link.study} {link.section}"
                if st.button(f":primary[{link.words}]", key=key, type="tertiary"):
                    go_to(link.section or "head", opens=bool(link.section), tab=STUDIES[link.study].label)


_KINDS = {(True, True): "both", (True, False): "rows", (False, True): "ticks"}
"""What is drawn of the float line, by whether there are rows of floats that print alike, and single floats."""


def show_picture(decoding: Decoding, place: int | None) -> None:
    line, table = picture(decoding, place), to_pick_from(decoding)
    if not line and not table:
        return
    kind = _KINDS[bool(line["rows"]), bool(line["magnified"])] if line else "none"
    table = table and table | {"picked": place_of(decoding, place)}
    rows = len(decoding.pairs or decoding.numbers)
    with st.container(key=f"numbers-{kind}"):
        draw_picture(
            "own", {"line": line, "table": table}, f"numbers {kind}", on_pick_change=partial(_pick, kind, rows)
        )


def _pick(kind: str, rows: int) -> None:
    """Put the row that was picked into the link, if there is one; a client other than a browser may send anything."""
    pick = state[f"numbers {kind}"]["pick"]
    if type(pick) is int and pick in range(rows):
        st.query_params["numbers_at"] = str(pick)


def _forget_pick(pasted: tuple[str, str]) -> None:
    """Forget which component was picked once the box holds other numbers."""
    if state.setdefault("picked in", pasted) != pasted:
        st.query_params.pop("numbers_at", None)
        state["picked in"] = pasted


def show_reading() -> None:
    st.markdown(f"{why_print_more().markdown}\n\n{READING}")


def show_tables(decoding: Decoding) -> None:
    if len(decoding.pairs) > 1:
        show_table(by_component(decoding), "Table of the components: how far apart they are")
        return
    if decoding.are_differences:
        if len(decoding.numbers) == 1:
            show_tolerances(decoding.numbers[0], decoding)
        show_table(as_differences(decoding.numbers), "Table of the differences, as ulps of what")
        return
    if len(decoding.numbers) > 1:
        show_table(one_below_another(decoding.numbers), "Table of the numbers, as floats")
        return
    (one,) = decoding.pairs or decoding.numbers
    show_tolerances(one, decoding)
    if not isinstance(one, Decoded):
        st.caption(expected(one))
    numbers = (one,) if isinstance(one, Decoded) else one.numbers[:2]
    if decoding.every_number:
        show_table(side_by_side(numbers), "Table of the numbers, as floats")


def show_tolerances(one: Decoded | Pair | NotFinitePair, decoding: Decoding) -> None:
    if rows := of_difference(one, decoding.format):
        st.table(rows, hide_header=True, hide_index=True, alt="Table of the difference, and tolerances")
