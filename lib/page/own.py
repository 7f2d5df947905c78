"""The tab *Check your own*: one box for whatever was printed, read as numbers and brackets and never run."""

import re
from functools import partial

import streamlit as st
import torch

from lib.display.markdown import quoted
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.experiment.studies import SUBJECTS
from lib.page import link
from lib.page.elements import show_table
from lib.page.live import keep_room, picture
from lib.paste.answer_sentences import answer, digits_card, meaning, tolerance_card
from lib.paste.causes import likely_cause
from lib.paste.decode import Decoding
from lib.paste.decode_sentences import notes
from lib.paste.decode_tables import by_component, of_difference, to_pick_from
from lib.paste.failures import Failure, decoded
from lib.paste.fingerprint import findings
from lib.paste.found import Found
from lib.paste.intervals import picture as on_the_line
from lib.paste.intervals import place_of
from lib.paste.matrix import PasteError, is_cut, parse
from lib.paste.shapes import of_part, of_shape, without_gaps

TAB = "own"
LABEL = "Check your own"
CLAIM = "Two numbers, and a small difference: rounding, or a bug?"
EXAMPLES = {
    "two numbers differ": "-0.0086  -0.0086  9.3132e-10",
    "two gradients": (
        "tensor([ 0.0206, -0.0086,  0.0514, -0.0260,  0.0332])\n"
        "tensor([ 0.0206, -0.0086,  0.0514, -0.0260,  0.0332])\n"
        "tensor([ 0.0000e+00,  9.3132e-10, -3.7253e-09, -1.8626e-09,  0.0000e+00])"
    ),
    "rows all the same": "tensor([[10., 18.],\n        [10., 18.],\n        [10., 18.],\n        [10., 18.]])",
    "a test fails": (
        "AssertionError: Scalars are not close!\n\nExpected 0.0514 but got 0.0513999984.\n"
        "Absolute difference: 3.7252903e-09 (up to 1e-09 allowed)\n"
        "Relative difference: 7.2476e-08 (up to 0.0 allowed)"
    ),
    "a difference alone": "9.3132e-10",
    "NaN": "tensor([nan, 1., 2.])",
}
"""Real pastes, by their symptoms."""

FROM_PYTHON = """from lib.own import compare

compare(net, x)  # your own network: rounding, or not?"""


def show() -> None:
    st.title(CLAIM, anchor=False)
    chosen = st.pills(
        "Try one", list(EXAMPLES), key="numbers", bind="query-params", label_visibility="collapsed", wrap=False
    )
    box = keep_room(142)
    text = box.text_area(
        "Whatever was printed: numbers, vectors, a Jacobian, a failed test",
        EXAMPLES.get(chosen or "", ""),
        key=f"paste {chosen}",
        placeholder=EXAMPLES["two gradients"],
        height=110,
        help="As Python, NumPy, JSON or PyTorch prints it. It is read as numbers and brackets, never run.",
    )
    text = str(text or "") if str(text or "").strip() else EXAMPLES["two gradients"]
    with st.popover(f"in **{st.session_state.get('numbers_dtype') or Experiment.dtype}**", type="tertiary"):
        dtype = st.radio(
            "dtype, where the paste names none",
            list(DTYPES),
            list(DTYPES).index(Experiment.dtype),
            captions=[row.about for row in DTYPES.values()],
            key="numbers_dtype",
            bind="query-params",
        )
    try:
        if is_jacobian(text):
            show_jacobian(text)
        else:
            show_numbers(text, str(dtype))
    except PasteError as error:
        st.error(quoted(str(error), error.shown))
    with st.container(border=True):
        st.markdown("**Your own network?** From Python, on the network itself:")
        st.code(FROM_PYTHON, language="python")


def is_jacobian(text: str) -> bool:
    """Whether a paste is one tensor of two rows or more, or the shape of one."""
    if of_shape(text):
        return True
    try:
        return len(re.findall(r"\[\s*\[", text)) == 1 and parse(without_gaps(text)[0]).ndim >= 2
    except PasteError:
        return False


def show_jacobian(text: str) -> None:
    if shape := of_shape(text):
        found = [shape]
    else:
        text, is_part = without_gaps(text)
        matrix = parse(text)
        found = of_part(findings(matrix)) if is_part else findings(matrix)
        cut = " A bracket is not closed: is some of it missing?" if is_cut(text) else ""
        st.caption(f"Read: {' × '.join(map(str, matrix.shape))} numbers.{cut}")
        if matrix.size <= 64:
            st.code(str(torch.from_numpy(matrix)), language=None)
    for finding in found:
        st.subheader(finding.sentence, anchor=False)
        if finding.fix:
            st.code(finding.fix, language="python")


def show_numbers(text: str, dtype: str) -> None:
    decoding = decoded(text, dtype)
    if isinstance(decoding, Failure):
        st.header(decoding.answer, anchor=False)
        show_cause(decoding.cause)
        st.markdown(decoding.more)
        return
    place = link.number(st.query_params.get("numbers_at"), len(decoding.pairs or decoding.numbers) - 1)
    st.header(answer(decoding, place), anchor=False)
    show_picture(decoding, place)
    cause = likely_cause(decoding, place)
    show_cause(cause)
    st.markdown(" ".join(filter(None, ["" if cause else meaning(decoding, place), *notes(decoding)])))
    for column, said in zip(
        st.columns(2, border=True), (digits_card(decoding), tolerance_card(decoding, place)), strict=True
    ):
        column.markdown(said)
    if len(decoding.pairs) > 1:
        show_table(by_component(decoding), "Table of the components: how far apart they are")
    elif (
        not decoding.are_differences and decoding.pairs and (rows := of_difference(decoding.pairs[0], decoding.format))
    ):
        st.table(rows, hide_header=True, hide_index=True, alt="Table of the difference, and tolerances")


def show_picture(decoding: Decoding, place: int | None) -> None:
    line, table = on_the_line(decoding, place), to_pick_from(decoding)
    if line or table:
        rows = len(decoding.pairs or decoding.numbers)
        table = table and table | {"picked": place_of(decoding, place)}
        with keep_room(330):
            picture("own", {"line": line, "table": table}, {"pick": partial(_pick, rows)})


def _pick(rows: int, place: object) -> None:
    if type(place) is int and place in range(rows):  # whatever a browser sends
        st.query_params["numbers_at"] = str(place)


def show_cause(cause: Found | None) -> None:
    if cause:
        with st.container(border=True):
            st.markdown(f"**Why?** {cause.sentence} *{cause.strength}*")
            for to in cause.links:
                label = SUBJECTS[to.study].label if to.study in SUBJECTS else LABEL
                st.button(
                    to.words, key=f"on to {to.study} {to.section}", on_click=jump, args=(label, to.study, to.section)
                )


def jump(tab: str, study: str, section: str) -> None:
    """Open a tab and a section or a card of it, by the key in the link."""
    st.session_state["tab"] = tab
    if section:
        st.session_state[section] = True
        st.session_state[f"card of {study}"] = section
