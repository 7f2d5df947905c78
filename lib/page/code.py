"""The JavaScript and CSS of the live parts, put together for each picture: no build step, no file that is fetched."""

from functools import cache
from hashlib import sha256
from pathlib import Path

PIECES: dict[str, tuple[str, ...]] = {
    "": (),
    "opening": ("small_example", "bits", "drift", "network", "histogram", "opening"),
    "pitfall": ("flows", "populations", "pitfall"),
    "batch": ("sum_tree", "walks", "stairs", "batch"),
    "derivative": ("float_line", "labelled_line", "error_curve", "range", "range_figures", "derivative"),
    "own": ("intervals", "own"),
}
"""The pieces of each picture, in the order in which they are joined."""

_HERE = Path(__file__).parent


def _read(*names: str) -> str:
    """Join files, without what only their readers need."""
    text = "\n".join((_HERE / name).read_text("utf-8") for name in names)
    return "\n".join(line for line in map(str.strip, text.splitlines()) if line and not line.startswith("//"))


@cache
def code_of(picture: str) -> tuple[str, str]:
    """Return what draws a live part with this picture, and its style sheet."""
    pieces = _read(*(f"pictures/{piece}.js" for piece in ("kit", *PIECES[picture])), "live.js")
    styles = _read("pictures/style.css", *([f"pictures/{picture}.css"] if picture else []), "live.css")
    return f"const DRAW = {{}};\n{pieces}", styles


STUB = _read("stub.js")


@cache
def name_of(content: str) -> str:
    """Return the name under which a browser keeps a piece of a message."""
    return sha256(content.encode()).hexdigest()[:12]
