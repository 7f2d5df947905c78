"""Numbers without brackets as a person groups them: blocks, rows, columns of a table with a header, single values.

Labels decide what is a side and what is a difference; a column that counts the rows, or whose head says that it is a
coordinate, is no side; and a number that can be the difference of the two before it is one.
"""

import re
from collections.abc import Callable, Sequence
from itertools import combinations

from lib.paste.read import Reading, Value

Values = list[Value]
Fits = Callable[[Sequence[Value]], bool]
"""Whether the third of three values can be the difference of the other two."""

_COORDINATE = re.compile(
    r"(?:[xitnkh#]|id|idx|index|no\.?|steps?|epochs?|iter\w*|rows?|size|seed|inputs?|samples?|batch ?size|points?"
    r"|x value|rel\b.*|relative.*|ratio|ulps?|close\??|equal\??|.*%|tol\w*|time.*|.* ms)",
    re.IGNORECASE,
)
_POINT = re.compile(r"\.\d|e-", re.IGNORECASE)
_CELLS = re.compile(r"\s*[|,;\t]\s*|\s{2,}")


def grouped(reading: Reading, fits: Fits) -> Values:
    """Return the values of a paste, with numbers that belong together in one."""
    values = _stacked(list(reading.values), reading)
    if any(len(value.numbers) > 1 for value in values):
        return values
    rows = _rows(values)
    blocks = _blocks(rows, reading)
    if len(blocks) > 1 and max(len(block) for block in blocks) > 1 and sum(map(len, blocks)) == len(rows):
        return [_joined(block) for block in blocks]
    told = [row[0] for row in rows if len(row) == 1 and row[0].role in ("difference", "relative")]
    rows = [row for row in rows if len(row) > 1 or row[0].role not in ("difference", "relative")]
    if len(rows) > 1 and len({len(row) for row in rows}) == 1 and len(rows[0]) > 1:
        return [*_of_table(rows, reading, fits), *told]
    words = re.findall(r"[^\W\d_]{2,}", reading.lines[rows[0][0].line]) if len(rows) == 1 else []
    if len(rows) == 1 and len(rows[0]) > 2 and len(words) < 4 and _head(rows, reading):
        return [*_of_table(rows, reading, fits), *told]
    return _values_in_prose(values)


def _rows(values: Values) -> list[Values]:
    lines: dict[int, Values] = {}
    for value in values:
        lines.setdefault(value.line, []).append(value)
    return list(lines.values())


def _joined(rows: Sequence[Sequence[Value]]) -> Value:
    """Put numbers together, as one row, one column or a matrix."""
    numbers = tuple(number for row in rows for value in row for number in value.numbers)
    matrix = min(len(rows), len(rows[0])) > 1
    return Value(numbers, (len(rows), len(rows[0])) if matrix else (len(numbers),), rows[0][0].label, rows[0][0].line)


def _stacked(values: Values, reading: Reading) -> Values:
    """Put rows in brackets, line by line under one heading such as "J =", together as a matrix."""
    alike = {(value.shape, value.label) for value in values}
    ((shape, label),) = alike if len(alike) == 1 else [((), "")]
    below = not any(re.search(r"[^\W\d]{2}", reading.lines[value.line]) for value in values)
    if (
        below
        and len(shape) == 1 < len(values)
        and label.endswith("=")
        and len({value.line for value in values}) == len(values)
    ):
        numbers = tuple(number for value in values for number in value.numbers)
        return [Value(numbers, (len(values), *shape), label, values[0].line)]
    return values


def _blocks(rows: list[Values], reading: Reading) -> list[list[Values]]:
    """Return rows of equal length on successive lines that have nothing but numbers."""
    blocks: list[list[Values]] = []
    for row in rows:
        if re.search(r"[^\W\d]{2}", re.sub(r"(?i)\bnan\b|\binf\b", "", reading.lines[row[0].line])):
            continue
        last = blocks[-1][-1] if blocks else None
        if last and last[0].line == row[0].line - 1 and len(last) == len(row):
            blocks[-1].append(row)
        else:
            blocks.append([row])
    return blocks


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
    columns = list(zip(*rows, strict=True))
    if _counts(columns):
        columns = columns[1:]
    head = _head(list(zip(*columns, strict=True)), reading)
    named = dict(zip(columns, head, strict=True)) if head else {}
    if named:
        found = [
            Value(one.numbers, one.shape, named[column], one.line)
            for column in columns
            if not _COORDINATE.fullmatch(named[column].strip())
            for one in [_joined([column])]
        ]
        sides = [one for one in found if one.role in ("value", "expected")]
        near = [pair for pair in combinations(sides, 2) if _near(*pair)]
        if len(sides) > 2 and not (len(sides) == 3 and fits(sides)) and len(near) == 1:
            return [*near[0], *(one for one in found if one not in sides)]
        return found
    down, across = ([_joined([part]) for part in way] for way in (columns, list(zip(*columns, strict=True))))
    ways = [way for way in (across, down) if len(way) == 2 or len(way) == 3 and fits(way)]
    alike = len(rows) > 2 and all(len({value.numbers[0].text for value in column}) == 1 for column in columns)
    if ways and not alike:
        return min(ways, key=_gap)
    return across if len(columns) > 1 else down


def _counts(columns: Sequence[Sequence[Value]]) -> bool:
    """Whether the first column numbers the rows, beside others that have decimals."""
    first = [value.numbers[0].text for value in columns[0]]
    start = int(first[0]) if first[0].isdigit() else 0
    counted = first == [str(start + place) for place in range(len(first))]
    decimals = any("." in value.numbers[0].text for column in columns[1:] for value in column)
    return counted and (decimals or start == 0 and len(columns) > 2)


def _gap(way: Sequence[Value]) -> float:
    return sum(abs(float(a.value) - float(b.value)) for a, b in zip(way[0].numbers, way[1].numbers, strict=True))


def _near(first: Value, second: Value) -> bool:
    """Whether two columns agree to a hundredth in all rows."""
    pairs = ((float(a.value), float(b.value)) for a, b in zip(first.numbers, second.numbers, strict=True))
    return all(abs(a - b) <= 0.01 * max(abs(a), abs(b)) for a, b in pairs)


def alike(values: Sequence[Value]) -> Values:
    """Of single values, the two farthest apart of those that agree to a hundredth, if there is one group of such."""
    found = [[one for one in values if _near(one, first)] for first in values]
    groups = {tuple(map(id, group)): group for group in found if len(group) > 1}
    (group,) = groups.values() if len(groups) == 1 else [[]]
    if not any(_POINT.search(value.numbers[0].text) for value in group):
        return []
    ends = [pick(group, key=lambda value: float(value.numbers[0].value)) for pick in (min, max)]
    return [value for value in group if value in ends]


def _values_in_prose(values: Values) -> Values:
    """Leave out what is said twice, and whole numbers beside two values that have a point."""
    sides = [value for value in values if value.role in ("value", "expected")]
    others = [value for value in values if value.role not in ("value", "expected")]
    once = list({value.numbers[0].value: value for value in reversed(sides)}.values())[::-1]
    pointed = [value for value in once if _POINT.search(value.numbers[0].text)]
    sides = once if len(sides) > len(once) == 2 and pointed and any(value.label for value in sides) else sides
    agreeing = alike(once) if len(once) > 2 and any(value.label for value in once) else []
    if agreeing:
        return [*agreeing, *others]
    pointed = [value for value in sides if _POINT.search(value.numbers[0].text)]
    places = [value.numbers[0].place or 0 for value in sides]
    finest = [value for value, place in zip(sides, places, strict=True) if place == min(places)]
    if len(sides) > 2 and len(finest) == 2 and sorted(places)[2] > -3:
        sides = finest if all(value.label for value in finest) else sides  # versions, a point x, a factor
    elif len(sides) > 2 and len(pointed) == 2 and all(value.label for value in sides if value not in pointed):
        sides = pointed
    if len(sides) == 2 and sides[0].role == "expected" != sides[1].role:
        sides = sides[::-1]
    return [*sides, *others]
