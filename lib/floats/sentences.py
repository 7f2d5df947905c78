"""Sentences as rows: one text with figures in it, and one condition under which it is shown.

A sentence has no variants. If it would need one it is two rows, or better, it is not shown: a figure with a label says
what it can.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


def always(facts: object) -> bool:
    """The condition of a sentence that is true of every state."""
    return True


@dataclass(frozen=True)
class Sentence:
    """One sentence of the page, in Markdown.

    `text` names its figures as attributes of the facts, as in "{f.equal} of {f.components:,} components are equal.",
    and `when` says of the facts whether the sentence is true and worth a line.
    """

    text: str
    when: Callable[[Any], bool] = always

    def of(self, facts: object) -> str:
        """Return the text with the figures of these facts."""
        return self.text.format(f=facts)


def said(rows: Iterable[Sentence], facts: object) -> str:
    """Return the sentences that hold of the facts, in their order, as one paragraph."""
    return " ".join(row.of(facts) for row in rows if row.when(facts))
