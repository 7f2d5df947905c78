"""The tab *Check your own*: measure your own code, or paste printed values."""

from functools import partial
from urllib.parse import urlencode

import streamlit as st

from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.experiment.studies import SUBJECTS
from lib.floats.sentences import quoted
from lib.page.drawings import draw, room
from lib.page.link import remove
from lib.page.widgets import BOUND
from lib.paste.answer import Answer, answer
from lib.paste.causes import Cause, Link, Verdict
from lib.paste.picture import drawing as drawing_of
from lib.paste.printed import PasteError

TAB = "Check your own"

CLAIM = "Is it rounding, or a bug?"
EXAMPLES = {
    "two numbers differ": "backward -0.0086  jacobian -0.0086\ndifference 9.3132e-10",
    "rows all the same": (
        "tensor([[10., 18.],\n        [10., 18.],\n        [10., 18.],\n        [10., 18.]])"
    ),
    "assert_close fails": (
        "AssertionError: Tensor-likes are not close!\n\nMismatched elements: 1 / 6 (16.7%)\n"
        "Greatest absolute difference: 5.9604644775390625e-08 at index (3,) (up to 1e-08 allowed)\n"
        "Greatest relative difference: 1.7881393432617188e-07 at index (3,) (up to 1e-07 allowed)"
    ),
    "differs in a batch": (
        "alone    tensor([0.50312674, 0.49187315, 0.51760387])\n"
        "in batch tensor([0.50312680, 0.49187312, 0.51760387])"
    ),
    "a difference alone": "max abs diff: 2.9802e-08",
    "zero gradient": "x.grad: tensor([0., 0., 0., 0.])",
    "NaN": "tensor([nan, 1., 2.])",
    "gradcheck fails": (
        "torch.autograd.gradcheck.GradcheckError: "
        "Jacobian mismatch for output 0 with respect to input 0,\n"
        "numerical:tensor([[0.9537, 0.0000],\n        [0.0000, 1.0729]])\n"
        "analytical:tensor([[1., 0.],\n        [0., 1.]])"
    ),
}
"""Texts that people really pasted, by their symptom."""

FIRST = "two numbers differ"
"""The example that an empty box stands for."""

MEASURE = """from lib.own import compare
print(compare(net, x))
print(compare(ways=(f, g), x=x))"""

IN_A_CLONE = (
    "Run it in a clone of this app's repository. `net` is your network and x its input: "
    "`backward()` is compared with the summed Jacobian, and both with float64. "
    "With `ways`, two functions that should be the same are compared."
)

HEIGHT = 284
"""Pixels of the text box and the controls below it."""

MOST_IN_A_LINK = 1_000
"""The largest number of characters of a text that a link can carry."""


def show() -> None:
    st.title(CLAIM, anchor=False)
    numbers, judged = st.columns([9, 11], gap="large")
    with numbers, room(HEIGHT):
        text, dtype = show_box()
    with judged:
        try:
            picked_in, places = st.session_state.get("picked values", ("", None))
            show_answer(answer(text, dtype, places if picked_in == text else None))
        except PasteError as error:
            st.error(quoted(str(error), error.shown))
    show_link(text, dtype)
    st.markdown("**Code?** Measure it:")
    st.code(MEASURE, language=None, wrap_lines=True)
    st.markdown(IN_A_CLONE)


def show_box() -> tuple[str, str]:
    """Draw the text box, and return its text, or the first example if it is empty, and the dtype
    in which the text is read."""
    text = st.text_area(
        "**Numbers?** Paste them:",
        text_in_address(),
        key="text",
        placeholder=f"Such as {EXAMPLES[FIRST]}",
        on_change=forget_address,
        persist_state="session",
    )
    st.pills("Try", EXAMPLES, key="example", on_change=take_example, wrap=False)
    dtype = st.selectbox(
        "Read as, where the text names no dtype",
        list(DTYPES),
        list(DTYPES).index(Experiment.dtype),
        key="numbers_dtype",
        **BOUND,
    )
    return str(text).strip("\n") or EXAMPLES[FIRST], str(dtype)


def text_in_address() -> str:
    """Return the text in the link, or else the example that it names, or else the first."""
    shared = st.query_params.get("paste", "").strip("\n")
    if len(shared) > MOST_IN_A_LINK:
        st.error(
            f"The link has a text of {len(shared):,} characters; "
            f"at most {MOST_IN_A_LINK:,} are allowed."
        )
        shared = ""
    return shared or EXAMPLES.get(st.query_params.get("numbers", ""), EXAMPLES[FIRST])


def forget_address() -> None:
    """Remove the text of the link, which is no longer in the box, from the address."""
    st.session_state["example"] = None
    remove("paste", "numbers")


def take_example() -> None:
    example = st.session_state["example"]
    if example in EXAMPLES:
        bring(example)


def show_invitation(words: str, example: str) -> None:
    """Draw a button in another tab that opens this one.

    Args:
        words: its label.
        example: the name of the example to show.
    """
    icon = ":material/arrow_forward:"
    st.button(words, type="tertiary", icon=icon, on_click=bring, args=(example,))


def bring(example: str) -> None:
    """Open this tab with one of its examples."""
    st.session_state.update({"tab": TAB, "text": EXAMPLES[example], "example": example})
    remove("paste", "numbers")


def show_answer(result: Answer) -> None:
    """Draw the verdict, its reason, the text with its values, a drawing, and what to do next."""
    title = result.cause.title
    if title and result.verdict is Verdict.NOT_ROUNDING:
        title = f":violet[{title}]"
    if title:
        st.header(title, anchor=False)
    st.markdown(result.sentence)
    press = "Press two values in your text to compare them." if len(result.values) > 1 else ""
    # Drawn even if it is empty, so that the elements below keep their identity and the focus.
    st.caption(" ".join([*result.notes, press]))
    draw("own", drawing_of(result), 140, partial(compare_places, result.text))
    show_next(result.cause)


def compare_places(text: str, places: object) -> None:
    """Compare the two values that the visitor pressed.

    Args:
        text: the text in which they were pressed.
        places: the indices of both values. Anything else is ignored, since a browser may send
            anything.
    """
    match places:
        case [int(first), int(second)]:
            st.session_state["picked values"] = text, (first, second)


def show_next(cause: Cause) -> None:
    if cause.do:
        st.markdown("**What to do**")
        st.code(cause.do, language=None, wrap_lines=True)
    if cause.link:
        st.button(cause.link.words, on_click=jump, args=(cause.link,))


def jump(link: Link) -> None:
    """Open the tab that a link names, and its section, if any."""
    st.session_state["tab"] = SUBJECTS[link.study].label
    if link.section:
        st.session_state[link.section] = True
        st.query_params[link.section] = "true"


def show_link(text: str, dtype: str) -> None:
    """Draw a menu with a link to the text, which is in no address until somebody follows it."""
    if len(text) > MOST_IN_A_LINK:
        st.caption(
            f"A link has room for {MOST_IN_A_LINK:,} characters, and this text has {len(text):,}."
        )
        return
    query = urlencode({"tab": TAB, "numbers_dtype": dtype, "paste": text})
    with st.popover("A link to this text", type="tertiary"):
        st.caption("Whoever has this link can read your text:")
        st.code(f"{(st.context.url or '').rstrip('/')}/?{query}", language=None, wrap_lines=True)
