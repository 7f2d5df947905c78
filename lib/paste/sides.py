"""Which numbers of a paste are the sides of a comparison: brackets, blocks, columns or rows of a table, single values.

First come candidates, each with its numbers and its label. Of more than two of them what is least likely to be a side
is left out, step by step and as long as two are left: a setting or a coordinate, a percentage, what no word sets
against another, whole numbers beside decimals, what is said twice, and what agrees with no other.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, groupby, pairwise

import numpy as np

from lib.paste.floats_of import widths
from lib.paste.patterns import CODE, LABEL, MESSAGE, TEXT, says
from lib.paste.printed import Value
from lib.paste.read import Reading

Values = list[Value]

_MOST_COMPARED = 24
"""Of more numbers in a text, or more columns, it is not clear which are the sides; so many rows tell a difference."""

_TINY = 1e-5
"""No number below it is a side beside a much larger one."""

_CELLS = re.compile(r"\s*[,;\t&]\s*|\s{2,}|\s\|\s"), re.compile(r"\s*\|\s*"), re.compile(r"\s+")


def grouped(reading: Reading) -> Values:
    """Return the values of a paste that count, with numbers that belong together in one."""
    decimals = any(value.pointed for value in reading.values)
    values = [value for value in reading.values if not (decimals and _is_count(value, reading))]
    if any(len(value.numbers) > 1 for value in values):
        stacks = [list(stack) for _, stack in groupby(values, lambda value: (value.label, value.shape))]
        values = [value for stack in stacks for value in ([joined([stack])] if _is_stack(stack, reading) else stack)]
        return _in_turns(values, reading) or values
    rows = [list(row) for _, row in groupby(values, lambda value: value.line)]
    rows = [row for row in rows if not decimals or any(v.pointed or not v.numbers[0].value for v in row)]
    alone = max(map(len, rows), default=0) == 1
    if (alone or {value.label for value in values} == {"expected", "got"}) and (sides := _in_turns(values, reading)):
        return sides
    blocks = _blocks(rows, reading)
    if len(blocks) > 1 and min(map(len, blocks)) > 1:
        return [joined(block) for block in blocks]
    width = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
    others = [value for row in rows if len(row) != width for value in row]
    rows = [row for row in rows if len(row) == width]
    table = width > 1 and (len(rows) > len(others) + 2 or not any(value.is_side for value in others))
    headed = len(rows) > 1 or len({value.label for value in rows[0]}) == 1 and _head(rows, reading) if table else []
    if headed and len({tuple(value.is_side for value in row) for row in rows}) == 1:
        return [*_of_table(rows, reading), *(value for value in others if not value.is_side)]
    return narrowed(not alone and _in_turns(values, reading) or values, reading)


def _is_stack(values: Values, reading: Reading) -> bool:
    """Whether these are rows in brackets, on lines of their own under one heading such as "J ="."""
    bare = not any(re.search(r"[^\W\d]{2}", reading.lines[value.line]) for value in values)
    return len(values) > 1 and len(values[0].shape) == 1 and values[0].label.endswith("=") and bare


def _is_count(value: Value, reading: Reading) -> bool:
    """Whether a value that has no decimals is a shape, a count beside differences, or one in a sentence."""
    told = value.role == "expected" or says("told", value.label)
    sentence = value.line in reading.sentences and not told and value.label[-1:] not in ("=", ":")
    sizes = value.sizes or value.shape and value.label.endswith('":')  # as in JSON
    named = sizes or sentence or not value.is_side and value.label != value.heading
    return named and not value.pointed and any(number.value for number in value.numbers)


def narrowed(values: Values, reading: Reading) -> Values:
    """Leave out what is least likely to be a side, as long as two are left, and no more than needed."""
    for left_by in _RULES:
        sides = [value for value in values if value.is_side]
        turned = sides[1:] + sides[:1]
        if len(sides) == 3 and fits(turned) and (near(*turned[:2]) or len(turned[0].numbers) > 2 and not fits(sides)):
            return [sides[1], sides[2], sides[0], *(value for value in values if not value.is_side)]
        tiny = all(abs(number.value) < _TINY for value in sides for number in value.numbers)  # differences, all of them
        if not 2 < len(sides) <= _MOST_COMPARED or len(sides) == 3 and fits(sides) or tiny:
            break
        left = left_by(sides, reading)
        if len(left) >= 2:
            values = [value for value in values if not value.is_side or value in left]
    return _without_strays(values)


def _without_strays(values: Values) -> Values:
    """Of two numbers that no word sets against another, leave out a setting or a percentage; a tiny one is no side."""
    sides = [value for value in values if value.is_side]
    if len(sides) != 2 or any(one.shape or one.role == "expected" or says("set", one.label) for one in sides):
        return values
    strays = [value for value in sides if value.percent or says("setting", value.label)]
    small, large = sorted(sides, key=lambda value: abs(value.numbers[0].value))
    if len(strays) == 1:
        return [value for value in values if value not in strays]
    printed = small.line == large.line and small.label == large.label  # by one print(): what differs is as large
    most = abs(large.numbers[0].value) if printed else min(abs(large.numbers[0].value), 1)
    if not 0 < abs(small.numbers[0].value) < _TINY * most < np.inf:
        return values
    others = [value for value in values if value not in sides]
    return [*others, small._replace(label="difference"), large] if printed else [*others, small]


def _told(sides: Values, reading: Reading) -> Values:
    expected = [value for value in sides if value.role == "expected"]
    told = [value for value in sides if says("told", value.label) and value not in expected]
    return [*expected, *told] if expected else []


def _alike(sides: Values, reading: Reading) -> Values:
    """Return the two farthest apart of those that agree to a hundredth, if one group does and is no counts."""
    if np.isinf([value.numbers[0].value for value in sides]).any():
        return []
    groups = {group for one in sides if len(group := tuple(other for other in sides if near(one, other))) > 1}
    if len(groups) != 1 or not any(value.pointed for value in min(groups)):
        return []
    farthest = max(combinations(min(groups), 2), key=_gap)
    alike = len({value.numbers[0].decimals for value in sides}) < 3 and not sides[0].shape
    chance = len(sides) == 3 > len(min(groups)) and alike and _gap(farthest) > 1e-4  # the third may be the wrong one
    return list(farthest) if _gap(farthest) and not chance else []


def _once(sides: Values, reading: Reading) -> Values:
    """Return each number once, as what is expected if it is that as well."""
    ordered = sorted(reversed(sides), key=lambda value: value.role == "expected")  # the last of equal ones is kept
    return list({tuple(number.value for number in value.numbers): value for value in ordered}.values())


_RULES: tuple[Callable[[Values, Reading], Values], ...] = (
    lambda sides, reading: [value for value in sides if len(value.shape) == max(len(one.shape) for one in sides)],
    lambda sides, reading: [value for value in sides if not says("coordinate", value.label)],
    _told,
    lambda sides, reading: [one for one in sides if one.role == "expected" or not says("placed", one.label)],
    lambda sides, reading: [value for value in sides if value.pointed],
    lambda sides, reading: [value for value in sides if MESSAGE["compares"].search(value.label)],
    lambda sides, reading: [value for value in sides if value.line not in reading.sentences],
    _once,
    _alike,
)
"""What is left of more than two sides."""


def _numbers(value: Value) -> np.ndarray:
    return np.array([number.value for number in value.numbers])


@np.errstate(invalid="ignore")
def fits(three: Sequence[Value]) -> bool:
    """Whether the third of three can be the difference of the other two, as far as their first numbers tell."""
    if len({len(value.numbers) for value in three}) > 1:
        return False
    numbers = [value.numbers[:_MOST_COMPARED] for value in three]
    a, b, told = (_numbers(value)[:_MOST_COMPARED] for value in three)
    room = widths(numbers[0], True) + widths(numbers[1], True) + widths(numbers[2], False)
    off = np.abs(np.abs(a - b) - np.abs(told))
    known = np.isfinite(off)
    return bool(known.any() and (off <= room)[known].all())


@np.errstate(invalid="ignore")
def near(first: Value, second: Value) -> bool:
    """Whether two values agree to a hundredth in two thirds of their numbers."""
    if len(first.numbers) != len(second.numbers):
        return False
    a, b = _numbers(first), _numbers(second)
    return bool((np.abs(a - b) <= 0.01 * np.maximum(np.abs(a), np.abs(b))).mean() > 0.6)


def joined(rows: Sequence[Sequence[Value]], label: str | None = None) -> Value:
    """Put values together, as one row, one column or a matrix."""
    first, numbers = rows[0][0], tuple(number for row in rows for value in row for number in value.numbers)
    shape = (len(rows), len(rows[0])) if min(len(rows), len(rows[0])) > 1 else (len(rows) * len(rows[0]),)
    shape = (*shape, *first.shape) if len({value.shape for row in rows for value in row}) == 1 else (len(numbers),)
    return first._replace(numbers=numbers, shape=shape, label=first.label if label is None else label)


def _in_turns(values: Values, reading: Reading) -> Values:
    """Put together what two words tell apart, such as cpu and gpu, or what the same labels name twice; or nothing."""
    sides = [value for value in values if value.is_side and not says("aside", value.label)]
    sides = [value for value in sides if value.pointed or not any(n.value for n in value.numbers)] or sides
    half = len(sides) // 2
    if half < 2 or len(sides) % 2:
        return []
    names, before = _names(sides, reading)
    places: dict[str, list[int]] = {}
    for at, word in ((at, word) for at, words in enumerate(names) for word in words):
        places.setdefault(word, []).append(at)
    halves = {tuple(at) for at in places.values() if len(at) == half}
    if before[1:half] == before[half + 1 :] and len(set(before[:half])) == half:
        halves |= {tuple(range(half)), tuple(range(half, 2 * half))}
    others = {first: tuple(sorted({*range(2 * half)} - {*first})) for first in halves if first[0] == 0}
    both = [[[sides[at] for at in side] for side in way] for way in sorted(others.items()) if way[1] in halves]
    alike = [way for way in both if [value.shape for value in way[0]] == [value.shape for value in way[1]]]
    nearest = min(([joined([[value] for value in side]) for side in way] for way in alike), key=_gap, default=[])
    return [*nearest, *(value for value in values if not value.is_side)] if nearest else []


def _names(sides: Values, reading: Reading) -> tuple[list[list[str]], list[str]]:
    """Return the words that name each value, those before it on its line or, if it is alone there, all; and the text
    before it."""
    alone, lines, end = Counter(value.line for value in sides), reading.text.split("\n"), 0
    names: list[list[str]] = []
    before: list[str] = []
    for value in sides:
        start = value.numbers[0].span[0]
        between = reading.text[end:start].rpartition("\n")[2]
        before.append(f"{value.label} {between}".strip())
        text = lines[value.line] if alone[value.line] == 1 else between
        end = value.numbers[-1].span[1]
        own = [] if CODE["typed"].match(lines[value.line]) else TEXT["name"].findall(f"{value.label} {text}".lower())
        names.append(list(dict.fromkeys(own)) or (names[-1] if len(alone) == 1 and names else []))
    return names, before


def _blocks(rows: list[Values], reading: Reading) -> list[list[Values]]:
    """Return rows of equal length on successive lines."""
    blocks: list[list[Values]] = []
    for row in rows:
        last = blocks[-1][-1] if blocks else None
        between = reading.lines[last[0].line + 1 : row[0].line] if last else ()
        alike = last and (len(last), last[0].role) == (len(row), row[0].role)
        if alike and all(TEXT["dots"].fullmatch(line) for line in between):
            blocks[-1].append(row)
        else:
            blocks.append([row])
    return blocks


def _head(rows: Sequence[Sequence[Value]], reading: Reading) -> list[str]:
    """Return the heads of the columns, from the line above the table or from what names each value; or nothing."""
    width, line = len(rows[0]), rows[0][0].line
    labels = ([value.label for value in column] for column in zip(*rows, strict=True))
    names = [{"".join(TEXT["name"].findall(label)[-1:]) for label in column} for column in labels]
    if len({"".join(name) for name in names if len(name) == 1} - {""}) == width:
        return [value.label for value in rows[0]]
    above = [text for text in reading.lines[max(line - 3, 0) : line] if re.search(r"[^\W\d]", text)][-1:]
    start = rows[0][0].numbers[0].span[0]
    before = LABEL["empty"].sub("", reading.text[:start].rpartition("\n")[2])
    named = re.search(r"\w", before)  # what the rows are called has a head, too
    for between in _CELLS if above and not CODE["typed"].match(above[0]) else ():
        both = (between.split(text.strip(" \t|,;")) for text in (above[0], reading.lines[line]))
        cells, row = ([cell for cell in each if cell] for each in both)
        of = [cells[at] for at, cell in enumerate(row[: len(cells)]) if TEXT["value"].fullmatch(cell)]
        if len(row) == len(cells) and len(of) == width:
            return of
        if width <= len(cells) <= width + 2:
            return cells[-width:] if named else cells[:width]
    return []


def _of_table(rows: Sequence[Values], reading: Reading) -> Values:
    """Return the columns of a table, or its rows: whichever are two sides, or if both are, those that are nearer."""
    counted, head = _counts(rows), _head(rows, reading)
    rows, head = [row[counted:] for row in rows], head[counted:]
    kept = [at for at, cell in enumerate(head) if not says("coordinate", cell.strip())]
    kept = kept or [*range(len(rows[0]))]
    rows, head = [[row[at] for at in kept] for row in rows], [head[at] for at in kept if head]
    columns, half = list(zip(*rows, strict=True)), len(rows[0]) // 2
    alike = len({tuple(value.numbers[0].text for value in row) for row in rows}) == 1 and len(rows) > 2 - (half == 1)
    down = narrowed([joined([column], head[at] if head else None) for at, column in enumerate(columns)], reading)
    alike_across = len({value.is_side or value.role for row in rows for value in row}) == 1
    across = narrowed([joined([row]) for row in rows], reading) if alike_across else []
    gaps = [[two.numbers[0].span[0] - one.numbers[0].span[1] for one, two in pairwise(row)] for row in rows]
    parted = half > 1 and not len(columns) % 2 and all(gap.pop(half - 1) > max(gap) for gap in gaps)
    halves = [joined([row[:half] for row in rows]), joined([row[half:] for row in rows])] if parted else []
    ways = [way for way in (across, down, halves) if sum(v.is_side for v in way) == 2 or len(way) == 3 and fits(way)]
    nearest = min(ways, key=_gap, default=[])
    if nearest and not (alike and not 0 < _gap(nearest) < 0.01):
        return nearest
    return down if head or len(columns) == 1 or not across else across


def _counts(rows: Sequence[Values]) -> bool:
    """Whether the first column numbers the rows, beside others that have decimals."""
    first = [row[0].numbers[0].text for row in rows]
    start = int(first[0].rstrip(".")) if first[0].rstrip(".").isdecimal() else 0
    dot = "." * (start == 1 and first[0].endswith("."))
    counted = first == [f"{start + place}{dot}" for place in range(len(first))]
    return counted and (any(value.pointed for row in rows for value in row[1:]) or start == 0 and len(rows[0]) > 2)


@np.errstate(invalid="ignore")
def _gap(way: Sequence[Value]) -> float:
    """How far apart two sides are beside their sizes."""
    sides = [value for value in way if value.is_side]
    a, b = (_numbers(value) for value in (sides if len(sides) == 2 else way)[:2])
    return float(np.abs(a - b).sum() / ((np.abs(a) + np.abs(b)).sum() or 1))
