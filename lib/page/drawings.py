"""Drawings: Streamlit components whose code is an ES module in `static/`, which Streamlit serves.

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
_SHADES = [f"--{name}: light-dark({light}, {dark});" for name, (light, dark) in COLOURS.items()]
_SHADES_CSS = f".drawing {{ {' '.join(_SHADES)} }}"


def draw(
    name: str, data: Mapping[str, Any], *, height: int, on_pick: Callable[[Any], None] | None = None
) -> None:
    """Draw a drawing.

    Args:
        name: the name of its module in `static/`.
        data: the data of the drawing, as values that JSON can represent.
        height: the least height in pixels. An empty column, one pixel wide, has this height, so
            that the page does not shift while the module is loaded.
        on_pick: called with what the visitor pressed in the drawing. Check it: a browser may send
            anything.
    """
    key = f"drawing {name}"

    def pick() -> None:
        value = st.session_state[key].pick
        if on_pick and value is not None:
            on_pick(value)

    with st.container(horizontal=True, wrap=False, gap=None):
        column = st.container()
        st.container(width=1, height=height, border=False)
    with column:
        renderer(name)(key=key, data=data, height="content", on_pick_change=pick)


def browser_module(name: str, html: str = "", css: str | None = None) -> ComponentRenderer:
    """Declare a Streamlit component whose code is a module of `static/`. Call this once per name.

    Args:
        name: the name of the component and of its module.
        html: the HTML that the module draws into.
        css: a style sheet that applies to this component only.
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
def renderer(name: str) -> ComponentRenderer:
    """Return the component of a drawing: an empty element to draw into, and its style sheets.

    It is declared at the first call.

    Args:
        name: the name of its module, and of its style sheet, in `static/`.
    """
    sheets = [(STATIC / f"{sheet}.css").read_text() for sheet in ("style", "bits", name)]
    css = "\n".join([_SHADES_CSS, *sheets])
    return browser_module(name, f'<div class="drawing {name}"></div>', css)
