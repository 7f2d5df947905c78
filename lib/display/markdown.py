"""Text of a visitor in Markdown: shown as it was typed, so that nothing in it comes to life."""

import re

_SPECIAL = re.compile(r"[\\`*\[\]<>~$|]|(?<!\w)_|_(?!\w)|:(?=\w)|-(?=>)|(?<=<)-|--")


def code(text: str) -> str:
    """The text as code, in a fence that is longer than any in it."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}"


def plain(text: str) -> str:
    """The text with what Markdown would take for markup escaped."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def quoted(sentence: str, shown: str) -> str:
    """A sentence in Markdown, with the part that a visitor wrote as code: no link or picture in it comes to life, and
    nothing in the rest of it is markup."""
    before, found, after = sentence.partition(shown) if shown else (sentence, "", "")
    return f"{plain(before)}{code(_typed(found)) if found else ''}{plain(after)}"


def _typed(shown: str) -> str:
    """The text without the quotation marks that `repr` gave it: code needs none."""
    return shown[1:].removesuffix(shown[0]) if len(shown) > 2 and shown[0] in "'\"" else shown
