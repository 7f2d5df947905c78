"""What differs between two fingerprints: read from text that anything may have written, and compared sum by sum."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from lib.batch.fingerprint import FORMAT, hash_of, subject
from lib.experiment.query import Experiment, QueryError


class FingerprintError(Exception):
    """Why a text is no fingerprint that can be compared, as the rest of a sentence that begins with its name."""


class Place(NamedTuple):
    """Where sums are added: in a batch of so many samples, or alone if it is None; in which layer and direction."""

    batch: int | None
    layer: int
    direction: str


class Group(NamedTuple):
    """Rows and columns of a layer whose sums are added in one order: the hash of its tree, how its products are
    rounded, and the tree as text."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    hash: str
    products: str
    tree: str

    @property
    def order(self) -> dict[str, str]:
        return {"hash": self.hash, "products": self.products, "tree": self.tree}


@dataclass(frozen=True)
class Fingerprint:
    """A fingerprint: `groups` and, where there are none, `reasons` by place; `activations` by name, as the hashes of
    the bits of their values and of their slopes; `machine` is the environment with its settings."""

    experiment: Experiment
    hash: str | None
    groups: Mapping[Place, tuple[Group, ...]]
    reasons: Mapping[Place, str]
    activations: Mapping[str, tuple[str, str]]
    machine: Mapping[str, object]

    @classmethod
    def read(cls, text: str | bytes) -> "Fingerprint":
        """Read what `fingerprint` returns, as JSON. Raise `FingerprintError` if it is anything else."""
        try:
            figures = json.loads(text)
        except (ValueError, RecursionError):
            raise FingerprintError("is not JSON") from None
        if not isinstance(figures, dict) or "format" not in figures or "orders" not in figures:
            raise FingerprintError("is no fingerprint: `--fingerprint` prints one")
        if figures["format"] != FORMAT:
            raise FingerprintError(f"has another format: this version reads format {FORMAT}")
        try:
            if hash_of(figures["orders"], figures["activations"]) != figures["hash"]:
                raise FingerprintError("was changed: its hash is not that of its orders and activations")
            return cls.of(figures)
        except (KeyError, TypeError, ValueError, AttributeError, QueryError, RecursionError):
            raise FingerprintError("was cut or changed: a part of the fingerprint is missing") from None

    @classmethod
    def of(cls, figures: Mapping[str, Any]) -> "Fingerprint":
        """Make it of the figures; raise an error of Python's if they are not those of a fingerprint."""
        groups, reasons = {}, {}
        for row in figures["orders"]:
            batch = None if row["batch"] is None else _whole(row["batch"])
            place = Place(batch, _whole(row["layer"]), _text(row["direction"]))
            groups[place], reasons[place] = tuple(map(_group, row["groups"])), _text(row["reason"])
        return cls(
            subject(Experiment.parse(_text(figures["query"]))),
            figures["hash"],
            groups,
            reasons,
            {_text(one["activation"]): (_text(one["values"]), _text(one["slopes"])) for one in figures["activations"]},
            {**figures["environment"], **figures["settings"]},
        )


def _group(group: Mapping[str, Any]) -> Group:
    rows, columns = (tuple(map(_whole, group[name])) for name in ("rows", "columns"))
    return Group(rows, columns, *(_text(group[name]) for name in ("hash", "products", "tree")))


def _whole(value: object) -> int:
    if type(value) is not int:
        raise TypeError
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


@dataclass(frozen=True)
class OrderDifference:
    """Sums whose order differs, all of them alike: `sums` of the layer's `of`. If an order is revealed on one side
    alone, the other is None, and `reason` says why."""

    place: Place
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    here: Group | None
    there: Group | None
    of: int
    reason: str = ""

    @property
    def sums(self) -> int:
        return len(self.rows) * len(self.columns)


@dataclass(frozen=True)
class ActivationDifference:
    """An activation whose bits differ: those of its values, of its slopes, or of both."""

    activation: str
    values: bool
    slopes: bool


@dataclass(frozen=True)
class Differences:
    """All differences of two fingerprints. `unrevealed` are the places where neither has an order."""

    orders: tuple[OrderDifference, ...]
    activations: tuple[ActivationDifference, ...]
    unrevealed: tuple[Place, ...]

    @property
    def same(self) -> bool | None:
        """Whether there is none; None if that is not known, since orders are not revealed."""
        if self.orders or self.activations:
            return False
        return None if self.unrevealed else True

    @property
    def places(self) -> list[Place]:
        """The places where orders differ."""
        return list(dict.fromkeys(difference.place for difference in self.orders))


def check_fits(experiment: Experiment, there: Fingerprint) -> None:
    """Raise `FingerprintError` if a fingerprint is of another network, dtype or device."""
    other = there.experiment
    if subject(experiment) != other:
        raise FingerprintError(f"is of another network, dtype or device, that of the query {other.query!r}")


def differences(here: Fingerprint, there: Fingerprint) -> Differences:
    """Compare two fingerprints that fit. Raise `FingerprintError` if they have other batch sizes or activations."""
    if here.groups.keys() != there.groups.keys():
        raise FingerprintError("has other batch sizes: it is of another version")
    if here.activations.keys() != there.activations.keys():
        raise FingerprintError("has other activations than its query")
    return Differences(
        tuple(difference for place in here.groups for difference in _of_place(place, here, there)),
        tuple(
            ActivationDifference(name, *(a != b for a, b in zip(bits, there.activations[name], strict=True)))
            for name, bits in here.activations.items()
            if bits != there.activations[name]
        ),
        tuple(place for place in here.groups if not here.groups[place] + there.groups[place]),
    )


def _of_place(place: Place, here: Fingerprint, there: Fingerprint) -> Iterator[OrderDifference]:
    mine, others = here.groups[place], there.groups[place]
    of = sum(len(group.rows) * len(group.columns) for group in mine or others)
    if not mine or not others:
        reason = here.reasons[place] or there.reasons[place]
        for group in mine or others:
            a, b = (group, None) if mine else (None, group)
            yield OrderDifference(place, group.rows, group.columns, a, b, of, reason)
        return
    for group, other in product(mine, others):
        rows, columns = _in_both(group.rows, other.rows), _in_both(group.columns, other.columns)
        if group.order != other.order and rows and columns:
            yield OrderDifference(place, rows, columns, group, other, of)


def _in_both(some: tuple[int, ...], others: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted({*some} & {*others}))
