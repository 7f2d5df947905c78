"""Pictures: small components that draw what `lib` hands them as data, and compute no numbers.

A picture is one JavaScript module without a build step: `kit.js`, which all pictures share, then its pieces, then a
file of the picture's own name, which arranges the pieces and exports the function that draws.
"""

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import streamlit as st

PIECES: dict[str, tuple[str, ...]] = {
    "opening": ("bits", "drift", "cursor", "network", "histogram"),
    "pitfall": ("flows", "populations"),
    "own": ("intervals", "components"),
    "batch": ("sum_tree", "float_line", "labelled_line", "stairs"),
    "derivative": ("float_line", "labelled_line", "error_curve", "range", "range_figures"),
}
"""The pieces of each picture, in the order in which they are joined."""

_FILES = Path(__file__).with_name("pictures")


def _read(*names: str) -> str:
    return "\n".join((_FILES / name).read_text("utf-8") for name in names if (_FILES / name).exists())


_CODE = {name: _read("kit.js", *(f"{piece}.js" for piece in PIECES[name]), f"{name}.js") for name in PIECES}
_STYLES = {name: _read("style.css", f"{name}.css") for name in PIECES}
_LENT_AS = {name: f"{name} {sha256((_CODE[name] + _STYLES[name]).encode()).hexdigest()[:12]}" for name in PIECES}
"""A browser keeps a picture's code under this name, so that a page left open over an update gets the new code."""


def _lender(name: str) -> Callable[..., Any]:
    """Declare the component that brings the code of a picture to the browser."""
    js = _CODE[name].replace("export default function", "const arrange = function", 1) + _read("lend.js")
    return st.components.v2.component(f"last_bit_code_of_{name}", html="<i></i>", js=js)


def _borrower(name: str) -> Callable[..., Any]:
    """Declare the component that shows a picture."""
    js = f"const NAME = {json.dumps(_LENT_AS[name])};\n{_read('borrow.js')}"
    return st.components.v2.component(f"last_bit_{name}", html='<div class="picture"></div>', js=js)


_LENDERS = {name: _lender(name) for name in PIECES}
_BORROWERS = {name: _borrower(name) for name in PIECES}


def send_code(name: str) -> None:
    """Send the code of a picture, which is large, once for all the times that the picture is drawn."""
    with st.container(key=f"code_of_{name}"):
        _LENDERS[name](data={"name": _LENT_AS[name], "style": _STYLES[name]}, key=f"code of {name}", height="content")


def draw_picture(name: str, data: Mapping[str, Any], key: str, **on_trigger: Callable[[], None]) -> Any:
    """Draw a picture from JSON data, and return what its triggers sent in this run.

    `on_pick=callback` runs the callback when the picture sends `setTriggerValue("pick", value)`. A trigger's value is
    there in one run only: the callback reads it as `st.session_state[key]["pick"]`.

    The page that shows it has to send its code, by `send_code`.
    """
    return _BORROWERS[name](data=data, key=key, height="content", **on_trigger)
