"""An experiment: everything the user chose, as one immutable value. Its query string is its name.

This module is the trust boundary. Whatever a link, a form or a command line sends becomes an
`Experiment` or raises a `QueryError`, one sentence that names the field, the value and what is
allowed. Each field has its bounds, and so does the cost of a sample, so that no link can freeze or
exhaust a host.
"""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from itertools import chain, pairwise
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from lib.experiment import choices, functions, methods
from lib.experiment.field_kinds import (
    Field,
    QueryError,
    expression,
    not_allowed,
    one_of,
    whole_number,
    widths,
)

WIDEST = 4096
"""The most neurons of a layer."""

MOST_OUTPUTS = 256
"""The most outputs."""

MOST_COST = {
    "parameters × outputs": 6_000_000,
    "parameters × inputs": 400_000_000,
    "widest layer × outputs": 65_536,
}
"""Bounds on the cost of a sample. At the bounds, a sample takes milliseconds on one core, in
forward mode tens of milliseconds.

- parameters × outputs: about the multiplications of a Jacobian in reverse mode, row by row.
- parameters × inputs: about those in forward mode, which has one large product for each layer.
- widest layer × outputs: the numbers in a picture of one sample.
"""

_MOST_HIDDEN = 6
_MOST_QUERY = 4096

Value = TypeVar("Value")


def _chosen(default: Value, kind: Field) -> Value:
    """A field of the experiment: its default, and the kind that says what else it may be."""
    return field(default=default, metadata={"kind": kind})


@dataclass(frozen=True)
class Experiment:
    """Everything the user chose. The defaults are the experiment that the page opens with.

    Args:
        inputs, hidden, outputs: the number of inputs, the hidden widths, the number of outputs.
        activation, output_activation: the activation of the hidden layers, and of the outputs.
        dtype: the dtype of weights, samples and gradients.
        device: where the gradients are computed.
        method: how the Jacobian is computed.
        evaluation: whether samples are computed one by one or in batches.
        distribution: the distribution of the samples.
        samples: the number of samples.
        seed: the seed of weights and samples.
        function: the function of the derivative study.
        x_from: the distribution of x in the derivative study.
        networks: whether all samples share one network.
        matmul: how a graphics card may round within a matrix product.
        step: the exponent k of the step of finite differences, 2**k·max(1, abs(x)). None stands for
            the step eps**(1/3)·max(1, abs(x)).
        gradient: which gradient the study of batches compares.
        f: a visitor's function, used instead of `function` if it is not empty.
        df: a visitor's derivative of the function, or "".

    Raises:
        QueryError: if a value has the wrong type or is out of bounds, or a sample costs too much.
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
        costs = (self.cost, self.parameters * self.inputs, max(self.widths) * self.outputs)
        for (product, most), cost in zip(MOST_COST.items(), costs, strict=True):
            if cost > most:
                raise QueryError(
                    f"inputs, hidden and outputs make {product} = {cost:,}, which is not allowed: "
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
    def layers(self) -> str:
        """The widths as in the page's control and in the address: "5 10 2"."""
        return " ".join(map(str, self.widths))

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
    def query(self) -> str:
        """The canonical query: the fields that are not at their defaults, in their order."""
        return urlencode(self.pairs(), safe=",")

    def pairs(self) -> dict[str, str]:
        """Return the canonical query as a dictionary of texts."""
        changed = [
            field.name for field in fields(self) if getattr(self, field.name) != field.default
        ]
        return {name: self.text(name) for name in changed}

    def text(self, name: str) -> str:
        """Return the value of one field as the query writes it."""
        return FIELDS[name].format(getattr(self, name))

    def to_dict(self) -> dict[str, object]:
        """Return every field by name, for JSON."""
        return asdict(self)

    @classmethod
    def parse(cls, query: str) -> "Experiment":
        """Parse a query string, or a link to the page, which is a URL or begins with `?`.

        Raises `QueryError` if it cannot be read, or if a value is not allowed.
        """
        return cls.from_pairs(pairs_of(query))

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[str, str]]) -> "Experiment":
        """Return the experiment of (key, text) pairs. Keys of anything else are ignored.

        Raises:
            QueryError: if a value is not allowed, or if a key appears twice.
        """
        values: dict[str, Any] = {}
        for key, text in chain.from_iterable(_in_fields(*pair) for pair in pairs):
            if key in values:
                twice = "is a second value for this key: each key may appear only once."
                raise QueryError.quoting(f"{key} = {{}} {twice}", text)
            values[key] = FIELDS[key].parse(text)
            FIELDS[key].check(key, values[key], text)
        return cls(**values)


FIELDS: dict[str, Field] = {field.name: field.metadata["kind"] for field in fields(Experiment)}
"""The kind of each field of an experiment, in their order."""

LAYERS = "layers"
"""The key of the page's control for the shape, which stands for the three fields of `SHAPE`."""

SHAPE = ("inputs", "hidden", "outputs")


def layers_of(text: str) -> dict[str, str]:
    """Return inputs, hidden and outputs, as texts, from layer sizes such as "5 10 2".

    Arrows, commas, hyphens or spaces separate the sizes. A hyphen as in "5 -10" is a minus sign.
    """
    first, *others = re.split(r"(?:[\s→,;>–]|-(?!\d))+|(?<=\d)-", text.strip())
    outputs = others.pop() if others else ""
    return {"inputs": first, "hidden": ",".join(others), "outputs": outputs}


def _in_fields(key: str, text: str) -> Iterable[tuple[str, str]]:
    if key != LAYERS:
        return [(key, text)] if key in FIELDS else []
    shape = layers_of(text)
    if not all(FIELDS[name].admits(FIELDS[name].parse(part)) for name, part in shape.items()):
        sizes = f"at most {_MOST_HIDDEN + 2} layer sizes up to {WIDEST}, such as 5 10 2"
        raise not_allowed(LAYERS, text, f"type {sizes}, with at most {MOST_OUTPUTS} outputs")
    return shape.items()


def pairs_of(query: str) -> list[tuple[str, str]]:
    """Return the (key, text) pairs of a query string or a link.

    A link to the page may have other keys than those of an experiment; a query string may not.

    Raises:
        QueryError: if the text is too long, is not made of pairs, or has a key that is not allowed.
    """
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
    is_link = is_url or query.startswith("?")
    for key, _ in pairs:
        if not is_link and key not in (LAYERS, *FIELDS):
            nearest = get_close_matches(key, FIELDS, n=1, cutoff=0)[0]
            raise QueryError.quoting(
                f"{{}} is not a key of the query: the closest one is {nearest}.", key
            )
    return pairs
