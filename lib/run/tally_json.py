"""Tallies to JSON, and back to the same bits.

Reading is driven by the types of the fields and checks every value against them. The JSON may name a class of tally in
this project; everything else in it is plain data. The dialect is Python's: whole numbers of any length, `Infinity` and
`NaN`, and floats in digits that read back to the same float.
"""

import reprlib
from contextlib import suppress
from dataclasses import fields, is_dataclass
from types import GenericAlias, NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from lib.run.tally import Tally

_SCALARS: dict[type, set[type]] = {int: {int}, float: {float, int}, str: {str}, bool: {bool}, NoneType: {NoneType}}
"""The Python types accepted for each annotation; a whole number in place of a float stays a whole number."""

_INT64 = range(-(2**63), 2**63)


def to_json(value: object) -> object:
    """Return dictionaries, lists and scalars for `json.dumps`. Only tallies are written with the name of their type."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, range):
        return [value.start, value.stop]
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return [[to_json(key), to_json(item)] for key, item in value.items()]  # keys may be numbers
    if is_dataclass(value):
        name: dict[str, object] = {"type": type(value).__name__} if isinstance(value, Tally) else {}
        return name | {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    return value


def from_json(written: Any, kind: Any) -> Any:
    """Return the value of this kind, a type or the annotation of a field, from which `to_json` made `written`.

    Raises ValueError if `written` is not of that kind.
    """
    if isinstance(kind, TypeVar):
        kind = kind.__bound__
    if get_origin(kind) in (UnionType, Union):
        for one in get_args(kind):
            with suppress(ValueError):
                return from_json(written, one)
        _expect(False, written, kind)
    if kind in _SCALARS:
        _expect(type(written) in _SCALARS[kind], written, kind)
        return written
    if kind is np.ndarray:
        _expect(type(written) is list and all(type(n) is int and n in _INT64 for n in written), written, kind)
        return np.array(written, np.int64)
    if kind is range:
        return range(*from_json(written, tuple[int, int]))
    if get_origin(kind) is tuple:
        _expect(type(written) is list, written, kind)
        kinds = get_args(kind)
        if kinds[1:] == (...,):
            kinds = kinds[:1] * len(written)
        _expect(len(written) == len(kinds), written, kind)
        return tuple(from_json(item, of) for item, of in zip(written, kinds, strict=True))
    if get_origin(kind) is dict:
        pair = GenericAlias(tuple, get_args(kind))
        return dict(from_json(written, GenericAlias(tuple, (pair, ...))))
    kind = get_origin(kind) or kind
    _expect(type(written) is dict, written, kind)
    parts = dict(written)
    if issubclass(kind, Tally):
        name = parts.pop("type", None)
        named = [tally for tally in _family(kind) if is_dataclass(tally) and tally.__name__ == name]
        _expect(named, written, kind)
        kind = named[0]
    hints = get_type_hints(kind)
    _expect(parts.keys() == {field.name for field in fields(kind)}, written, kind)
    return kind(**{name: from_json(part, hints[name]) for name, part in parts.items()})


def _family(kind: type[Tally]) -> list[type[Tally]]:
    """The type and all its subclasses."""
    return [kind, *(member for derived in kind.__subclasses__() for member in _family(derived))]


def _expect(holds: object, written: Any, kind: Any) -> None:
    if not holds:
        raise ValueError(f"{reprlib.repr(written)} is no {getattr(kind, '__name__', kind)}.")
