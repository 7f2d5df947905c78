"""What the page says, in Markdown: sentences with conditions, explanations, quoted texts.

A sentence is one text with figures in it, and one condition under which it is shown. It has no
variants: two wordings are two rows. A figure that needs only a label is not a sentence.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_DOCUMENTATION = "https://docs.pytorch.org/docs/stable/"
_SPECIAL = re.compile(r"[\\`*_\[\]<>~$|]|:(?=\w)|-(?=>)|(?<=<)-|--")


@dataclass(frozen=True)
class Sentence:
    """One sentence of the page, in Markdown.

    `text` names its figures as attributes of the facts, as in "{f.equal} of {f.components:,}
    components are equal.", and `when` returns whether the facts make the sentence true and worth
    a line.
    """

    text: str
    when: Callable[[Any], bool] = lambda facts: True


def said(rows: Iterable[Sentence], facts: object) -> str:
    """Return the sentences whose condition the facts meet, in their order, as one paragraph."""
    return " ".join(row.text.format(f=facts) for row in rows if row.when(facts))


def why(reason: str, remedy: str, api: Mapping[str, str]) -> str:
    """Return the explanation in a section: why, and what to do, for readers new to floats.

    The reason has at most one formula. `api` maps names to pages of PyTorch's documentation.
    """
    links = ", ".join(f"[{name}]({_DOCUMENTATION}{page})" for name, page in api.items())
    return f"**Why?** {reason}\n\n**What to do:** {remedy} PyTorch's documentation: {links}."


def code(text: str) -> str:
    """Return the text as inline code, between more backticks than the text has in a row."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}"


def plain(text: str) -> str:
    """Escape everything in the text that Markdown would take for markup."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def quoted(sentence: str, shown: str) -> str:
    """Return a sentence in Markdown that quotes a visitor's text, `shown`, as code.

    Links and images in the quotation stay text, and the rest of the sentence is escaped.
    """
    before, found, after = sentence.partition(shown) if shown else (sentence, "", "")
    return f"{plain(before)}{code(found) if found else ''}{plain(after)}"
