"""What in a paste has digits and is no value: margins, code, settings, places, counts, versions.

It is blanked out with as many spaces, so that every number keeps its place in the text. Words stay where they may be a
label. What is left out only beside better candidates, such as a step or a percentage, is left to `sides`.
"""

import re

from lib.paste.patterns import CODE, MARGINS, NOISE, NUMBER, TEXT


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

    text = _only_what_failed(_with_decimal_points(MARGINS.sub(spaces, text.replace("\\n", "  "))), text)
    if code and re.search(r"\d|\bnan\b|\binf\b", CODE["typed"].sub("", text)):
        text = CODE["typed"].sub(lambda line: TEXT["numeral"].sub(spaces, line[0]), text)
    lines = text.split("\n")
    places = [at for at, line in enumerate(lines) if re.search(r"(?i)\d|\bnan\b", line) and TEXT["busy"].search(line)]
    mixed = NOISE.sub(blank, "\n".join(lines[place] for place in places))
    for _ in range(3 * code):  # a call within a call
        mixed = CODE["call"].sub(lambda one: one[0] if CODE["value"].search(one[1]) else _words_alone(one[0]), mixed)
    for place, line in zip(places, mixed.split("\n"), strict=bool(places)):
        lines[place] = _right_hand_side(line) if re.search(r"\d", line) else line
    return "\n".join(lines), passed


def _only_what_failed(text: str, printed: str) -> str:
    """Blank out the source code that pytest prints besides the failure, and arrays whose differences NumPy lists."""
    lines = text.split("\n")
    failed = [re.match(r"(?:\x1b\[[\d;]*m)*E\s", line) is not None for line in printed.split("\n")]
    if any(one and re.search(r"\d", line) for one, line in zip(failed, lines, strict=True)):
        lines = [line if one else spaces(line) for one, line in zip(failed, lines, strict=True)]
    if "assert" in text and any(re.search(rf"assert\W.*{NUMBER}.* (?:[=!<>]=|<|>) .*{NUMBER}", line) for line in lines):
        lines = [spaces(line) if " where " in line else line for line in lines]
    if any("(DESIRED)" in line for line in lines):
        lines = [line if "(DESIRED)" in line or "Max " in line else spaces(line) for line in lines]
    return "\n".join(lines)


def _words_alone(call: str) -> str:
    """Blank out the arguments of a call of a function that is no tensor, such as `randn(3, 4)`."""
    return re.sub(r"\b\d[\w.]*|[^\w-]", lambda one: " " * len(one[0]), call)


def _right_hand_side(line: str) -> str:
    """Blank out counts in what is named before an equals sign, and all numbers of an expression there."""
    parts = TEXT["equals"].split(line)
    for place, part in enumerate(parts[:-1]):
        start = max(part.rfind(mark) for mark in (":", ",", ";", "|", "[", "]", "  ")) + 1
        own = re.sub(r"tensor\([^()]{0,200}\)", "", part[start:]).lstrip(" -+")
        what = "numeral" if TEXT["operation"].search(own) else "whole"
        if re.search(r"[^\W\d]", own) or what == "numeral":
            parts[place] = part[:start] + TEXT[what].sub(spaces, part[start:])
    return "=".join(parts)


def _with_decimal_points(text: str) -> str:
    """Write decimal commas as points, where no number has a point and the commas cannot part numbers."""
    found = TEXT["comma"].findall(text)
    words = re.search(r"\d,\d[^\n,]*[^\W\d_]{3}[^\n,]*\d,\d(?!\d\d\b)", text)  # 5,000 is a thousand times 5
    long = words or any(len(one.partition(",")[2]) > 3 for one in found)
    pointed = re.search(r"(?<![\d.])\d+\.\d+(?!\.?\d)|[\[(]\d", text)
    if not long or pointed or len(re.findall(r"\d,\d", text)) != len(found):
        return text
    return TEXT["comma"].sub(lambda one: one[0].replace(",", "."), text)


def without_signs_of_a_diff(text: str) -> tuple[str, dict[int, str]]:
    """Of a diff, blank out its signs and the lines that both have, and say which lines were expected."""
    lines = text.split("\n")
    marked = {place: found for place, line in enumerate(lines) if (found := TEXT["sign"].match(line))}
    sides = {sign: [lines[at][one.end() :] for at, one in marked.items() if one[2] == sign] for sign in "-+"}
    if TEXT["signed"].search(text) or not len(sides["-"]) == len(sides["+"]) > 0 or sides["-"] == sides["+"]:
        return text, {}
    both = [spaces(line[: marked[at].end()] if at in marked else line) for at, line in enumerate(lines)]
    left = "\n".join(blank + line[len(blank) :] for blank, line in zip(both, lines, strict=True))
    return left, {at: "expected" if one[2] == "-" else "got" for at, one in marked.items()}
