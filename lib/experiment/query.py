"""An experiment: everything the user chose, as one immutable value. Its query string is its name.

This module is the trust boundary. Whatever a link, a form or a command line sends becomes an `Experiment` or raises a
`QueryError`, one sentence that names the field, the value and what is allowed. Each field has its bounds, and so does
the cost of a sample, so that no link can freeze or exhaust a host.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from difflib import get_close_matches
from itertools import chain, pairwise
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from lib.experiment import choices, functions, methods
from lib.experiment.fields import EXPRESSION, Field, Refusal, one_of, or_empty, whole_number, widths
from lib.experiment.views import RETIRED, VIEW_KEYS

WIDEST, MOST_OUTPUTS = 4096, 256
"""The most neurons of a layer, and of the last one."""

MOST_COST = {"parameters × outputs": 6_000_000, "parameters × inputs": 400_000_000, "widest layer × outputs": 65_536}
"""Bounds on products: about the multiplications of a Jacobian row by row, those in forward mode, which has one large
product for each layer, and the numbers that a picture of one sample has. A sample takes milliseconds on a core, in
forward mode tens."""

_MOST_HIDDEN = 6
_LAYERS = f"layer sizes, for example 5 10 2: at most {_MOST_HIDDEN + 2}, up to {WIDEST} each and {MOST_OUTPUTS} outputs"
_MOST_QUERY = 4096
_MOST_WORDS = 3  # choices that tell an experiment from another one before it is said that there are more


class QueryError(Refusal):
    """The reason why a query is refused, in one sentence: the field, the value and what is allowed."""


FIELDS: dict[str, Field] = {
    "inputs": whole_number(1, WIDEST),
    "hidden": widths(_MOST_HIDDEN, 1, WIDEST),
    "outputs": whole_number(1, MOST_OUTPUTS),
    "activation": one_of(choices.ACTIVATIONS),
    "output_activation": one_of(choices.OUTPUT_ACTIVATIONS),
    "dtype": one_of(choices.DTYPES),
    "device": one_of(choices.DEVICES),
    "method": one_of(methods.METHODS),
    "evaluation": one_of(choices.EVALUATIONS),
    "distribution": one_of(choices.DISTRIBUTIONS),
    "samples": whole_number(1, 10**9),
    "seed": whole_number(0, 2**31 - 1),
    "function": one_of(functions.FUNCTIONS),
    "x_from": one_of(choices.X_FROM),
    "networks": one_of(choices.NETWORKS),
    "matmul": one_of(choices.MATMULS),
    "step": or_empty(whole_number(-60, 16), "eps^(1/3)"),
    "gradient": one_of(choices.GRADIENTS),
    "f": EXPRESSION,
    "df": EXPRESSION,
}

LAYERS, SHAPE = "layers", ("inputs", "hidden", "outputs")
"""The key of the page's control for the shape, which stands for the three fields together."""


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

    inputs: int = 5
    hidden: tuple[int, ...] = (10,)
    outputs: int = 2
    activation: str = "relu"
    output_activation: str = "sigmoid"
    dtype: str = "float32"
    device: str = "cpu"
    method: str = "functional"
    evaluation: str = "per-sample"
    distribution: str = "uniform"
    samples: int = 2000
    seed: int = 0
    function: str = "reciprocal"
    x_from: str = "normal"
    networks: str = "one"
    matmul: str = "default"
    step: int | None = None
    gradient: str = "backward"
    f: str = ""
    df: str = ""

    def __post_init__(self) -> None:
        for name, field in FIELDS.items():
            value = getattr(self, name)
            if not field.admits(value):
                raise _refused(name, field, value)
        if self.f and (fault := functions.fault(self.f)):
            raise _not_allowed("f", self.f, fault)
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
    def widest(self) -> int:
        """The width of the widest layer, the inputs included."""
        return max(self.widths)

    @property
    def cost(self) -> int:
        """Parameters × outputs: about the multiplications of one Jacobian of one sample."""
        return self.parameters * self.outputs

    @property
    def _costs(self) -> tuple[int, ...]:
        """The products that `MOST_COST` bounds."""
        return self.cost, self.parameters * self.inputs, self.widest * self.outputs

    @property
    def options(self) -> dict[str, object]:
        """The arguments that the method takes in addition to a network and x, by name."""
        return {name: getattr(self, name) for name in methods.METHODS[self.method].options}

    @property
    def query(self) -> str:
        """The canonical query: every field that differs from its default, in the order of the fields."""
        return urlencode(self.pairs(), safe=",")

    def pairs(self) -> dict[str, str]:
        """Return the canonical query as a dictionary of texts."""
        return {f.name: self.text(f.name) for f in fields(self) if getattr(self, f.name) != f.default}

    def text(self, name: str) -> str:
        """Return the value of one field as the query writes it."""
        return FIELDS[name].format(getattr(self, name))

    def to_dict(self) -> dict[str, object]:
        """Return every field by name, for JSON."""
        return asdict(self)

    def beside(self, other: "Experiment") -> str:
        """Return the first of the choices that another experiment does not share, such as "dtype float64, seed 3"."""
        changed = [f"{name} {self.text(name) or 'none'}" for name in FIELDS if self.text(name) != other.text(name)]
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
                shown = _show(text)
                raise QueryError(
                    f"{key} = {shown} is a second value for this key: each key may appear only once.", shown
                )
            values[key] = FIELDS[key].parse(text)
            if not FIELDS[key].admits(values[key]):
                raise _refused(key, FIELDS[key], text)
        return cls(**values)


def layers_of(text: str) -> dict[str, str]:
    """Return the fields that layer sizes such as "5 10 2" stand for; arrows, commas or spaces separate them."""
    first, *others = re.split(r"[\s→,;>–-]+", text.strip())
    return dict(zip(SHAPE, (first, ",".join(others[:-1]), others[-1] if others else ""), strict=True))


def _in_fields(key: str, text: str) -> Iterable[tuple[str, str]]:
    if key != LAYERS:
        return [(key, text)] if key in FIELDS else []
    shape = layers_of(text)
    if not all(FIELDS[name].admits(FIELDS[name].parse(part)) for name, part in shape.items()):
        raise _not_allowed(LAYERS, text, f"type {_LAYERS}")
    return shape.items()


def pairs_of(query: str) -> list[tuple[str, str]]:
    """Return the (key, text) pairs of a query string or a whole URL; each key is one that some link has."""
    if len(query) > _MOST_QUERY:
        raise QueryError(f"The query has {len(query):,} characters; at most {_MOST_QUERY:,} are allowed.")
    text = _split_url(query) if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", query) else query.removeprefix("?")
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=True) if text else []
    except ValueError:
        shown = _show(text)
        raise QueryError(f"The query {shown} is not key=value pairs joined by &.", shown) from None
    for key, _ in pairs:
        if key not in (LAYERS, *FIELDS) and key not in VIEW_KEYS and key not in RETIRED:
            raise _unknown(key)
    return pairs


def _split_url(url: str) -> str:
    try:
        return urlsplit(url).query
    except ValueError:
        shown = _show(url)
        raise QueryError(f"The address {shown} is not a URL.", shown) from None


def _refused(name: str, field: Field, value: object) -> QueryError:
    reason = field.reason(value) if isinstance(value, str) else ""
    return _not_allowed(name, value, reason or f"it must be {field.allowed}")


def _not_allowed(name: str, value: object, reason: str) -> QueryError:
    shown = _show(value)
    return QueryError(f"{name} = {shown} is not allowed: {reason}.", shown)


def _unknown(key: str) -> QueryError:
    nearest = get_close_matches(key, FIELDS, n=1, cutoff=0)[0]
    shown = _show(key)
    return QueryError(f"{shown} is not a key of the query: the closest one is {nearest}.", shown)


def _show(value: object) -> str:
    try:
        text = repr(value) if isinstance(value, str) else " ".join(str(value).split())
    except ValueError:  # Python refuses to print whole numbers with more than a few thousand digits
        return "a number too long to print"
    return text if len(text) <= 60 else f"{text[:57]}…"


PRESETS = {
    "the post": Experiment(),
    "in float64": Experiment(dtype="float64"),
    "one output": Experiment(outputs=1),
    "a wide network": Experiment(hidden=(64, 64)),
    "bfloat16": Experiment(dtype="bfloat16"),
    "a million samples": Experiment(evaluation="batched", samples=10**6),
}
"""Experiments worth seeing, by the name that the page gives them."""
