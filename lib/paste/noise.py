"""What in a paste has digits and is no value: code and prompts, dates and versions, tolerances, indices, counts.

It is blanked out with as many spaces, so that every number keeps its place in the text. Words stay where they may be a
label: of a line that was typed only the numbers and brackets go.
"""

import re

NUMBER = r"(?:(?<![\w.)\]])[-+−–])?(?:0x[0-9a-f]{1,14}(?:\.[0-9a-f]{0,14})?(?:p[-+]?[0-9]{1,4})?"
NUMBER += r"|(?:[0-9]{1,400}+(?:\.[0-9]{0,400}+)?|\.[0-9]{1,400}+)"
NUMBER += r"(?:(?:e[-+−]?|d[-+])[0-9]{1,6}|[ ]?[×·*x][ ]?10(?:(?:\^|\*\*)[-−]?\d{1,3}|⁻?[⁰¹²³⁴-⁹]{1,3}))?"
NUMBER += r"|nan|inf(?:inity)?)"
TENSOR = re.compile(r"(?:^|\.)(?:\w*tensor|\w*array|matrix|Parameter|Size|TensorShape|constant)$", re.IGNORECASE)

_COUNTED = "sample|row|column|element|component|term|float|ulp|layer|time|epoch|step|iteration|input|output|argument"
_COUNTED += "|decimal|digit|place|one|entrie|value|batche|number|thread|run|trial"
_NUMBERED = "sample|row|column|element|component|layer|epoch|step|iteration|line|seed|batch|rank|bs|n|dim|item|example"
_NUMBERED += "|case|test|head|argument|ulp|thread|run|trial"
_TYPED = re.compile(
    r"^[ \t]{0,20}(?:>>>|\(Pdb\)|In ?\[\d{0,6}\]:|julia>|print\(|assert (?!\(?[-\d\[])|import |from |def "
    r"|\.\.\. (?=\S))[^#\n]{0,2000}",
    re.MULTILINE,
)
_LITERAL = re.compile(rf"\S{{1,9}} (?:\[\d{{0,6}}\]: )?[\w.]{{0,20}}tensor\(\[?{NUMBER}\]?\)\s*", re.IGNORECASE)
_NUMERAL = re.compile(rf"{NUMBER}|[\[\]]", re.IGNORECASE)
_WHOLE = re.compile(r"(?<![\w.])\d{1,12}(?![\w.])")
_EQUALS = re.compile(r"(?<![=<>!~])=(?!=)")
_CALL = re.compile(r"(?:(?<![\w.])|\.)([A-Za-z_][\w.]{0,80}'?)\([^()\[\]\n]{0,200}\)")
_MIXED = re.compile(r"[^\W\deE]|\d[\])]?[:|]|\d-\d|\[\d{1,6}\] |\*[ \t]*$|[+*@±]|/\d|\x1b|^>")
_COMMA = re.compile(r"(?<![\d.,])\d{1,9},\d{1,20}(?:e[-+]?\d{1,3})?(?![\d.,])", re.IGNORECASE)

_BLANK = [
    re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for pattern in (
        # colours, margins and prompts of pytest, a terminal and IPython; rules; numbers of lines
        r"\x1b\[[0-9;]{0,20}m|^[E>|][ \t]{1,20}(?=\S)|^[E>][ \t]{0,20}$|^[ \t]{0,20}Out[ ]?\[\d{0,6}\]:"
        r"|^[-=_]{3,200}.{0,200}$|^[ \t]{0,20}\d{1,6}[:|│](?=\s)|^[ \t]{0,20}\d{1,3}[.)] (?=[A-Za-z`*])",
        # tracebacks, what repeats the values of pytest, addresses, dates, versions, the factor of a NumPy column
        r"^[^\n]{0,40}\b\d\d:\d\d:\d\d[^\n]{0,60}?\w\.(?:cc|cpp|cu|py|c|h):\d{1,9}[\])]?"
        r"|^[ \t]{0,20}File \"[^\"\n]{0,300}\", line \d{1,9}.*$|^\S{1,300}\.py:\d{1,9}:.*$|https?://\S{1,500}"
        r"|^[ \t]{0,20}\+[ ]{1,4}where (?![^\n]{0,300}tensor\(\[).*$"
        r"|\[torch\.\w{1,30} (?:of size )?\[?[^\]\n]{0,60}\]\]?"
        r"|\b\d{4}-\d\d-\d\d\S{0,30}|\b\d{1,2}:\d\d(?::\d\d)?(?:\.\d{1,9})?\b"
        r"|\b\d{1,4}(?:\.\d{1,4}){2,3}\S{0,30}|^[ \t]{0,9}[\d.]{1,9}e[-+]\d\d[ ]?\*[ \t]*$"
        r"|\b(?:python|ubuntu|rtx|gtx|version|v)[- ]?\d[\d.]*|\bcuda \d\d\.\d\b",
        # keywords of a tensor, and tolerances
        r"(?:\b(?:device|requires_grad|grad_fn|layout|size|weak_type|is_grads_batched)|(?:, |: )shape)[ ]?=[ ]?"
        r"(?:<[^<>\n]{0,200}>|'[^'\n]{0,60}'|\([^()\n]{0,60}\)|[\w.]{1,60})|<(?!tf\.)[a-z][^<>\n]{0,200}>",
        r"^[\s*#-]{0,20}tolerance\W{1,5}.*$",
        rf"{NUMBER}[ ]?%(?=[^\n]{{0,200}}\d)"
        rf"|\(up to {NUMBER} allowed\)|±[ ]?{NUMBER}"
        rf"|\bat \w{{1,9}}[ ]?=[ ]?{NUMBER}|\b(?:h|dt|dx|step)[ ]?=[ ]?{NUMBER}"
        r"|\b(?:[ra]tol|tol(?:erance)?|eps|epsilon|lr|learning rate|threshold)"
        rf"\w{{0,9}}(?: (?:of|is|was))?[ ]?[=:]?[ ]?{NUMBER}",
        # indices
        r"\b(?:number of )?Mismatch(?:ed elements)?: \d[^\n]{0,30}[/%].*$"
        r"|\bMismatch at ind(?:ex|ices):|\(\d{1,9}(?:\.\d{0,20})?[ ]?%\)"
        r"|\(mismatch .{0,20}\)|\binput range: \[.{0,40}\]"
        r"|\b(?:at )?(?:index|position|coordinates?)(?: of)?[ ]?[:=]?[ ]?(?:\([\d, ]{0,60}\)|\[[\d, ]{0,60}\]|\d{1,9})"
        r"|^[ \t]{0,20}\[\d{1,6}\](?=[ \t]{1,20}[-\d.])"
        r"|^[ \t]{0,20}[\[(]\d{1,9}(?:, ?\d{1,9}){0,7},?[\])][ ]?:"
        r"|(?<=[\w)\]])\[[-\d:, ]{1,40}\](?!\()|^\[index\]: .*$|[#(][ ]?\d{1,9} (?=[a-z]{3})",
        # counts, factors and sums
        r"\b(?:for|of|with respect to|w\.?r\.?t\.?) (?:output|input|argument) \d{1,9}"
        rf"|\b(?:{_NUMBERED})s?(?: size| of)?"
        r"[ _]?[=:#]?[ ]?\d{1,9}\b(?![.\de])"
        rf"|(?<![.\d])\b\d{{1,9}} (?:uniform |random |equal )?(?:{_COUNTED})s?\b"
        rf"|\b\d{{1,9}}(?:st|nd|rd|th)\b|\b\d{{1,9}} of \d{{1,9}}\b"
        rf"|(?<!e)[*@][ ]?{NUMBER}|/{NUMBER}|{NUMBER}[ ]?\+[ ]?{NUMBER}",
    )
]


def spaces(found: re.Match[str] | str) -> str:
    return re.sub(r"[^\n]", " ", found if isinstance(found, str) else found[0])


def without_noise(text: str) -> tuple[str, list[str]]:
    """Return the text with all that is no value blanked out, and what of that has digits."""
    passed: list[str] = []

    def blank(found: re.Match[str]) -> str:
        if re.search(r"\d", found[0]):
            passed.append(found[0].strip()[:60])
        return spaces(found)

    text = _only_what_failed(text.replace("\\n", "  "))
    if re.search(r"\d|\bnan\b|\binf\b", _TYPED.sub("", text)):
        text = _TYPED.sub(_typed, text)
    lines = text.split("\n")
    places = [place for place, line in enumerate(lines) if re.search(r"\d", line) and _MIXED.search(line)]
    mixed = "\n".join(lines[place] for place in places)
    for pattern in _BLANK:
        mixed = pattern.sub(blank, mixed)
    for _ in range(3):  # a call within a call
        mixed = _CALL.sub(lambda found: found[0] if _is_value(found) else _words_alone(found[0]), mixed)
    for place, line in zip(places, mixed.split("\n"), strict=bool(places)):
        lines[place] = _right_hand_side(line) if re.search(r"\d", line) else line
    return _with_decimal_points("\n".join(lines)), passed


def _typed(line: re.Match[str]) -> str:
    """Blank out the numbers of a line that was typed, unless it is nothing but one number as a tensor."""
    prompt, tensor = line[0][: line[0].find(" ", line[0].find(":") + 1) + 1], _LITERAL.fullmatch(line[0])
    return spaces(prompt) + line[0][len(prompt) :] if tensor else _NUMERAL.sub(spaces, line[0])


def _only_what_failed(text: str) -> str:
    """Blank out the source code that pytest prints besides the failure, and arrays whose differences NumPy lists."""
    lines = text.split("\n")
    failed = [re.match(r"(?:\x1b\[[\d;]*m)*E\s", line) is not None for line in lines]
    if any(one and re.search(r"\d", line) for one, line in zip(failed, lines, strict=True)):
        lines = [line if one else spaces(line) for one, line in zip(failed, lines, strict=True)]
    if any("(DESIRED)" in line for line in lines):
        lines = [line if "(DESIRED)" in line or "Max " in line else spaces(line) for line in lines]
    return "\n".join(lines)


def _is_value(call: re.Match[str]) -> bool:
    """Whether it is printed as a tensor or a size is, and no call that makes one of some sizes."""
    return TENSOR.search(call[1]) is not None and (
        not re.search(r",\s{0,9}[-\d]", call[0]) or call[1].endswith(("ize", "Shape"))
    )


def _words_alone(call: str) -> str:
    """Blank out the arguments of a call of a function that is no tensor, such as `randn(3, 4)`."""
    return re.sub(r"\b\d[\w.]*|\W", lambda one: " " * len(one[0]), call)


def _right_hand_side(line: str) -> str:
    """Blank out counts before a colon, all numbers of a heading, and those of an expression before its value."""
    head, colon, tail = line.partition(":")
    if colon and not tail.strip() and re.search(r"[^\W\d]", head) and "[" not in head:
        return _NUMERAL.sub(spaces, line)
    if colon and re.match(r"\W*[^\W\d]", head) and "[" not in head:
        line = _WHOLE.sub(spaces, head) + colon + tail
    parts = _EQUALS.split(line)
    for place, part in enumerate(parts[:-1]):
        start = max(part.rfind(mark) for mark in (":", ",", ";", "|", "[", "]")) + 1
        bare = re.sub(r"tensor\([^()]{0,200}\)", "", part[start:]).lstrip(" -+")
        expression = re.search(r"\d[ ]*[-+*/^)]|[-+*/^(][ ]*\d", bare)
        part_of = _NUMERAL if expression else _WHOLE
        parts[place] = part[:start] + (
            part_of.sub(spaces, part[start:]) if expression or re.search(r"[^\W\d]", part[start:]) else part[start:]
        )
    return "=".join(parts)


def _with_decimal_points(text: str) -> str:
    """Write decimal commas as points, where no number has a point and the commas cannot part numbers."""
    found = _COMMA.findall(text)
    all_commas = len(re.findall(r"\d,\d", text))
    long = any(len(one.partition(",")[2]) > 3 for one in found)
    apart = re.search(r"\d,\d+(?:e[-+]?\d+)?(?: ?; ?| +(?:[^\W\d]+ +)?)[-−]?\d+,\d", text)
    if not found or all_commas != len(found) or re.search(r"\d\.\d|[\[(]\d", text) or not (long or apart):
        return text
    return _COMMA.sub(lambda one: one[0].replace(",", "."), text)
