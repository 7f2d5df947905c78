"""The tab *Check your own*: measure with your own code, or paste what was printed."""

from functools import partial
from urllib.parse import urlencode

import streamlit as st

from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.experiment.studies import SUBJECTS
from lib.floats.sentences import quoted
from lib.page import link
from lib.page.controls import BOUND, show_chips
from lib.page.live import keep_room, picture
from lib.paste.answer import Answer, answer
from lib.paste.causes import Cause, Link, Verdict
from lib.paste.picture import picture as on_the_line
from lib.paste.printed import PasteError

CLAIM = "Is it rounding, or a bug?"
EXAMPLES = {
    "two numbers differ": "-0.0086  -0.0086  9.3132e-10",
    "rows all the same": "tensor([[10., 18.],\n        [10., 18.],\n        [10., 18.],\n        [10., 18.]])",
    "assert_close fails": (
        "AssertionError: Tensor-likes are not close!\n\nMismatched elements: 1 / 6 (16.7%)\n"
        "Greatest absolute difference: 5.9604644775390625e-08 at index (3,) (up to 1e-08 allowed)\n"
        "Greatest relative difference: 1.7881393432617188e-07 at index (3,) (up to 1e-07 allowed)"
    ),
    "differs in a batch": (
        "alone    tensor([0.50312674, 0.49187315, 0.51760387])\nin batch tensor([0.50312680, 0.49187312, 0.51760387])"
    ),
    "a difference alone": "max abs diff: 2.9802e-08",
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

MEASURE = """from lib.own import compare
print(compare(net, x))
print(compare(ways=(f, g), x=x))"""

IN_A_CLONE = (
    "In a clone of this app's repository. `net` is your network and x its input: `backward()` is compared with the "
    "Jacobian. With `ways`, two functions that should be the same are compared."
)

MOST_IN_A_LINK = 1_000
"""Characters of a paste that a link may have."""


def show() -> None:
    st.title(CLAIM, anchor=False)
    code, numbers = st.columns(2, border=True)
    with code:
        st.markdown("**Your code**, measured again in float64:", help=IN_A_CLONE)
        keep_room(96).code(MEASURE, language=None, wrap_lines=True)
    with numbers:
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown("**Your numbers**, as printed:", width="content")
            dtype = choose_dtype()
        text = show_box()
    show_examples(text)
    try:
        picked, places = st.session_state.get("picked", ("", None))
        show_answer(answer(text, dtype, places if picked == text else None))
    except PasteError as error:
        st.error(quoted(str(error), error.shown))
    show_link(text, dtype)


def show_box() -> str:
    """Show the box, and return its text, or the first example if it is empty."""
    fill_box()
    text = keep_room(114).text_area(
        "What was printed",
        key=link.keep("paste"),
        placeholder=f"Two numbers, a Jacobian, a shape, a failed check; like {EXAMPLES[FIRST]}",
        height="content",
        label_visibility="collapsed",
        persist_state="session",
    )
    return str(text or "").strip("\n")


def show_examples(text: str) -> None:
    """Show the examples, of which the one in the box is lit, and keep the address up to date."""
    example = next((name for name, paste in EXAMPLES.items() if paste == text), None)
    with keep_room(40).container(horizontal=True, wrap=False, vertical_alignment="center", gap="xsmall"):
        st.markdown("Try", width="content")
        show_chips(EXAMPLES, link.bring, example)
    shared = text if st.query_params.get("paste", "").strip("\n") == text else None
    link.put({"numbers": example, "paste": shared})


def fill_box() -> None:
    """Put a text into the box where the visitor has none: of a button, of the link, or the first."""
    brought = st.session_state.pop("brought", None)
    if brought not in EXAMPLES and "paste" in st.session_state and not link.went_back():
        return
    shared = st.query_params.get("paste", "").strip("\n")
    if len(shared) > MOST_IN_A_LINK:
        st.error(f"The link has a text of {len(shared):,} characters; at most {MOST_IN_A_LINK:,} are allowed.")
        shared = ""
    example = brought or st.query_params.get("numbers")
    shown = EXAMPLES[example] if example in EXAMPLES else EXAMPLES[FIRST]
    st.session_state["paste"] = shown if brought or not shared else shared


def choose_dtype() -> str:
    shown = st.session_state.get("numbers_dtype") or st.query_params.get("numbers_dtype")
    shown = shown if shown in DTYPES else Experiment.dtype
    with st.popover(f"read as :primary[**{shown}**]", type="tertiary", key="choose numbers_dtype"):
        label = "dtype, where the paste names none"
        captions = [row.about for row in DTYPES.values()]
        start = list(DTYPES).index(Experiment.dtype)
        chosen = st.radio(label, list(DTYPES), start, captions=captions, key=link.keep("numbers_dtype"), **BOUND)
    return str(chosen)


def show_answer(found: Answer) -> None:
    """Show one title, one sentence, the text with its values to press, one picture, and what next."""
    line = on_the_line(found)
    drawing = {
        "title": found.cause.title,
        "look": "text-differ" if found.verdict is Verdict.NOT_ROUNDING else "",
        "sentence": found.sentence,
        "line": line,
        "read": found.pieces,
        "picked": found.places is not None,
        "told": " ".join(found.notes),
    }
    with keep_room(232 if line else 130):
        picture("own", drawing, {"compare": partial(compare_places, found)})
    show_next(found.cause)


def compare_places(found: Answer, places: object) -> None:
    """Compare two values that were pressed; a browser may send anything."""
    match places:
        case [int(first), int(second)]:
            st.session_state["picked"] = found.text, (first, second)
        case None:
            st.session_state.pop("picked", None)


def show_next(cause: Cause) -> None:
    if cause.do:
        st.markdown("**What to do**")
        keep_room(1).code(cause.do, language=None, wrap_lines=True)
    if cause.link:
        label = SUBJECTS[cause.link.study].label
        st.button(cause.link.words, key=f"on to {cause.link.study}", on_click=jump, args=(label, cause.link))


def jump(tab: str, to: Link) -> None:
    """Open a tab and a section or a card of it, by the key in the link."""
    st.session_state["tab"] = tab
    if to.section:
        st.session_state[to.section] = True
        st.session_state[f"card of {to.study}"] = to.section


def show_link(text: str, dtype: str) -> None:
    """Show a link to this text, if the visitor asks for it: the text leaves the machine with the link."""
    if len(text) > MOST_IN_A_LINK:
        st.caption(f"A link has room for {MOST_IN_A_LINK:,} characters, and this text has {len(text):,}.")
        return
    if st.query_params.get("paste") != text:
        st.button("Copy a link to this", key="share paste", type="tertiary", on_click=link.put, args=({"paste": text},))
        return
    query = urlencode({"tab": link.OWN, "numbers_dtype": dtype, "paste": text})
    st.caption("Whoever has this link can read your text:")
    st.code(f"{(st.context.url or '').rstrip('/')}/?{query}", language=None, wrap_lines=True)
