"""What in a paste has digits and is no value: dtypes, margins, code, settings, places, counts, versions.

It is blanked out with as many spaces, so that every number keeps its place in the text. Words stay where they may be a
label. What is left out only beside better candidates, such as a step or a percentage, is left to `sides`.
"""

import re
from collections import Counter

from lib.experiment.choices import DTYPES
from lib.paste.patterns import CODE, MARGINS, NOISE, TEXT
from lib.paste.printed import PasteError

_NAMES = {alias.lower(): name for name, dtype in DTYPES.items() for alias in (name, *dtype.aliases)}
_NAMES |= {"bf16": "bfloat16"} | {f"{f}{bits}": f"float{bits}" for bits in (16, 32, 64) for f in ("fp", "f")}
_NAMES |= {"complex64": "float32", "complex128": "float64", "cfloat": "float32", "cdouble": "float64"}


def spaces(found: re.Match[str] | str) -> str:
    return re.sub(r"[^\n]", " ", found if isinstance(found, str) else found[0])


def without_dtypes(text: str) -> tuple[str, list[str]]:
    """Blank out dtypes, and list them. A tensor printed without one beside another with one is of PyTorch's default."""
    dtypes: list[str] = []

    def named(found: re.Match[str]) -> str:
        name = found[3].lower()
        dtype = _NAMES.get(name)
        if found[1] and re.match(r"complex|float8", name) and not TEXT["complex"].search(text):
            allowed = ", ".join(DTYPES)
            raise PasteError.quoting(f"The paste's dtype {{}} cannot be read: it must be one of {allowed}.", found[3])
        dtypes.extend([dtype] if dtype else [_NAMES[part] for part in name.split("_") if part in _NAMES])  # grad_bf16
        return spaces(found) if dtype or found[1] else found[0]

    if len({"dtype=" in tensor for tensor in TEXT["tensor"].split(text)[1:]}) == 2:
        dtypes.append("float32")
    return TEXT["dtype"].sub(named, text), dtypes


def without_noise(text: str) -> tuple[str, list[str]]:
    """Return the text with all that is no value blanked out, and what of that has digits.

    What was typed, and what is in the brackets of a call, is none.
    """
    passed: list[str] = []

    def blank(found: re.Match[str]) -> str:
        if re.search(r"\d", found[0]):
            passed.append(found[0].strip()[:60])
        return spaces(found)

    text = _with_decimal_points(MARGINS.sub(spaces, text.replace("\\n", "  ")))
    if "(DESIRED)" in text:  # the arrays whose differences NumPy lists
        text = "\n".join(line if re.search(r"\(DESIRED\)|Max ", line) else spaces(line) for line in text.split("\n"))
    if re.search(r"\d|\bnan\b|\binf\b", CODE["typed"].sub("", text)):
        text = CODE["typed"].sub(lambda line: TEXT["numeral"].sub(spaces, line[0]), text)
    text = NOISE.sub(blank, text)
    return CODE["call"].sub(lambda one: one[0] if CODE["value"].search(one[1]) else _words_alone(one[0]), text), passed


def _words_alone(call: str) -> str:
    """Blank out the arguments of a call of a function that is no tensor, such as `randn(3, 4)`."""
    return re.sub(r"\b\d[\w.]*|[^\w-]", lambda one: " " * len(one[0]), call)


def _with_decimal_points(text: str) -> str:
    """Write decimal commas as points, where no number has a point and the commas cannot part numbers."""
    long = any(len(one.partition(",")[2]) > 3 for one in TEXT["comma"].findall(text))
    pointed = re.search(r"(?<![\d.])\d+\.\d+(?!\.?\d)|[\[(]\d", text)
    return TEXT["comma"].sub(lambda one: one[0].replace(",", "."), text) if long and not pointed else text


def without_signs_of_a_diff(text: str) -> tuple[str, dict[int, str]]:
    """Of a diff, blank out its signs and the lines that both have, and say which lines were expected."""
    lines = text.split("\n")
    signs = {at: found[2] for at, line in enumerate(lines) if (found := TEXT["sign"].match(line))}
    counts = Counter(signs.values())
    if TEXT["signed"].search(text) or not counts["-"] == counts["+"] > 0:
        return text, {}
    left = (TEXT["sign"].sub(spaces, line, 1) if at in signs else spaces(line) for at, line in enumerate(lines))
    return "\n".join(left), {at: "expected" if sign == "-" else "got" for at, sign in signs.items()}
