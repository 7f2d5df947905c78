"""The tab *Check your own*: one box for whatever was printed, read as numbers and brackets and never run."""

from functools import partial

import streamlit as st

from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.experiment.studies import SUBJECTS
from lib.floats.sentences import quoted
from lib.page import link
from lib.page.controls import BOUND, show_chips
from lib.page.live import keep_room, picture
from lib.paste.answer import FITS, Answer, answer
from lib.paste.causes import Cause, Verdict
from lib.paste.picture import picture as on_the_line
from lib.paste.printed import PasteError

CLAIM = "Rounding, or a bug? Paste what was printed."
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

FIRST = "two numbers differ"
"""What the box has for a visitor who brings nothing."""

FROM_PYTHON = "from lib.own import compare\n\nprint(compare(net, x))  # your network, and its input"

LOOKS = {Verdict.ROUNDING: "text-second", Verdict.NOT_ROUNDING: "text-differ", Verdict.MORE_DIGITS: "text-first"}


def show() -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.title(CLAIM, anchor=False, width="content")
        dtype = choose_dtype()
    chosen = next((one for one in EXAMPLES if one == st.query_params.get("numbers")), FIRST)
    text = keep_room(114).text_area(
        "Two numbers, a matrix or an error message, as printed",
        EXAMPLES[chosen],
        key=link.keep(f"paste {chosen}"),
        placeholder=f"Paste numbers, a Jacobian, a shape, a failed test; like {EXAMPLES[FIRST]}",
        height="content",
        persist_state="session",
    )
    with keep_room(40).container(horizontal=True, wrap=False, vertical_alignment="center", gap="xsmall"):
        st.markdown("Try", width="content")
        show_chips(EXAMPLES, link.bring, chosen)
    text = str(text or "") if str(text or "").strip() else EXAMPLES[FIRST]
    try:
        of, sides = st.session_state.get("picked", ("", None))
        place = link.number(st.query_params.get("numbers_at"), 10_000)
        show_answer(answer(text, dtype, place, sides if of == text else None))
    except PasteError as error:
        st.error(quoted(str(error), error.shown))
    with keep_room(1), st.container(border=True):
        st.markdown("**Your own network: rounding, or not?** In Python, in a clone of this app's repository:")
        st.code(FROM_PYTHON, language=None, wrap_lines=True)


def choose_dtype() -> str:
    shown = st.session_state.get("numbers_dtype") or st.query_params.get("numbers_dtype")
    shown = shown if shown in DTYPES else Experiment.dtype
    with st.popover(f"read as :primary[**{shown}**]", type="tertiary", key="choose numbers_dtype"):
        label, captions = "dtype, where the paste names none", [row.about for row in DTYPES.values()]
        start = list(DTYPES).index(Experiment.dtype)
        chosen = st.radio(label, list(DTYPES), start, captions=captions, key=link.keep("numbers_dtype"), **BOUND)
    return str(chosen)


def show_answer(found: Answer) -> None:
    """Show one verdict, one sentence, one picture, and what next."""
    line = on_the_line(found)
    told = ["" if line else found.measured, FITS if found.verdict else "", found.read_as, *found.kind.notes]
    drawing = {
        "verdict": found.verdict.value if found.verdict else "",
        "look": LOOKS[found.verdict] if found.verdict else "",
        "sentence": found.sentence,
        "line": line,
        "table": found.table,
        "read": found.marks,
        "picked": found.sides is not None,
        "told": " ".join(filter(None, told)),
    }
    with keep_room(232 if line else 130):
        picture("own", drawing, {"pick": partial(_pick, found), "compare": partial(_compare, found)})
    show_next(found.cause)


def _pick(found: Answer, place: object) -> None:
    if type(place) is int and place in range(len(found.kind.pairs or ())):  # whatever a browser sends
        st.query_params["numbers_at"] = str(place)


def _compare(found: Answer, sides: object) -> None:
    match sides:
        case [int(one), int(other)]:
            st.session_state["picked"] = found.reading.text, (one, other)
        case None:
            st.session_state.pop("picked", None)


def show_next(cause: Cause) -> None:
    if cause.do:
        st.markdown("**What to do**")
        keep_room(1).code(cause.do, language=None, wrap_lines=True)
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
