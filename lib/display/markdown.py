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
