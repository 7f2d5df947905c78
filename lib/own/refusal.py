"""The error for what cannot be compared."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import Tensor


class RefusedError(ValueError):
    """The arguments of `compare` cannot be compared. The message says why."""


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Raise any error in the context as a `RefusedError` that begins with `name`."""
    try:
        yield
    except RefusedError:
        raise
    except Exception as error:
        words = " ".join(str(error).split())[:300] or "no message"
        raise RefusedError(f"{name} failed with {type(error).__name__}: {words}") from error


def kind_of(thing: object) -> str:
    """Describe an argument in the message of a `RefusedError`."""
    if isinstance(thing, Tensor):
        return f"{str(thing.dtype)[6:]} of shape {tuple(thing.shape)} on the device {thing.device}"
    return f"a {type(thing).__name__}"
