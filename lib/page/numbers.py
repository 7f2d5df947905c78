"""Check your own numbers: which floats pasted numbers or vectors are, and how far apart they are."""

import streamlit as st

from lib.display.markdown import quoted
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.page.elements import show_table
from lib.paste.decode import Decoded, Decoding, decode
from lib.paste.decode_sentences import advice, expected, notes, verdict, why_print_more
from lib.paste.decode_tables import as_differences, by_component, of_difference, one_below_another, side_by_side
from lib.paste.distances import NotFinitePair, Pair
from lib.paste.tokenizer import PasteError

EXAMPLES = {
    "a post's component": "-0.0086  -0.0086  9.3132e-10",
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

READING = """
Printed decimals are rounded, so a text may stand for many floats:

- A number with four digits or more, in all or after its point, is known to half a unit of its last digit. So
  PyTorch's `0.0086` is anything from 0.00855 to 0.00865. A shorter one in e-notation, as `1.19e-07`, is too, if no
  number of the paste is longer.
- Any other shorter one is as precise as the longest number of the paste, and at least as four digits: it was typed, or
  its zeros were dropped. So `0.1` beside `0.10000000894` is one float32, the nearest.
- `1.` in a `tensor(…)` is exactly 1, as PyTorch prints whole numbers; a hexadecimal `0x1.8p-3` is exact, too.
- A zero: `0`, `0.0` and `0e+00` are exactly zero. `0.00` and `0.0000` are rounded to their decimals. NumPy's `0.` need
  not be zero: with `suppress=True` it stands for whatever the decimals do not show, and these are known only by the
  longest number beside it.
- A printed difference says more than the digits of its two numbers: it must be a multiple of their spacing.
- Numbers are read as differences where the words before them say so. Three or more are, too, where all are small
  multiples of powers of two, as the differences of neighbouring floats are; two are read as values.

A dtype in the paste counts more than the one that is chosen here; of two, the one of lower precision. Words are passed
over, and so are an index, a count, a tolerance or the 0 of `J.sum(0)` among them; vectors stand before single numbers.
The second number is the expected one, unless a word such as *expected* says that the first one is.

Pasted text is read as numbers and brackets, never run.
"""


def show() -> None:
    st.header("Check your own numbers", anchor="check-your-own-numbers", divider="gray")
    st.markdown(
        "Paste two numbers, or two vectors as they were printed, and their difference below them if you have it. How "
        "many floats apart are they?"
    )
    show_decoded()
    st.markdown(why_print_more().markdown)


@st.fragment
def show_decoded() -> None:
    first = next(iter(EXAMPLES))
    example = st.pills("Examples", list(EXAMPLES), default=first, required=True, key="numbers", bind="query-params")
    text = st.text_area(
        "Your numbers, instead of the example",
        key="pasted_numbers",
        placeholder=EXAMPLES[example],
        height=110,
        help="As Python, NumPy, JSON or PyTorch prints them. They are read as numbers and brackets, never run.",
    )
    dtypes, default = list(DTYPES), Experiment.dtype
    dtype = st.segmented_control(
        "Their dtype", dtypes, default=default, required=True, key="numbers_dtype", bind="query-params"
    )
    try:
        decoding = decode(text if text.strip() else EXAMPLES[example], dtype)
    except PasteError as error:
        st.error(quoted(str(error), error.shown))
        return
    st.subheader(verdict(decoding), anchor=False)
    for sentence in (*notes(decoding), advice(decoding)):
        if sentence:
            st.caption(sentence)
    show_tables(decoding)
    with st.expander("How printed digits are read"):
        st.markdown(READING)


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
