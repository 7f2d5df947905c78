"""A visitor's text in Markdown, shown exactly as typed: none of it acts as markup."""

import re

_SPECIAL = re.compile(r"[\\`*\[\]<>~$|]|(?<!\w)_|_(?!\w)|:(?=\w)|-(?=>)|(?<=<)-|--")


def code(text: str) -> str:
    """Return the text as code, in a fence of more backticks than any run in the text."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}"


def plain(text: str) -> str:
    """Escape everything in the text that Markdown would take for markup."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def quoted(sentence: str, shown: str) -> str:
    """Return a sentence in Markdown that quotes a visitor's text, `shown`, as code.

    No link or picture in the quotation comes to life, and the rest of the sentence is escaped.
    """
    before, found, after = sentence.partition(shown) if shown else (sentence, "", "")
    return f"{plain(before)}{code(_typed(found)) if found else ''}{plain(after)}"


def _typed(shown: str) -> str:
    """The text without the quotation marks of its `repr`, which code does not need."""
    return shown[1:].removesuffix(shown[0]) if len(shown) > 2 and shown[0] in "'\"" else shown
