"""The tab *Check your own*: one box for whatever was printed, read as numbers and brackets and never run."""

from functools import partial

import streamlit as st

from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.experiment.studies import SUBJECTS
from lib.floats.sentences import plain, quoted
from lib.page import link
from lib.page.live import keep_room, picture
from lib.paste.answer import FITS, Answer, answer
from lib.paste.causes import Cause
from lib.paste.line import picture as on_the_line
from lib.paste.read import PasteError
from lib.paste.verdict import Verdict

TAB = "own"
LABEL = "Check your own"
CLAIM = "Two numbers, a matrix, an error: rounding, or a bug?"
EXAMPLES = {
    "two numbers differ": "-0.0086  -0.0086  9.3132e-10",
    "rows all the same": "tensor([[10., 18.],\n        [10., 18.],\n        [10., 18.],\n        [10., 18.]])",
    "allclose fails": (
        "a = tensor([0.1205, 0.8839, -0.2471])\nb = tensor([0.1205, 0.8839, -0.2471])\n"
        "assert torch.allclose(a, b, rtol=0, atol=1e-8)\nmax difference: tensor(5.9605e-08)"
    ),
    "differs in a batch": (
        "alone    tensor([0.50312674, 0.49187315, 0.51760387])\nin batch tensor([0.50312680, 0.49187312, 0.51760387])"
    ),
    "zero gradient": "x.grad: tensor([0., 0., 0., 0.])",
    "NaN": "tensor([nan, 1., 2.])",
    "gradcheck fails": (
        "torch.autograd.gradcheck.GradcheckError: Jacobian mismatch for output 0 with respect to input 0,\n"
        "numerical:tensor([[0.9537, 0.0000],\n        [0.0000, 1.0729]])\n"
        "analytical:tensor([[1., 0.],\n        [0., 1.]])"
    ),
}
"""Real pastes, by their symptoms."""

FROM_PYTHON = """from lib.own import compare

compare(net, x)  # your own network: rounding, or not?"""

COLOURS = {Verdict.ROUNDING: "green", Verdict.NOT_ROUNDING: "violet", Verdict.MORE_DIGITS: "orange"}


def show() -> None:
    st.title(CLAIM, anchor=False)
    chosen = st.pills(
        "Try one", list(EXAMPLES), key="numbers", bind="query-params", label_visibility="collapsed", wrap=False
    )
    box = keep_room(122)
    text = box.text_area(
        "Whatever was printed: numbers, vectors, a Jacobian, a shape, a failed test",
        EXAMPLES.get(chosen or "", ""),
        key=f"paste {chosen}",
        placeholder=EXAMPLES["two numbers differ"],
        height=90,
        help="As Python, NumPy, JSON or PyTorch prints it. It is read as numbers and brackets, never run.",
    )
    text = str(text or "") if str(text or "").strip() else EXAMPLES["two numbers differ"]
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
        show_answer(answer(text, str(dtype), link.number(st.query_params.get("numbers_at"), 10_000)))
    except PasteError as error:
        st.error(quoted(str(error), error.shown))
    with st.container(border=True):
        st.markdown("**Your own network?** From Python, on the network itself:")
        st.code(FROM_PYTHON, language="python")


def show_answer(found: Answer) -> None:
    """Show one verdict, one sentence, one picture, and what next."""
    if found.verdict:
        st.header(f":{COLOURS[found.verdict]}[{found.verdict.value}]", anchor=False)
        st.markdown(plain(found.sentence))
    else:
        st.subheader(plain(found.sentence), anchor=False)
    show_picture(found)
    told = [found.measured, FITS if found.verdict else "", found.read_as, *found.kind.notes]
    st.caption(plain(" ".join(filter(None, told))))
    show_next(found.cause)


def show_picture(found: Answer) -> None:
    line, rows = on_the_line(found), len(found.kind.pairs)
    with keep_room(330 if line else 60):
        drawing = {"line": line, "table": found.table, "read": found.marks}
        picture("own", drawing, {"pick": partial(_pick, rows)})


def _pick(rows: int, place: object) -> None:
    if type(place) is int and place in range(rows):  # whatever a browser sends
        st.query_params["numbers_at"] = str(place)


def show_next(cause: Cause) -> None:
    if cause.do:
        st.code(cause.do, language="python")
    with st.container(horizontal=True):
        for to in cause.links:
            label = SUBJECTS[to.study].label
            st.button(to.words, key=f"on to {to.study} {to.section}", on_click=jump, args=(label, to.study, to.section))


def jump(tab: str, study: str, section: str) -> None:
    """Open a tab and a section or a card of it, by the key in the link."""
    st.session_state["tab"] = tab
    if section:
        st.session_state[section] = True
        st.session_state[f"card of {study}"] = section
