"""Sentences of the page about a replay, in Markdown."""

from dataclasses import dataclass
from typing import Self

import torch

from lib.experiment.methods import METHODS
from lib.floats.line import shortest
from lib.floats.sentences import Sentence
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
    """A replay, and its figures as texts: those of the first divergence are empty if there is none."""

    replay: Replay
    place: str
    label: str
    backward: str
    jacobian: str
    by_method: str
    where: str
    there: str
    rows: str

    @classmethod
    def of(cls, replay: Replay) -> Self:
        found = replay.first_divergence

        def text(value: float) -> str:
            return shortest(value, getattr(torch, replay.dtype))

        return cls(
            replay,
            f"component {replay.component} of sample {replay.sample:,}",
            METHODS[replay.replayed].label,
            text(replay.backward_result),
            text(replay.jacobian_result),
            text(replay.method_result),
            f"the gradient of {found.unit}, {_WHERE[found.operation]}" if found else "",
            text(found.backward) if found else "",
            decimal(found.exact) if found else "",
        )


FIRST_DIVERGENCE = (
    Sentence("There is no replay of {f.place}. {f.replay.reason}", lambda f: not f.replay.verified),
    Sentence("In {f.place}, `backward()` and `{f.label}` never diverge.", lambda f: f.replay.verified and not f.where),
    Sentence("In {f.place}, `backward()` and `{f.label}` first diverge in {f.where}.", lambda f: f.where),
    Sentence("There, `backward()` has `{f.there}`, and the rows add up to {f.rows}.", lambda f: f.where),
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
