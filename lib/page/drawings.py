"""Drawings: components whose code is an ES module in `static/`, which Streamlit serves.

NOTE [versions]: after an upgrade, the cache of a browser may still hold modules of the previous
version. The page therefore loads `name.js?v=…` with a hash of all files in `static/`, and each
module imports the others with the same hash. All modules on a page are then of one version.
"""

from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from lib.floats.charts import COLOURS

STATIC = Path(__file__).parents[2] / "static"

_CODE = """
const file = new URL('app/static/{name}.js?v={version}', document.baseURI);
export default component => {{ import(file).then(({{draw}}) => draw(component)); }};
"""
_SHADES = (f"--{name}: light-dark({light}, {dark});" for name, (light, dark) in COLOURS.items())
_COLOURS = f".drawing {{ {' '.join(_SHADES)} }}"


def draw(
    name: str, data: Mapping[str, Any], *, height: int, on_pick: Callable[[Any], None] | None = None
) -> None:
    """Draw a drawing.

    Args:
        name: the name of its module in `static/`.
        data: the data of the drawing, as values that JSON can represent.
        height: the least height in pixels, which an empty column of one pixel holds, so that the
            page does not shift when the module is loaded.
        on_pick: called with the value of the element that the visitor presses. Check the value:
            a browser may send anything.
    """
    key = f"drawing {name}"

    def pick() -> None:
        value = st.session_state[key].pick
        if on_pick and value is not None:
            on_pick(value)

    with st.container(horizontal=True, wrap=False, gap=None):
        place = st.container()
        st.container(width=1, height=height, border=False)
    with place:
        drawing(name)(key=key, data=data, height="content", on_pick_change=pick)


def component(name: str, html: str = "", css: str | None = None) -> ComponentRenderer:
    """Return a component whose code is a module of `static/`.

    Args:
        name: the name of the component and of its module.
        html: what the module finds in its element.
        css: the style sheet of the element alone.
    """
    return st.components.v2.component(
        name, html=html, css=css, js=_CODE.format(name=name, version=version())
    )


@cache
def version() -> str:
    """Return a hash of all files in `static/`."""
    content = sha256()
    for file in sorted(STATIC.iterdir()):
        content.update(file.read_bytes())
    return content.hexdigest()[:12]


@cache
def drawing(name: str) -> ComponentRenderer:
    """Return the component of a drawing, with an empty element to draw in and its style sheets."""
    sheets = [(STATIC / f"{sheet}.css").read_text() for sheet in ("style", "bits", name)]
    css = "\n".join([_COLOURS, *sheets])
    return component(name, f'<div class="drawing {name}"></div>', css)
