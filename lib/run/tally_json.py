"""Tallies to JSON, and back to the same bits.

Reading is driven by the types of the fields and checks every value against them. The JSON may name
a class of tally in this project; everything else in it is plain data. The dialect is Python's:
whole numbers of any length, `Infinity` and `NaN`, and floats in digits that read back to the same
float.
"""

import reprlib
from contextlib import suppress
from dataclasses import fields, is_dataclass
from types import GenericAlias, NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from lib.run.tally import Tally

_SCALARS: dict[type, set[type]] = {
    int: {int},
    float: {float, int},
    str: {str},
    bool: {bool},
    NoneType: {NoneType},
}
"""The Python types accepted for each annotation; an int in place of a float stays an int."""

_INT64 = range(-(2**63), 2**63)


def to_json(value: object) -> object:
    """Return dictionaries, lists and scalars for `json.dumps`.

    Only tallies are written with the name of their type.
    """
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, range):
        return [value.start, value.stop]
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        # Pairs, because keys may be numbers.
        return [[to_json(key), to_json(item)] for key, item in value.items()]
    if is_dataclass(value):
        written: dict[str, object] = {}
        if isinstance(value, Tally):
            written["type"] = type(value).__name__
        return written | {part.name: to_json(getattr(value, part.name)) for part in fields(value)}
    return value


def from_json(written: Any, kind: Any) -> Any:
    """Return the value of this kind that `to_json` turned into `written`.

    Args:
        written: what `json.loads` returned.
        kind: a type, or the annotation of a field.

    Raises:
        ValueError: if `written` is not of that kind.
    """
    if isinstance(kind, TypeVar):
        kind = kind.__bound__
    origin = get_origin(kind) or kind
    arguments = get_args(kind)
    if origin in (UnionType, Union):
        for member in arguments:
            with suppress(ValueError):
                return from_json(written, member)
    elif origin in _SCALARS:
        if type(written) in _SCALARS[origin]:
            return written
    elif origin is np.ndarray:
        if type(written) is list and all(type(n) is int and n in _INT64 for n in written):
            return np.array(written, np.int64)
    elif origin is range:
        return range(*from_json(written, tuple[int, int]))
    elif origin is dict:
        pair = GenericAlias(tuple, arguments)
        return dict(from_json(written, GenericAlias(tuple, (pair, ...))))
    elif origin is tuple and type(written) is list:
        of_one_kind = arguments[1:] == (...,)
        kinds = arguments[:1] * len(written) if of_one_kind else arguments
        if len(written) == len(kinds):
            return tuple(map(from_json, written, kinds))
    elif type(written) is dict:
        parts = dict(written)
        name = parts.pop("type", None) if issubclass(origin, Tally) else origin.__name__
        for member in _family(origin):
            hints = get_type_hints(member)
            names = {part.name for part in fields(member)}
            if member.__name__ == name and parts.keys() == names:
                return member(**{key: from_json(part, hints[key]) for key, part in parts.items()})
    raise ValueError(f"{reprlib.repr(written)} is no {getattr(kind, '__name__', kind)}.")


def _family(kind: Any) -> list[Any]:
    """The type and all its subclasses, as far as they are dataclasses."""
    derived = [member for subclass in kind.__subclasses__() for member in _family(subclass)]
    return [kind, *derived] if is_dataclass(kind) else derived
