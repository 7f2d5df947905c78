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
_WORD = re.compile(r"[\w.\[\]()/'\"#@%<>^*+-]*(?<=[\w\])%])(?:=\w+)?\)?:?")
_VERSUS = re.compile(r"vs\.?|versus|!|≠|but got|")
_APART = re.compile(r"\|(?:Δ\w*|[^|=:]+ [-−] [^|=:]+)\|")
_IS_ASSIGNED = re.compile(r"[:=|]\s*$")
_ARGUMENTS = re.compile(r"(?<=\w)\([^()]{0,40}\)|(?<=\w)\[[^\[\]]{0,40}\]")
_MOST_WORDS = 6
_MOST_BARE_WORDS = 3

_WORDS = {
    "limit": r"[ar]?tol|limit|threshold|allowed|rel(?:ative|[-_ ]?(?:err|diff)|\b)|ratio|percent",
    "difference": r"(?<!finite[ _-])(?<!central[ _-])diff|err|delta|discrepanc|deviation|mismatch"
    r"|gap(?![a-z])|residual",
}
_ROLES = {role: re.compile(rf"(?i)(?<![a-z])(?:{words})") for role, words in _WORDS.items()}
"""What a label says of its value, and the words that say it, if they begin a word."""


def role_of(label: str) -> str:
    """Return what a label says of its value: "limit" or a ratio, "difference", or ""."""
    fits = (role for role, words in _ROLES.items() if words.search(label))
    return next(fits, "")


def labelled(text: str, values: Sequence[Value]) -> tuple[list[Value], bool]:
    """Return the values with their labels, and whether the text has nothing else."""
    ends = [0, *(value.span[1] for value in values)]
    starts = [*(value.span[0] for value in values), len(text)]
    parts = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    words_alone = _MARK.join(part.replace(_MARK, " ") for part in parts)
    pure = words_alone.count("[") == words_alone.count("]") and " == " not in words_alone
    remaining = iter(values)
    heading = ""
    named: list[Value] = []
    for words in words_alone.split("\n"):
        *before, after = words.split(_MARK)
        label_after = "" if after == "." else _cleaned(after)
        is_label = _is_label(label_after, _MOST_WORDS)
        pure &= is_label
        if not before:
            heading = label_after if is_label else ""
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
            label = own if fits and own else label_after if len(before) == 1 else ""
            named.append(value._replace(label=label or heading))
            heading = ""
    return named, pure


def _cleaned(words: str) -> str:
    """Return a label without the marks around it, and |a - b| in words."""
    return " ".join(_APART.sub(" difference", words).split()).lstrip(_BEFORE).rstrip(_AFTER)


def _is_label(words: str, most: int) -> bool:
    """Whether a text may be a label: some words, but no sentence and no code."""
    parts = _ARGUMENTS.sub("", words).replace(" @ ", " ").split()
    no_code = words.count("(") == words.count(")")
    return len(parts) <= most and no_code and all(map(_WORD.fullmatch, parts))
