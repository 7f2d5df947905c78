"""What in a paste has digits and is no value: margins, code, settings, places, counts, versions.

It is blanked out with as many spaces, so that every number keeps its place in the text. Words stay where they may be a
label. What is left out only beside better candidates, such as a step or a percentage, is left to `sides`.
"""

import re

from lib.paste.patterns import CODE, MARGINS, NOISE, NUMBER

_NUMERAL = re.compile(rf"{NUMBER}|[\[\]]", re.IGNORECASE)
_WHOLE = re.compile(r"(?<![\w.])\d{1,12}(?![\w.])")
_EQUALS = re.compile(r"(?<![=<>!~])=(?!=)")
_LEADING = re.compile(rf"\s*{NUMBER}(?:[ ]\d{{3}}(?!\d))*")
_COMMA = re.compile(r"(?<![\d.,])\d{1,9},\d{1,20}(?:e[-+]?\d{1,3})?(?![\d.,])", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\deE]|\d[\])]?[:|]|\d-\d|\[\d{1,6}\] |\*[ \t]*$|(?<!e)\+|[*@±>]|/\d|\x1b")


def spaces(found: re.Match[str] | str) -> str:
    return re.sub(r"[^\n]", " ", found if isinstance(found, str) else found[0])


def without_noise(text: str, code: bool = True) -> tuple[str, list[str]]:
    """Return the text with all that is no value blanked out, and what of that has digits.

    What was typed, and what is in the brackets of a call, is none where `code` is told so.
    """
    passed: list[str] = []

    def blank(found: re.Match[str]) -> str:
        if re.search(r"\d", found[0]):
            passed.append(found[0].strip()[:60])
        return spaces(found)

    text = _only_what_failed(MARGINS.sub(spaces, text.replace("\\n", "  ")), text)
    if code and re.search(r"\d|\bnan\b|\binf\b", CODE["typed"].sub("", text)):
        text = CODE["typed"].sub(lambda line: _NUMERAL.sub(spaces, line[0]), text)
    lines = text.split("\n")
    places = [place for place, line in enumerate(lines) if re.search(r"\d", line) and _LETTERS.search(line)]
    mixed = NOISE.sub(blank, "\n".join(lines[place] for place in places))
    for _ in range(3 * code):  # a call within a call
        mixed = CODE["call"].sub(lambda found: found[0] if _is_value(found) else _words_alone(found[0]), mixed)
    for place, line in zip(places, mixed.split("\n"), strict=bool(places)):
        lines[place] = _right_hand_side(line) if re.search(r"\d", line) else line
    return _with_decimal_points("\n".join(lines)), passed


def _only_what_failed(text: str, printed: str) -> str:
    """Blank out the source code that pytest prints besides the failure, and arrays whose differences NumPy lists."""
    lines = text.split("\n")
    failed = [re.match(r"(?:\x1b\[[\d;]*m)*E\s", line) is not None for line in printed.split("\n")]
    if any(one and re.search(r"\d", line) for one, line in zip(failed, lines, strict=True)):
        lines = [line if one else spaces(line) for one, line in zip(failed, lines, strict=True)]
    if any(re.search(rf"assert\W.*{NUMBER}.* (?:[=!<>]=|<|>) .*{NUMBER}", line) for line in lines):
        lines = [spaces(line) if " where " in line else line for line in lines]
    first = next((at for at, line in enumerate(lines) if "First differing element" in line), None)
    if first is not None:  # the lists in full, or else that element
        lines = [spaces(line) if at > first + 2 or " chars]" in line else line for at, line in enumerate(lines)]
    if any("(DESIRED)" in line for line in lines):
        lines = [line if "(DESIRED)" in line or "Max " in line else spaces(line) for line in lines]
    return "\n".join(lines)


def _is_value(call: re.Match[str]) -> bool:
    """Whether it is printed as a tensor or a size is, and no call that makes one of some sizes."""
    sizes = re.search(r",\s{0,9}[-\d]", call[0]) and not call[1].endswith(("ize", "Shape"))
    return CODE["value"].search(call[1]) is not None and not sizes


def _words_alone(call: str) -> str:
    """Blank out the arguments of a call of a function that is no tensor, such as `randn(3, 4)`."""
    return re.sub(r"\b\d[\w.]*|[^\w-]", lambda one: " " * len(one[0]), call)


def _right_hand_side(line: str) -> str:
    """Blank out counts before a colon, all numbers of a heading, and those of an expression before its value."""
    head, colon, tail = line.partition(":")
    words = re.search(r"[^\W\d]", head) and "[" not in head
    if colon and words and not tail.strip():
        return _NUMERAL.sub(spaces, line)
    if colon and words and re.match(r"\W*[^\W\d]", head):
        line = _WHOLE.sub(spaces, head) + colon + tail
    parts = _EQUALS.split(line)
    for place, part in enumerate(parts[:-1]):
        start = max(part.rfind(mark) for mark in (":", ",", ";", "|", "[", "]")) + 1
        bare = re.sub(r"tensor\([^()]{0,200}\)", "", part[start:]).lstrip(" -+")
        if re.search(r"\d[ ]*[-+*/^)]|[-+*/^(][ ]*\d", bare):
            parts[place] = part[:start] + _NUMERAL.sub(spaces, part[start:])
        elif re.search(r"[^\W\d]", part[start:]):
            value = _LEADING.match(part[start:]) if place and not start else None  # of the = before
            start += value.end() if value else 0
            parts[place] = part[:start] + _WHOLE.sub(spaces, part[start:])
    return "=".join(parts)


def _with_decimal_points(text: str) -> str:
    """Write decimal commas as points, where no number has a point and the commas cannot part numbers."""
    found = _COMMA.findall(text)
    all_commas = len(re.findall(r"\d,\d", text))
    long = any(len(one.partition(",")[2]) > 3 for one in found)
    apart = re.search(r"\d,\d+(?:e[-+]?\d+)?(?: ?; ?| +(?:[^\W\d]+ +)?)[-−]?\d+,\d", text)
    words = re.search(r"\d,\d[^\n,]*[^\W\d_]{3}[^\n,]*\d,\d(?!\d\d\b)", text)  # 5,000 is a thousand times 5
    if not found or all_commas != len(found) or re.search(r"\d\.\d|[\[(]\d", text) or not (long or apart or words):
        return text
    return _COMMA.sub(lambda one: one[0].replace(",", "."), text)


_SIGN = re.compile(r"(\s*)([-+])(?=\s*(?:[\d.\[]|\w*tensor|array|[a-z]{1,20}[ ]{1,9}-?\d+\.\d))")


def without_signs_of_a_diff(text: str) -> tuple[str, dict[int, str]]:
    """Of a diff, blank out its signs and the lines that both have, and say which lines were expected."""
    lines = text.split("\n")
    marked = {place: found for place, line in enumerate(lines) if (found := _SIGN.match(line))}
    sides = {sign: [lines[at][one.end() :] for at, one in marked.items() if one[2] == sign] for sign in "-+"}
    if not len(sides["-"]) == len(sides["+"]) > 0 or sides["-"] == sides["+"]:
        return text, {}
    lines = [
        f"{'':{marked[at].end()}}{line[marked[at].end() :]}" if at in marked else spaces(line)
        for at, line in enumerate(lines)
    ]
    return "\n".join(lines), {at: "expected" if one[2] == "-" else "got" for at, one in marked.items()}
