"""The fingerprint of this machine compared with one in a file, as figures for JSON."""

from collections.abc import Mapping
from typing import Any

from lib.batch.fingerprint import fingerprint
from lib.batch.fingerprint_differences import Fingerprint, FingerprintError, OrderDifference, check_fits, differences
from lib.batch.fingerprint_sentences import activation_difference, order_difference
from lib.experiment.query import Experiment

MOST_BYTES = 2**26
"""The largest file that is read; the largest fingerprints have a few million bytes."""


def read(path: str) -> Fingerprint:
    """Read the fingerprint in a file. Raise `FingerprintError`, one sentence, if there is none."""
    try:
        with open(path, "rb") as file:
            text = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        query = " A query stands before --fingerprint." if "=" in path else ""
        reason = getattr(error, "strerror", None) or "this is no name of a file"
        raise FingerprintError(f"{path!r} cannot be read: {reason}.{query}") from None
    if len(text) > MOST_BYTES:
        raise FingerprintError(f"{path!r} is too large: a fingerprint has at most {MOST_BYTES:,} bytes.")
    try:
        return Fingerprint.read(text)
    except FingerprintError as error:
        raise FingerprintError(f"{path!r} {error}.") from None


def compared(experiment: Experiment, path: str) -> dict[str, object]:
    """Return what differs between this machine and the fingerprint in a file. Raise `FingerprintError` if there is none
    that can be compared."""
    there = read(path)
    try:
        check_fits(experiment, there)
        here = Fingerprint.of(fingerprint(experiment))
        found = differences(here, there)
    except FingerprintError as error:
        raise FingerprintError(f"{path!r} {error}.") from None
    return {
        "query": here.experiment.query,
        "same": found.same,
        "hash": {"here": here.hash, "there": there.hash},
        "unrevealed": len(found.unrevealed),
        "environment": _apart(here.machine, there.machine),
        "activations": [
            {
                "activation": one.activation,
                "values": one.values,
                "slopes": one.slopes,
                "sentence": activation_difference(one),
            }
            for one in found.activations
        ],
        "differences": [_figures(one) for one in found.orders],
    }


def _figures(difference: OrderDifference) -> dict[str, Any]:
    return {
        **difference.place._asdict(),
        "rows": difference.rows,
        "columns": difference.columns,
        "here": difference.here and difference.here.order,
        "there": difference.there and difference.there.order,
        "reason": difference.reason,
        "sentence": order_difference(difference),
    }


def _apart(here: Mapping[str, object], there: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Return what differs between two machines, apart from their bits."""
    names = dict.fromkeys((*here, *there))
    return {
        name: {"here": here.get(name), "there": there.get(name)} for name in names if here.get(name) != there.get(name)
    }
