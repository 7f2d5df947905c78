"""Which numbers of a paste are the sides of a comparison: brackets, blocks, columns or rows of a table, single values.

First come candidates, each with its numbers and its label. Of more than two of them what is least likely to be a side
is left out, step by step and as long as two are left: a setting or a coordinate, a percentage, what no word sets
against another, whole numbers beside decimals, what is said twice, and what agrees with no other.
"""

import re
from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np

from lib.paste.patterns import LABEL
from lib.paste.printed import Value
from lib.paste.read import Reading

Values = list[Value]
Fits = Callable[[Sequence[Value]], bool]
"""Whether the third of three values can be the difference of the other two."""

_WORD = re.compile(r"[^\W\d_]{2,}")
_MOST_COMPARED = 24
"""Of more numbers in a text, or more columns, it is not clear which are the sides."""

_DOTS = re.compile(r"[\s.…]*[.…][\s.…]*")  # rows that pandas leaves out
_CELLS = re.compile(r"\s*[|,;\t&]\s*|\s{2,}")


def grouped(reading: Reading, fits: Fits) -> Values:
    """Return the values of a paste that count, with numbers that belong together in one."""
    values = _stacked(_as_headed(list(reading.values)), reading)
    rows = [list(row) for _, row in groupby(values, lambda value: value.line)]
    if any(len(value.numbers) > 1 for value in values):
        table = len(rows) > 1 and len({tuple(value.shape for value in row) for row in rows}) == 1
        alike = table and len({value.shape for value in rows[0]}) == 1 < len(rows[0])
        return _of_table(rows, reading, fits) if alike else _of_two_labels(values)
    if halves := _side_by_side(rows, reading):
        return halves
    blocks = _blocks(rows, reading)
    if len(blocks) > 1 and max(map(len, blocks)) > 1 and sum(map(len, blocks)) == len(rows):
        return [_joined(block) for block in blocks]
    told = [row[0] for row in rows if len(row) == 1 and not row[0].is_side]
    rows = [row for row in rows if len(row) > 1 or row[0].is_side]
    if len({len(row) for row in rows}) == 1 < len(rows[0]) and (len(rows) > 1 or _one_row(rows[0], reading)):
        return [*_of_table(rows, reading, fits), *told]
    return narrowed(_of_two_labels(values), reading, fits)


def narrowed(values: Values, reading: Reading, fits: Fits) -> Values:
    """Leave out what is least likely to be a side, as long as two are left, and no more than needed."""
    for left_by in _RULES:
        sides = [value for value in values if value.is_side]
        if len(sides) == 3 and fits([sides[1], sides[2], sides[0]]) and _near(sides[1], sides[2]):
            return [sides[1], sides[2], sides[0], *(value for value in values if not value.is_side)]
        if not 2 < len(sides) <= _MOST_COMPARED or len(sides) == 3 and fits(sides):
            break
        left = left_by(sides, reading)
        if len(left) >= 2:
            values = [value for value in values if not value.is_side or value in left]
    return values


def _told(sides: Values, reading: Reading) -> Values:
    expected = [value for value in sides if value.role == "expected"]
    told = [value for value in sides if LABEL["told"].search(value.label) and value not in expected]
    return [*expected, *told] if expected else []


def _alike(sides: Values, reading: Reading) -> Values:
    """Return the two farthest apart of those that agree to a hundredth, if one group does and is no counts."""
    near = {tuple(other for other in sides if _near(one, other)) for one in sides}
    groups = [group for group in near if len(group) > 1]
    if len(groups) != 1 or not any(value.pointed for value in groups[0]):
        return []
    least, most = (pick(groups[0], key=lambda value: _numbers(value).sum()) for pick in (min, max))
    return [least, most] if least is not most else []


_RULES: tuple[Callable[[Values, Reading], Values], ...] = (
    lambda sides, reading: [value for value in sides if len(value.shape) == max(len(one.shape) for one in sides)],
    lambda sides, reading: [value for value in sides if not LABEL["coordinate"].search(value.label)],
    lambda sides, reading: [value for value in sides if not value.percent and not LABEL["library"].search(value.label)],
    _told,
    lambda sides, reading: [one for one in sides if one.role == "expected" or not LABEL["placed"].search(one.label)],
    lambda sides, reading: [value for value in sides if len(_WORD.findall(reading.lines[value.line])) < 5],
    lambda sides, reading: list({tuple(n.value for n in value.numbers): value for value in sides[::-1]}.values())[::-1],
    _alike,
    lambda sides, reading: [value for value in sides if value.pointed],
)
"""What is left of more than two sides."""


def _numbers(value: Value) -> np.ndarray:
    return np.array([number.value for number in value.numbers])


@np.errstate(invalid="ignore")
def _near(first: Value, second: Value) -> bool:
    """Whether two values agree to a hundredth in all numbers."""
    if len(first.numbers) != len(second.numbers):
        return False
    a, b = _numbers(first), _numbers(second)
    return bool((np.abs(a - b) <= 0.01 * np.maximum(np.abs(a), np.abs(b))).all())


def _joined(rows: Sequence[Sequence[Value]], label: str | None = None) -> Value:
    """Put values together, as one row, one column or a matrix."""
    first, numbers = rows[0][0], tuple(number for row in rows for value in row for number in value.numbers)
    shape = (len(rows), len(rows[0])) if min(len(rows), len(rows[0])) > 1 else (len(rows) * len(rows[0]),)
    return first._replace(numbers=numbers, shape=(*shape, *first.shape), label=first.label if label is None else label)


def _as_headed(values: Values) -> Values:
    """Let a heading say that several single values are differences, where their own labels are but names."""
    headed = [value._replace(label=value.heading) for value in values]
    names = len(values) > 2 and all(value.role == "value" and not value.shape for value in values)
    return headed if names and all(value.role == "difference" for value in headed) else values


def _of_two_labels(values: Values) -> Values:
    """Put together what two labels name in turn, such as cpu and gpu on many lines; or a diff's minus and plus."""
    sides = [value for value in values if value.is_side]
    labels = [value.label for value in sides]
    runs = [label for label, _ in groupby(labels)]
    lines = len({value.line for value in sides})
    named = [[value for value in sides if value.label == label] for label in dict.fromkeys(labels)]
    if len(named) != 2 or len(named[0]) != len(named[1]) or len({value.shape for value in sides}) > 1 or "" in labels:
        return values
    if lines == 1 or len(sides) == 2 or len(runs) == 2 and lines < len(sides):
        return values
    return [*(_joined([each]) for each in named), *(value for value in values if not value.is_side)]


def _stacked(values: Values, reading: Reading) -> Values:
    """Put rows in brackets on lines of their own, two or more under one heading such as "J =", together as a matrix."""
    stacks: list[Values] = []
    for value in values:
        bare = len(value.shape) == 1 and not re.search(r"[^\W\d]{2}", reading.lines[value.line])
        last = stacks[-1][-1] if stacks and bare else None
        if last and (last.shape, last.label) == (value.shape, value.label) and value.label.endswith("="):
            stacks[-1].append(value)
        else:
            stacks.append([value])
    return [stack[0] if len(stack) == 1 else _joined([stack]) for stack in stacks]


def _blocks(rows: list[Values], reading: Reading) -> list[list[Values]]:
    """Return rows of equal length on successive lines that have nothing but numbers."""
    blocks: list[list[Values]] = []
    for row in rows:
        if re.search(r"[^\W\d]{2}", re.sub(r"(?i)\bnan\b|\binf\b", "", reading.lines[row[0].line])):
            continue
        last = blocks[-1][-1] if blocks else None
        between = reading.lines[last[0].line + 1 : row[0].line] if last else ()
        if last and len(last) == len(row) and all(_DOTS.fullmatch(line) for line in between):
            blocks[-1].append(row)
        else:
            blocks.append([row])
    return blocks


def _side_by_side(rows: list[Values], reading: Reading) -> Values:
    """Return two matrices that stand side by side, with one bar between them in every row, or nothing."""
    rows, half = [row for row in rows if len(row) > 1], max(map(len, rows), default=0) // 2
    if half < 2 or any(len(row) != 2 * half or reading.lines[row[0].line].count("|") != 1 for row in rows):
        return []
    halves = [(row[half - 1].numbers[0].span[1], row[half].numbers[0].span[0]) for row in rows]
    sides = (slice(half), slice(half, None)) if all("|" in reading.text[start:end] for start, end in halves) else ()
    return [_joined([row[side] for row in rows]) for side in sides]


def _one_row(row: Values, reading: Reading) -> bool:
    """Whether a line of numbers stands below a line of heads."""
    values = row[_counts([[value] for value in row]) :] if row[0].is_side else []
    return bool(row[2:] and values and len(_WORD.findall(reading.lines[row[0].line])) < 4 and _head([values], reading))


def _head(rows: Sequence[Sequence[Value]], reading: Reading) -> list[str]:
    """Return the heads of the columns, from the line above the table, or nothing."""
    above = [line for line in reading.lines[max(rows[0][0].line - 3, 0) : rows[0][0].line] if re.search(r"\w", line)]
    width = len(rows[0])
    for cells in (_CELLS.split(above[-1].strip(" \t|,;")), above[-1].split()) if above else ():
        cells = [cell for cell in cells if cell]
        if width <= len(cells) <= width + 2 and re.search(r"[^\W\d]", above[-1]):
            return cells[-width:]
    return []


def _of_table(rows: list[Values], reading: Reading, fits: Fits) -> Values:
    """Return the columns of a table, or its rows: whichever are two sides, or if both are, those that are nearer."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    columns = columns[_counts(columns) :]
    rows = [list(row) for row in zip(*columns, strict=True)]
    head = _head(rows, reading)
    kept = [at for at, cell in enumerate(head) if not LABEL["coordinate"].search(cell.strip())] or range(len(columns))
    columns, head = [columns[at] for at in kept], [head[at] for at in kept] if head else []
    rows = [list(row) for row in zip(*columns, strict=True)]
    alike = len(rows) > 2 and all(len({value.numbers[0].text for value in column}) == 1 for column in columns)
    down = narrowed([_joined([column], head[at] if head else None) for at, column in enumerate(columns)], reading, fits)
    across = narrowed([_joined([row]) for row in rows], reading, fits)
    ways = [way for way in (across, down) if sum(value.is_side for value in way) == 2 or len(way) == 3 and fits(way)]
    if ways and not alike:
        return min(ways, key=_gap)
    return down if head or len(columns) == 1 else across


def _counts(columns: Sequence[Sequence[Value]]) -> bool:
    """Whether the first column numbers the rows, beside others that have decimals."""
    first = [value.numbers[0].text.rstrip(".") for value in columns[0]]
    start = int(first[0]) if first[0].isdecimal() else 0
    counted = first == [str(start + place) for place in range(len(first))]
    decimals = any("." in value.numbers[0].text for column in columns[1:] for value in column)
    return counted and (decimals or start == 0 and len(columns) > 2)


@np.errstate(invalid="ignore")
def _gap(way: Sequence[Value]) -> float:
    """How far apart two sides are beside their sizes; those of counterparts of another sign are alike."""
    a, b = (_numbers(value) for value in [value for value in way if value.is_side][:2])
    sizes = np.abs(a) + np.abs(b)
    signed, unsigned = (
        float(each.sum() / (sizes.sum() or 1)) for each in (np.abs(a - b), np.abs(np.abs(a) - np.abs(b)))
    )
    return unsigned if unsigned < 0.01 else signed
