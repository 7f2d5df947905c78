"""Labels: the short texts that name the values of a paste, and whether it has any other words.

A label stands before its value (`weight.grad:`, `loss =`), after it in its line, or on a line of
its own above. What a label says never decides a verdict. It decides which values belong together,
and whether a value is a difference.
"""

import re
from collections.abc import Sequence

from lib.paste.values import Value

_MARK = "\ufffc"
"""Stands for a value in a text of nothing but words."""

_BEFORE = " \t,;|{}\"':=[]-*•"
_AFTER = " \t,;|{}\"':=["
_RULE = re.compile(r"[-=_*#~+|:. \t]*")
_WORD = re.compile(r"[\w.\[\]()/'\"#@%<>^*+-]*[\w\])%]:?")
_VERSUS = re.compile(r"vs\.?|versus|!|≠|")
_SUBTRACTION = re.compile(r"(?:[\])]|\w[._]\w+) - \w|\w - \w+[._(\[]")
_IS_ASSIGNED = re.compile(r"[:=|]\s*$")
_MOST_WORDS = 6
_MOST_BARE_WORDS = 3

_WORDS = {
    "limit": r"[ar]?tol|limit|threshold|allowed",
    "relative": r"rel(?:ative|[-_ ]?(?:err|diff)|\b)|ratio|percent",
    "difference": r"diff|err|delta|discrepanc|deviation|gap(?![a-z])|mismatch|residual",
}
_ROLES = {role: re.compile(rf"(?i)(?<![a-z])(?:{words})") for role, words in _WORDS.items()}
"""What a label says of its value, and the words that say it, if they begin a word."""


def role_of(label: str) -> str:
    """Return what a label says of its value: "limit", "relative", "difference" or ""."""
    fits = (role for role, words in _ROLES.items() if words.search(label))
    return next(fits, "")


def has_subtraction(text: str) -> bool:
    """Whether a text has code that subtracts: what is printed after it may be a difference."""
    return _SUBTRACTION.search(text) is not None


def labelled(text: str, values: Sequence[Value]) -> tuple[tuple[Value, ...], bool]:
    """Return the values of numbers with their labels, and whether the text has nothing else."""
    remaining = (value for value in values if value.numbers)
    words_alone = _without(text, values)
    pure = words_alone.count("[") == words_alone.count("]")
    heading = ""
    named: list[Value] = []
    for words in words_alone.split("\n"):
        *before, after = words.split(_MARK)
        label_after = _cleaned(after)
        if not before:
            is_label = _is_label(label_after, _MOST_WORDS)
            pure &= is_label or _RULE.fullmatch(words) is not None
            heading = label_after if is_label and label_after else heading
            continue
        pure &= _is_label(label_after, _MOST_WORDS)
        line_label = ""
        for place, label in enumerate(before):
            value = next(remaining)
            is_bracketed = bool(value.shape or value.name)
            most_words = _MOST_WORDS
            if not is_bracketed and not _IS_ASSIGNED.search(label):
                # other words before a number are a sentence, but for a few that begin the line
                most_words = 0 if place or value.counts else _MOST_BARE_WORDS
            own = _cleaned(label)
            own = "" if _VERSUS.fullmatch(own) else own
            fits = _is_label(own, most_words) and (is_bracketed or not (own and label_after))
            pure &= fits
            own = own if fits else ""
            if len(before) == 1:
                own = own or label_after
            line_label = own or line_label
            label = line_label or heading
            named.append(value._replace(label=label, named=own != ""))
    return tuple(named), pure


def _without(text: str, values: Sequence[Value]) -> str:
    """Return the text with a mark for each value of numbers, and nothing for the others."""
    text = text.replace(_MARK, " ")
    pieces: list[str] = []
    end = 0
    for value in values:
        pieces += [text[end : value.span[0]], _MARK if value.numbers else ""]
        end = value.span[1]
    return "".join([*pieces, text[end:]])


def _cleaned(words: str) -> str:
    """Return a label without the marks around it."""
    label = " ".join(words.split()).lstrip(_BEFORE).rstrip(_AFTER)
    return label[1:-1] if re.fullmatch(r"\([^()]*\)", label) else label


def _is_label(words: str, most: int) -> bool:
    """Whether a text may be a label: some words, but no sentence and no code."""
    parts = words.split()
    no_code = words.count("(") == words.count(")") and "=" not in words
    return len(parts) <= most and no_code and all(map(_WORD.fullmatch, parts))
