"""Labels: the short texts that name the values of a paste, and whether it has any other words.

A label stands before its value (`weight.grad:`, `loss =`), after it in its line, or on a line of its own above. What a
label says never decides a verdict. It decides which values belong together, and whether a value is a difference.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from lib.paste.values import Value

_MARK = "\ufffc"
"""Stands for a value in a text of nothing but words."""

_AROUND = " \t,;|{}\"'[]:="
_RULE = re.compile(r"[-=_*#~+|:. \t]*")
_WORD = re.compile(r"[\w.\[\]()/'\"#@%<>^*+-]*[\w\])%]:?")
_VERSUS = re.compile(r"vs\.?|versus|!|≠|")
_BULLET = re.compile(r"^\s*[-*•] (?=\s*[^\W\d])")
_PROMPT = (">>>", "... ")
_MOST_WORDS = 6
_MOST_BARE_WORDS = 3

_RELATIVE = re.compile(r"(?<![a-z])(?:rel|ratio|percent)", re.IGNORECASE)
_DIFFERENCE = re.compile(
    r"(?<![a-z])(?:diff|err|delta|discrepanc|deviation|gap(?![a-z])|mismatch|residual)", re.IGNORECASE
)
_LIMIT = re.compile(r"(?<![a-z])(?:[ar]?tol|limit|threshold|allowed)", re.IGNORECASE)


class Labelled(NamedTuple):
    """The values of a text with their labels, and whether the text has nothing else."""

    values: tuple[Value, ...]
    pure: bool


def role_of(label: str) -> str:
    """Return what a label says of its value: "limit", "relative", "difference" or ""."""
    if _LIMIT.search(label):
        return "limit"
    if _RELATIVE.search(label):
        return "relative"
    return "difference" if _DIFFERENCE.search(label) else ""


def labelled(text: str, values: Sequence[Value], booleans: Sequence[Value]) -> Labelled:
    """Give each value its label and the number of its line, counted without the lines inside values."""
    rest = _without(text, values, booleans)
    remaining = iter(values)
    heading = ""
    pure = True
    named: list[Value] = []
    for line, words in enumerate(rest.split("\n")):
        words = _BULLET.sub("", words)
        pieces = [_cleaned(piece) for piece in words.split(_MARK)]
        *before, after = pieces
        if not before:
            is_label = _is_label(after.replace(" | ", " "), _MOST_WORDS)
            pure &= is_label or _RULE.fullmatch(words) is not None or words.startswith(_PROMPT)
            heading = after if is_label and after else heading
            continue
        for place, label in enumerate(before):
            value = next(remaining)
            single = len(before) == 1
            own = "" if _VERSUS.fullmatch(label) else label
            fits = _is_label(own, _most_words(words, value, place))
            fits &= not (own and after) or _is_bracketed(value)
            pure &= fits
            own = own if fits else ""
            own = own or (after if single else "")
            named.append(value._replace(label=own or heading, named=own != "", line=line))
        pure &= not after or _is_label(after, _MOST_WORDS)
    return Labelled(tuple(named), pure)


def _most_words(words: str, value: Value, place: int) -> int:
    """Return how many words may name the value in this place of its line.

    A number without a bracket has a label before a colon or an equals sign, or one that begins the
    line and no whole number after it; other words before it are a sentence.
    """
    if _is_bracketed(value) or re.search(r"[:=|]\s*$", words.split(_MARK)[place]):
        return _MOST_WORDS
    return 0 if place or value.counts else _MOST_BARE_WORDS


def _is_bracketed(value: Value) -> bool:
    return bool(value.shape or value.name)


def _without(text: str, values: Sequence[Value], booleans: Sequence[Value]) -> str:
    """Return the text with a mark for each value, and nothing for each value of booleans."""
    text = text.replace(_MARK, " ")
    pieces: list[str] = []
    place = 0
    marks = [(value.span, _MARK) for value in values] + [(value.span, "") for value in booleans]
    for (start, end), mark in sorted(marks):
        pieces += [text[place:start], mark]
        place = end
    return "".join([*pieces, text[place:]])


def _cleaned(words: str) -> str:
    """Return a label without the marks around it."""
    label = " ".join(words.split()).strip(_AROUND)
    label = re.sub(r"^\)+|(?:^|(?<=[\s:=]))\($", "", label).strip(_AROUND)
    return label[1:-1] if re.fullmatch(r"\([^()]*\)", label) else label


def _is_label(words: str, most: int) -> bool:
    """Whether a text may be a label: some words, but no sentence and no code."""
    parts = words.split()
    no_code = words.count("(") == words.count(")") and "=" not in words
    return len(parts) <= most and no_code and all(map(_WORD.fullmatch, parts))
