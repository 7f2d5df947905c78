"""The float line of one component as a picture of its own: an SVG without a script, on its own light ground.

A notebook's theme is not known to what it shows, so the picture brings its ground along and uses the light shades.
"""

from fractions import Fraction
from html import escape

from lib.display.colours import COLOURS
from lib.display.quantities import tick_text
from lib.floats.float_line import FloatLine, float_line
from lib.own.part import Part

_WIDTH, _HEIGHT, _MARGIN, _LINE = 720, 150, 40, 84
_FIRST, _SECOND, _QUIET, _INK = (COLOURS[name][0] for name in ("first", "second", "quiet", "ink"))


def svg(part: Part, component: int) -> str:
    """Return the picture: floats as ticks, both sides as ● and ■, and the result in float64, if known, as ◇."""
    one, other = (float(side[component]) for side in part.pair.values)
    name, index = part.pair.place(component)
    dtype = str(part.pair.dtype_at(component)).removeprefix("torch.")
    exact = None if part.exact is None else float(part.exact[component])
    labels = dict(zip(part.labels, (one, other), strict=True))
    line = float_line(Fraction(one if exact is None else exact), dtype, labels)
    title = f"{name}{list(index) if index else ''}, {dtype}"
    known = exact is not None
    body = [*_ticks(line), *_marks(line, part.labels), *(_exact(line) if known else [])]
    steps = "each tick is a float" if line.every == 1 else tick_text(line.every)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'style="max-width:{_WIDTH}px" font-family="sans-serif" font-size="12">'
        f"<title>The float line of {escape(title)}</title>"
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" rx="6" fill="#ffffff"/>'
        f"{_text(_MARGIN, 20, f'{title}; {steps}', _INK, 'start')}{''.join(body)}</svg>"
    )


def _x(line: FloatLine, place: float) -> float:
    first, last = line.ticks[0].at, line.ticks[-1].at
    return round(_MARGIN + (_WIDTH - 2 * _MARGIN) * (place - first) / max(last - first, 1), 2)


def _ticks(line: FloatLine) -> list[str]:
    ticks = [_stroke(_x(line, tick.at), _LINE - 6, _x(line, tick.at), _LINE + 6, _QUIET) for tick in line.ticks]
    ends = [
        _text(_x(line, tick.at), _HEIGHT - 8, tick.text, _QUIET, anchor)
        for tick, anchor in ((line.ticks[0], "start"), (line.ticks[-1], "end"))
    ]
    return [_stroke(_MARGIN, _LINE, _WIDTH - _MARGIN, _LINE, _QUIET), *ticks, *ends]


def _marks(line: FloatLine, labels: tuple[str, str]) -> list[str]:
    drawn = []
    for mark in line.marks:
        x = _x(line, mark.at)
        for name in mark.names:
            first = name == labels[0]
            shape = (
                f'<circle cx="{x}" cy="{_LINE}" r="6" fill="{_FIRST}"/>'
                if first
                else f'<rect x="{x - 4}" y="{_LINE - 4}" width="8" height="8" fill="{_SECOND}" stroke="#ffffff"/>'
            )
            y = _LINE - 14 if first else _LINE + 26
            sign = "●" if first else "■"
            drawn.append(shape + _text(x, y, f"{sign} {name} {mark.text}", _FIRST if first else _SECOND, _anchor(x)))
    return drawn


def _exact(line: FloatLine) -> list[str]:
    x = _x(line, line.exact)
    dotted = f'<path d="M{x} {_LINE - 34}V{_LINE + 8}" stroke="{_INK}" stroke-dasharray="2 3"/>'
    return [dotted, _text(x, _LINE - 38, f"◇ float64 {line.exact_text}", _INK, _anchor(x))]


def _anchor(x: float) -> str:
    return "start" if x < _WIDTH / 3 else "end" if x > 2 * _WIDTH / 3 else "middle"


def _stroke(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{colour}"/>'


def _text(x: float, y: float, text: str, colour: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="{anchor}">{escape(text)}</text>'
