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
    "own": ("intervals", "components", "own"),
}
"""The pieces of each picture, in the order in which they are joined."""

_HERE = Path(__file__).parent
STUB = (_HERE / "stub.js").read_text("utf-8")


def _read(*names: str) -> str:
    return "\n".join((_HERE / "pictures" / name).read_text("utf-8") for name in names)


@cache
def code_of(picture: str) -> tuple[str, str]:
    """Return what draws a live part with this picture, and its style sheet."""
    live = (_HERE / "live.js").read_text("utf-8")
    pieces = _read("kit.js", *(f"{piece}.js" for piece in PIECES[picture]))
    styles = _read("style.css", *([f"{picture}.css"] if picture else []))
    return f"const DRAW = {{}};\n{pieces}\n{live}", f"{styles}\n{(_HERE / 'live.css').read_text('utf-8')}"


@cache
def name_of(content: str) -> str:
    """Return the name under which a browser keeps a piece of a message."""
    return sha256(content.encode()).hexdigest()[:12]
