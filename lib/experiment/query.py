"""An experiment: everything the user chose, as one immutable value. Its query string is its name.

This module is the trust boundary. Whatever a link, a form or a command line sends becomes an `Experiment` or raises a
`QueryError`, one sentence that names the field, the value and what is allowed. Each field has its bounds, and so does
the cost of a sample, so that no link can freeze or exhaust a host.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from difflib import get_close_matches
from itertools import chain, pairwise
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from lib.experiment import choices, functions, methods
from lib.experiment.fields import (
    Field,
    QueryError,
    expression,
    not_allowed,
    one_of,
    whole_number,
    widths,
)
from lib.experiment.views import RETIRED, VIEW_KEYS

WIDEST, MOST_OUTPUTS = 4096, 256
"""The most neurons of a layer, and of the last one."""

MOST_COST = {
    "parameters × outputs": 6_000_000,
    "parameters × inputs": 400_000_000,
    "widest layer × outputs": 65_536,
}
"""Bounds on products: about the multiplications of a Jacobian row by row, those in forward mode, which has one large
product for each layer, and the numbers that a picture of one sample has. A sample takes milliseconds on a core, in
forward mode tens."""

_MOST_HIDDEN = 6
_MOST_QUERY = 4096
_MOST_WORDS = (
    3  # choices that tell an experiment from another one before it is said that there are more
)

Value = TypeVar("Value")


def _chosen(default: Value, kind: Field) -> Value:
    """A field of the experiment: its default, and the kind that says what else it may be."""
    return field(default=default, metadata={"kind": kind})


@dataclass(frozen=True)
class Experiment:
    """Everything the user chose.

    The fields describe the network, the numbers, the method and the samples, then the function of the derivative study
    and where its x come from. `networks` says whether all samples share one network, `matmul` how a graphics card may
    round within a matrix product. `step` is the step of finite differences as the exponent in
    2**step·max(1, abs(x)); None stands for eps**(1/3)·max(1, abs(x)). `gradient` says which gradient the study of
    batches compares. `f` is a function of the visitor's own, in place of `function`, and `df` a derivative by hand.
    The defaults are the first post's experiment; those of the function are the third post's.

    Raises `QueryError` if a value has the wrong type or is out of bounds, or if a sample would cost too much.
    """

    inputs: int = _chosen(5, whole_number(1, WIDEST))
    hidden: tuple[int, ...] = _chosen((10,), widths(_MOST_HIDDEN, 1, WIDEST))
    outputs: int = _chosen(2, whole_number(1, MOST_OUTPUTS))
    activation: str = _chosen("relu", one_of(choices.ACTIVATIONS))
    output_activation: str = _chosen("sigmoid", one_of(choices.OUTPUT_ACTIVATIONS))
    dtype: str = _chosen("float32", one_of(choices.DTYPES))
    device: str = _chosen("cpu", one_of(choices.DEVICES))
    method: str = _chosen("functional", one_of(methods.METHODS))
    evaluation: str = _chosen("per-sample", one_of(choices.EVALUATIONS))
    distribution: str = _chosen("uniform", one_of(choices.DISTRIBUTIONS))
    samples: int = _chosen(5000, whole_number(1, 10**9))
    seed: int = _chosen(0, whole_number(0, 2**31 - 1))
    function: str = _chosen("reciprocal", one_of(functions.FUNCTIONS))
    x_from: str = _chosen("normal", one_of(choices.X_FROM))
    networks: str = _chosen("one", one_of(choices.NETWORKS))
    matmul: str = _chosen("default", one_of(choices.MATMULS))
    step: int | None = _chosen(None, whole_number(-60, 16, empty="eps^(1/3)"))
    gradient: str = _chosen("backward", one_of(choices.GRADIENTS))
    f: str = _chosen("", expression(functions.fault))
    df: str = _chosen("", expression(functions.unreadable))

    def __post_init__(self) -> None:
        for name, kind in FIELDS.items():
            kind.check(name, getattr(self, name))
        for (product, most), found in zip(MOST_COST.items(), self._costs, strict=True):
            if found > most:
                raise QueryError(
                    f"inputs, hidden and outputs make {product} = {found:,}, which is not allowed: "
                    f"it must be at most {most:,}."
                )

    @property
    def differentiated(self) -> str:
        """The name of the function of the derivative study, among the `functions.FUNCTIONS`."""
        return functions.named(self.f or self.function, self.df)

    @property
    def widths(self) -> tuple[int, ...]:
        """The widths of all layers, from the inputs to the outputs."""
        return (self.inputs, *self.hidden, self.outputs)

    @property
    def activations(self) -> tuple[str, ...]:
        """The activations of all layers; the last one is the output activation."""
        return (*[self.activation] * len(self.hidden), self.output_activation)

    @property
    def parameters(self) -> int:
        """The number of weights and biases of the network."""
        return sum((before + 1) * after for before, after in pairwise(self.widths))

    @property
    def cost(self) -> int:
        """Parameters × outputs: about the multiplications of one Jacobian of one sample."""
        return self.parameters * self.outputs

    @property
    def _costs(self) -> tuple[int, ...]:
        """The products that `MOST_COST` bounds."""
        return self.cost, self.parameters * self.inputs, max(self.widths) * self.outputs

    @property
    def query(self) -> str:
        """The canonical query: every field that differs from its default, in the order of the fields."""
        return urlencode(self.pairs(), safe=",")

    def pairs(self) -> dict[str, str]:
        """Return the canonical query as a dictionary of texts."""
        return {
            f.name: self.text(f.name) for f in fields(self) if getattr(self, f.name) != f.default
        }

    def text(self, name: str) -> str:
        """Return the value of one field as the query writes it."""
        return FIELDS[name].format(getattr(self, name))

    def to_dict(self) -> dict[str, object]:
        """Return every field by name, for JSON."""
        return asdict(self)

    def beside(self, other: "Experiment") -> str:
        """Return the first of the choices that another experiment does not share, such as "dtype float64, seed 3"."""
        texts = {name: self.text(name) for name in FIELDS if self.text(name) != other.text(name)}
        changed = [f"{name} {text}" if text else f"no {name}" for name, text in texts.items()]
        return ", ".join(changed[:_MOST_WORDS]) + (", …" if len(changed) > _MOST_WORDS else "")

    def while_allowed(self, changes: Iterable[Mapping[str, Any]]) -> list["Experiment"]:
        """Return the experiment with each change in turn, up to the first that makes the network too large."""
        found = []
        for change in changes:
            try:
                found.append(replace(self, **change))
            except QueryError:
                break
        return found

    @classmethod
    def parse(cls, query: str) -> "Experiment":
        """Parse a query string, with or without a leading `?`, or a whole URL."""
        return cls.from_pairs(pairs_of(query))

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[str, str]]) -> "Experiment":
        """Build an experiment from (key, text) pairs. Unknown keys are ignored, since link trackers add their own."""
        values: dict[str, Any] = {}
        for key, text in chain.from_iterable(_in_fields(*pair) for pair in pairs):
            if key in values:
                twice = (
                    f"{key} = {{}} is a second value for this key: each key may appear only once."
                )
                raise QueryError.quoting(twice, text)
            values[key] = FIELDS[key].parse(text)
            FIELDS[key].check(key, values[key], text)
        return cls(**values)


FIELDS: dict[str, Field] = {one.name: one.metadata["kind"] for one in fields(Experiment)}
"""The kind of each field of an experiment, in their order."""

LAYERS, SHAPE = "layers", ("inputs", "hidden", "outputs")
"""The key of the page's control for the shape, which stands for the three fields together."""


def layers_of(text: str) -> dict[str, str]:
    """Return the fields that layer sizes such as "5 10 2" stand for; arrows, commas or spaces separate them."""
    first, *others = re.split(r"(?:[\s→,;>–]|-(?!\d))+|(?<=\d)-", text.strip())
    return dict(
        zip(SHAPE, (first, ",".join(others[:-1]), others[-1] if others else ""), strict=True)
    )


def _in_fields(key: str, text: str) -> Iterable[tuple[str, str]]:
    if key != LAYERS:
        return [(key, text)] if key in FIELDS else []
    shape = layers_of(text)
    if not all(FIELDS[name].admits(FIELDS[name].parse(part)) for name, part in shape.items()):
        sizes = f"at most {_MOST_HIDDEN + 2}, up to {WIDEST} each and {MOST_OUTPUTS} outputs"
        raise not_allowed(LAYERS, text, f"type layer sizes, for example 5 10 2: {sizes}")
    return shape.items()


def pairs_of(query: str) -> list[tuple[str, str]]:
    """Return the (key, text) pairs of a query string or a whole URL; each key is one that some link has."""
    if len(query) > _MOST_QUERY:
        raise QueryError(
            f"The query has {len(query):,} characters; at most {_MOST_QUERY:,} are allowed."
        )
    is_url = re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", query)
    try:
        text = urlsplit(query).query if is_url else query.removeprefix("?")
    except ValueError:
        raise QueryError.quoting("The address {} is not a URL.", query) from None
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=True) if text else []
    except ValueError:
        raise QueryError.quoting("The query {} is not key=value pairs joined by &.", text) from None
    for key, _ in pairs:
        if key not in (LAYERS, *FIELDS) and key not in VIEW_KEYS and key not in RETIRED:
            nearest = get_close_matches(key, FIELDS, n=1, cutoff=0)[0]
            raise QueryError.quoting(
                f"{{}} is not a key of the query: the closest one is {nearest}.", key
            )
    return pairs


PRESETS = {
    "the post": Experiment(),
    "one output": Experiment(outputs=1),
    "a wide network": Experiment(hidden=(64, 64)),
    "a million samples": Experiment(evaluation="batched", samples=10**6),
}
"""Experiments worth seeing, by the name that the page gives them."""
