"""Which numbers of a paste are the sides of a comparison: brackets, blocks, columns or rows of a table, single values.

First come candidates, each with its numbers and its label; of more than two, `narrowing` leaves some out.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise

from lib.paste.narrowing import Values, fits, gap, joined, narrowed
from lib.paste.patterns import CODE, LABEL, TEXT, says
from lib.paste.printed import Value
from lib.paste.read import Reading

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
    told = value.role in ("expected", "size") or says("told", value.label)
    sentence = value.line in reading.sentences and not told and value.label[-1:] not in ("=", ":")
    sizes = value.sizes or value.shape and value.label.endswith('":')  # as in JSON
    named = sizes or sentence or value.role in ("difference", "relative") and value.label != value.heading
    return named and not value.pointed and any(number.value for number in value.numbers)


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
    nearest = min(([joined([[value] for value in side]) for side in way] for way in alike), key=gap, default=[])
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
    above = above if above and not above[0].rstrip().endswith(":") else []
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
    """Return the columns of a table, its rows or its halves: whichever are two sides, and of several the nearest."""
    columns, head = list(zip(*rows, strict=True)), _head(rows, reading)
    if _counts(columns):
        columns, head = columns[1:], head[1:]
    kept = [at for at, cell in enumerate(head) if not says("coordinate", cell.strip())] or range(len(columns))
    columns, head = [columns[at] for at in kept], [head[at] for at in kept] if head else []
    lines, half = list(zip(*columns, strict=True)), len(columns) // 2
    down = narrowed([joined([column], head[at] if head else None) for at, column in enumerate(columns)], reading)
    of_one_role = len({value.is_side or value.role for line in lines for value in line}) == 1
    across = narrowed([joined([line]) for line in lines], reading) if of_one_role else []
    gaps = [[two.numbers[0].span[0] - one.numbers[0].span[1] for one, two in pairwise(line)] for line in lines]
    halves = [joined([line[:half] for line in lines]), joined([line[half:] for line in lines])] if half > 1 else []
    names = [TEXT["word"].findall(column[0].label)[-1:] for column in columns]
    twice = names[:half] == names[half:] and len({*map(str, names)}) == half > 1  # loss 2 norm 3 | ref loss 2 norm 3
    parted = half > 1 and not len(columns) % 2 and all(each.pop(half - 1) > max(each) for each in gaps)
    halves = halves if parted or twice and gap(halves) < 0.01 else []
    ways = [way for way in (across, down, halves) if sum(v.is_side for v in way) == 2 or len(way) == 3 and fits(way)]
    nearest = min(ways, key=gap, default=[])
    repeated = len({tuple(value.numbers[0].text for value in line) for line in lines}) == 1
    if nearest and not (repeated and len(lines) > 2 - (half == 1) and not 0 < gap(nearest) < 0.01):
        return nearest
    return down if head or len(columns) == 1 or not across else across


def _counts(columns: Sequence[Sequence[Value]]) -> bool:
    """Whether the first column numbers the rows, beside others that have decimals."""
    first = [value.numbers[0].text for value in columns[0]]
    start = int(first[0].rstrip(".")) if first[0].rstrip(".").isdecimal() else 0
    dot = "." * (start == 1 and first[0].endswith("."))
    pointed = any(value.pointed for column in columns[1:] for value in column)
    return first == [f"{start + at}{dot}" for at in range(len(first))] and (pointed or start == 0 and len(columns) > 2)
