"""The tab *Check your own*: paste printed values, or measure your own code."""

from functools import partial

import streamlit as st

from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.experiment.studies import TAB_STUDIES
from lib.floats.sentences import plain, quoted
from lib.page import link
from lib.page.controls import BOUND
from lib.page.drawings import draw, renderer
from lib.page.shared import SCROLL_TO
from lib.paste.answer import Answer, answer
from lib.paste.causes import Cause, Link, Verdict
from lib.paste.examples import EXAMPLES, FIRST
from lib.paste.picture import drawing
from lib.paste.printed import PasteError

MEASURE = """from lib.own import compare
print(compare(net, x))
print(compare(ways=(f, g), x=x))"""

IN_A_CLONE = (
    "The clone has `lib`. `net` is your network and x its input. "
    "`ways` are two functions that should be the same."
)

MOST_IN_A_LINK = 1_000
"""The most characters of a text for which a link is offered: proxies refuse long addresses."""


def show() -> None:
    st.header("Is it rounding, or a bug?", anchor=False)
    code, numbers = st.columns(2, vertical_alignment="bottom")
    with code:
        st.markdown("**Have the code?** Measure it in a clone of this app:", help=IN_A_CLONE)
        st.code(MEASURE, language=None, height=101)
    with numbers:
        with st.container(
            horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
        ):
            st.markdown("**Have numbers?** Paste them:", width="content")
            dtype = choose_dtype()
        text = show_box()
    example = next((name for name, paste in EXAMPLES.items() if paste == text), None)
    show_examples(example)
    update_address(text, example)
    try:
        # A text, and the places of the two values picked in it.
        picked_in, places = st.session_state.get("picked values", (None, None))
        show_result(answer(text, dtype, places if picked_in == text else None))
    except PasteError as error:
        st.error(quoted(str(error), error.shown))
    show_link(text)


def choose_dtype() -> str:
    """Draw the choice of the dtype in which the numbers are read, and return its name."""
    shown = st.session_state.get("numbers_dtype") or st.query_params.get("numbers_dtype")
    shown = shown if shown in DTYPES else Experiment.dtype
    with st.popover(f"read as :primary[**{shown}**]", type="tertiary", key="choose numbers_dtype"):
        chosen = st.radio(
            "dtype, if the text names none",
            DTYPES,
            list(DTYPES).index(Experiment.dtype),
            captions=[row.about for row in DTYPES.values()],
            key="numbers_dtype",
            **BOUND,
        )
    return str(chosen)


def show_box() -> str:
    """Draw the text box, and return its text."""
    # The text in the address changes when a link is opened or Back is pressed.
    address_changed = st.session_state.get("text parameters") != text_parameters()
    if "text" not in st.session_state or (address_changed and any(text_parameters())):
        fill(text_in_address())

    def take() -> None:
        st.session_state["text"] = str(st.session_state["paste box"].text)

    text = st.session_state["text"]
    data = {
        "text": text,
        # A new revision makes the box take the text.
        "revision": st.session_state["text revision"],
        "placeholder": f"Such as {EXAMPLES[FIRST]}",
    }
    # `st.text_area` does not answer while the visitor types.
    renderer("paste_box")(key="paste box", data=data, height=100, on_text_change=take)
    return text.strip("\n")


def text_parameters() -> tuple[str | None, str | None]:
    """Return the two parameters of the address for a text: the text, and an example's name."""
    return st.query_params.get("paste"), st.query_params.get("numbers")


def fill(text: str) -> None:
    """Put a text into the box."""
    st.session_state["text"] = text
    st.session_state["text revision"] = st.session_state.get("text revision", 0) + 1


def text_in_address() -> str:
    """Return the text in the link, or else the example that it names, or else the first."""
    shared, example = text_parameters()
    return (shared or "").strip("\n") or EXAMPLES.get(example or "", EXAMPLES[FIRST])


def show_examples(example: str | None) -> None:
    """Draw the examples, and mark the one in the box."""

    def take() -> None:
        if chosen := st.session_state["example"]:
            fill(EXAMPLES[chosen])

    st.session_state["example"] = example
    st.pills(
        "Try an example",
        EXAMPLES,
        key="example",
        on_change=take,
        wrap=False,
        label_visibility="collapsed",
    )


def update_address(text: str, example: str | None) -> None:
    """Write the name of the example to the address. Remove a text that is no longer in the box."""
    if st.query_params.get("paste", "").strip("\n") != text:
        link.remove("paste")
    if example:
        st.query_params["numbers"] = example
    else:
        link.remove("numbers")
    st.session_state["text parameters"] = text_parameters()


def show_result(result: Answer) -> None:
    """Draw the verdict, its reason, the text with its values, a drawing, and what to do next."""
    title = result.cause.title
    if result.verdict is Verdict.NOT_ROUNDING:
        title = f":violet[{title}]"
    st.subheader(title, anchor=False)
    st.markdown(plain(result.sentence))
    press = "Press two values in your text to compare them." if len(result.values) > 1 else ""
    pick = partial(compare_places, result.text)
    draw("own", drawing(result), height=140, on_pick=pick)
    # Drawn even if it is empty, so that the elements below keep their identity and the focus.
    st.caption(plain(" ".join([*result.notes, press])))
    # Drawn even after it was pressed, so that it keeps the focus.
    if st.session_state.get("picked values", (None, None))[0] == result.text:
        st.button("Clear both values", on_click=pick, args=(None,))
    show_next(result.cause)


def compare_places(text: str, places: object) -> None:
    """Compare the two values that the visitor pressed.

    Args:
        text: the text in which they were pressed.
        places: the indices of both values, or None to clear the choice. Anything else is ignored,
            since a browser may send anything.
    """
    match places:
        case [int(first), int(second)]:
            st.session_state["picked values"] = text, (first, second)
        case None:
            st.session_state["picked values"] = text, None


def show_next(cause: Cause) -> None:
    if cause.do:
        st.markdown("**What to do**")
        st.code(cause.do, language=None, wrap_lines=True)
    if cause.link:
        st.button(f"{cause.link.words} →", on_click=jump, args=(cause.link,))


def jump(target: Link) -> None:
    """Open the tab of a cause, and its section, if any."""
    st.session_state["tab"] = TAB_STUDIES[target.study].label
    if target.section:
        st.session_state[target.section] = True
        st.session_state[SCROLL_TO] = target.section
        # The state opens the section, but does not write it into the address.
        st.query_params[target.section] = "true"


def show_link(text: str) -> None:
    """Draw a button that puts the text into the address. For privacy, nothing else does.

    The button stays after it was pressed, so that it keeps the focus.
    """
    st.button(
        "Put this text into the address",
        help=f"A link has room for {MOST_IN_A_LINK:,} characters.",
        type="tertiary",
        on_click=st.query_params.update,
        args=({"paste": text},),
        disabled=not 0 < len(text) <= MOST_IN_A_LINK,
    )
    if st.query_params.get("paste") == text:
        st.caption("The address is now a link to this text. Whoever has it can read the text.")
