"""Sentences of the page about a replay, in Markdown."""

from dataclasses import dataclass

import torch

from lib.display.sentences import Sentence
from lib.experiment.methods import METHODS
from lib.floats.line import shortest
from lib.replay.replay import Replay
from lib.replay.tables import decimal

_WHERE = {
    "product": "where a product is rounded",
    "sum": "where an addition is rounded",
    "order": "where the terms are added in another order",
    "rounding": "where the sum is rounded to 16 bits",
    "slope": "where the slope of the activation is multiplied in",
    "sum of rows": "where the rows are added",
}


@dataclass(frozen=True)
class Facts:
    """A replay, and its figures as texts."""

    replay: Replay

    @property
    def place(self) -> str:
        return f"component {self.replay.component} of sample {self.replay.sample:,}"

    @property
    def label(self) -> str:
        return METHODS[self.replay.replayed].label

    @property
    def backward(self) -> str:
        return self._text(self.replay.backward_result)

    @property
    def jacobian(self) -> str:
        return self._text(self.replay.jacobian_result)

    @property
    def by_method(self) -> str:
        return self._text(self.replay.method_result)

    @property
    def diverges(self) -> bool:
        return self.replay.first_divergence is not None

    @property
    def where(self) -> str:
        divergence = self.replay.first_divergence
        return f"the gradient of {divergence.unit}, {_WHERE[divergence.operation]}" if divergence else ""

    @property
    def there(self) -> str:
        """The backward gradient where the two diverge."""
        return self._text(self.replay.first_divergence.backward) if self.replay.first_divergence else ""

    @property
    def rows(self) -> str:
        return decimal(self.replay.first_divergence.exact) if self.replay.first_divergence else ""

    def _text(self, value: float) -> str:
        return shortest(value, getattr(torch, self.replay.dtype))


FIRST_DIVERGENCE = (
    Sentence("There is no replay of {f.place}. {f.replay.reason}", lambda f: not f.replay.verified),
    Sentence(
        "In {f.place}, `backward()` and `{f.label}` never diverge.", lambda f: f.replay.verified and not f.diverges
    ),
    Sentence("In {f.place}, `backward()` and `{f.label}` first diverge in {f.where}.", lambda f: f.diverges),
    Sentence("There, `backward()` has `{f.there}`, and the rows add up to {f.rows}.", lambda f: f.diverges),
    Sentence("The results are `{f.backward}` and `{f.jacobian}`.", lambda f: f.replay.verified),
)
"""Where the two evaluations of a component diverge."""

OTHER_METHOD = (
    Sentence(
        "These are the operations of `{f.label}`: `{f.replay.method}` gives `{f.by_method}` here.",
        lambda f: f.replay.verified and f.replay.method != f.replay.replayed,
    ),
)

VERIFIED = (
    Sentence(
        "Verified: the replay reproduces PyTorch's own bits in every gradient on the way. Order of addition: "
        "{f.replay.dot_order} in dot products, {f.replay.sum_order} in the sum of rows. Errors are in ulps, and ≈ "
        "marks an exact sum that is rounded to float64.",
        lambda f: f.replay.verified,
    ),
)
