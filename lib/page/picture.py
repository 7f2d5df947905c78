"""Pictures: small components that draw what `lib` hands them as data, and compute no numbers.

A picture is one JavaScript module without a build step: `kit.js`, which all pictures share, then its pieces, then a
file of the picture's own name, which arranges the pieces and exports the function that draws.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

PIECES: dict[str, tuple[str, ...]] = {
    "opening": ("bits", "drift", "cursor", "network", "histogram"),
    "pitfall": ("flows", "populations"),
    "own": ("intervals", "components"),
    "derivative": ("float_line", "derivative_line", "error_curve", "range", "range_figures"),
}
"""The pieces of each picture, in the order in which they are joined."""

_FILES = Path(__file__).with_name("pictures")


def _read(*names: str) -> str:
    return "\n".join((_FILES / name).read_text("utf-8") for name in names if (_FILES / name).exists())


def _declare(name: str) -> Callable[..., Any]:
    return st.components.v2.component(
        f"last_bit_{name}",
        html='<div class="picture"></div>',
        css=_read("style.css", f"{name}.css"),
        js=_read("kit.js", *(f"{piece}.js" for piece in PIECES[name]), f"{name}.js"),
    )


_PICTURES = {name: _declare(name) for name in PIECES}


def draw_picture(name: str, data: Mapping[str, Any], key: str, **on_trigger: Callable[[], None]) -> Any:
    """Draw a picture from JSON data, and return what its triggers sent in this run.

    `on_pick=callback` runs the callback when the picture sends `setTriggerValue("pick", value)`. A trigger's value is
    there in one run only: the callback reads it as `st.session_state[key]["pick"]`.
    """
    return _PICTURES[name](data=data, key=key, height="content", **on_trigger)
