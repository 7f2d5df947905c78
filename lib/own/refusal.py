"""Why something cannot be compared, in one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import Tensor


class RefusedError(ValueError):
    """What was brought cannot be compared; one sentence says why."""


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Refuse with the name of what failed, and why."""
    try:
        yield
    except RefusedError:
        raise
    except Exception as error:
        words = " ".join(str(error).split())[:300] or "no message"
        raise RefusedError(f"{name} failed with {type(error).__name__}: {words}") from error


def kind_of(thing: object) -> str:
    """Say what was given, for a refusal."""
    if isinstance(thing, Tensor):
        return f"{str(thing.dtype)[6:]} of shape {tuple(thing.shape)} on the device {thing.device}"
    return f"a {type(thing).__name__}"
