"""Labels: the short texts that name the values of a paste, and whether it has any other words.

A label stands before its value (`weight.grad:`, `loss =`), after it in its line, or on a line of
its own above. A label alone never makes a verdict. It decides which values belong together,
and whether a value is a difference.
"""

import re
from collections.abc import Sequence

from lib.paste.values import Value

_MARK = "\ufffc"
"""Stands for a value in the text, of which only the words are left."""

_BEFORE = re.compile(r"(?:[\s,;|{})\"':=\[\]•]|\((?=['\"])|(?:OrderedD|d)ict\(|[-*]+(?=\s|$))+")
_OPERAND = re.compile(
    rf"(?:\w\(|[-−–+*/^<]|\S *[-−–+*/^<] +){_MARK}|{_MARK} *(?:[*/^×+]|[-−] |x 10)"
)
"""A value that is the argument of a function, or a part of a formula."""
_AFTER = " \t,;|{}\"':=[("
_VERSUS = re.compile(r"^\s*(?:vs\.?|versus|!?==?|[≠≈~]|but got)\s*$")
_ARGUMENTS = re.compile(r"[(\[][^()\[\]]{0,40}[)\]]")
"""What does not count as words of a label."""
_MOST_WORDS = 4

_ROLES = {
    "limit": re.compile(
        r"(?i)(?<![a-z])(?:[ar]?tol(?![a-z])|limit|threshold|rel(?:ative|_|\b)|ratio|percent)"
    ),
    "difference": re.compile(
        r"(?i)(?<![a-z])(?<!finite.)(?<!central.)(?<!auto.)(?<!forward.)(?:diff(?:erences?)?|delta)"
        r"(?![a-z(])|(?<![a-z])(?:abs|max|mean)[a-z _.-]*err|\|\S+ ?- ?\S"
        r"|(?:abs|norm|max|mean)\([^()=]*-|\([\w.]+ - [\w.]+\)|^\S+ - \S+$"
    ),
}
"""What a label says of its value, and the words or formulas that say so."""


def role_of(label: str) -> str:
    """Return what a label says: "limit" (also of a ratio or a percentage), "difference", or ""."""
    # x @ delta is a product, and after "diff 3" stands no difference.
    if "@" in label or label[-1:].isdigit():
        return ""
    fits = (role for role, words in _ROLES.items() if words.search(label))
    return next(fits, "")


def labelled(text: str, values: Sequence[Value]) -> list[Value] | None:
    """Return the values with their labels, or None if the text has other words."""
    ends = [0, *(value.span[1] for value in values)]
    starts = [*(value.span[0] for value in values), len(text)]
    parts = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    words_alone = _MARK.join(part.replace(_MARK, " ") for part in parts)
    if words_alone.count("[") != words_alone.count("]"):
        return None
    remaining = iter(values)
    heading = ""
    columns: list[str] = []
    named: list[Value] = []
    for words in words_alone.split("\n"):
        *before, after = words.split(_MARK)
        row = [next(remaining) for _ in before]
        labels = [_cleaned(label) for label in before]
        label_after = "" if after == "." else _cleaned(after)
        if _OPERAND.search(words) or not all(map(_is_label, [*labels, label_after])):
            return None
        if not row:
            heading = label_after
            # Pandas writes the name of an index on a line of its own.
            if not heading.isidentifier():
                columns = heading.split()
            continue
        has_index = row[0].is_count and not row[-1].is_count
        if heading and has_index and not any(labels):
            # The number of a row, as pandas prints it.
            del row[0], labels[0]
        if len(columns) == len(row) == 2 and not labels[1]:
            labels = [f"{labels[0]} {column}".strip() for column in columns]
        for value, label in zip(row, labels, strict=True):
            named.append(value._replace(label=label or label_after or heading))
    return named


def _cleaned(words: str) -> str:
    """Return a label without the marks around it, or "" for "versus"."""
    label = " ".join(_VERSUS.sub("", words).rpartition("{")[2].split())
    before = _BEFORE.match(label)
    label = label[before.end() if before else 0 :].rstrip(_AFTER)
    return label if re.search(r"\w|->", label) else ""


def _is_label(words: str) -> bool:
    """Whether a text may be a label: a few words, but no arrow, and no beginning of code."""
    parts = [part for part in _ARGUMENTS.sub("", words).split() if any(map(str.isalpha, part))]
    return len(parts) <= _MOST_WORDS and not re.match("->|import ", words)
