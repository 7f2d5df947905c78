"""Import `lib` anew, from another folder or by another way."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


@contextmanager
def lib_anew() -> Iterator[None]:
    """Set the modules of `lib` aside, so that the first import finds it where `sys.path` says."""
    ours = _take_out()
    try:
        yield
    finally:
        _take_out()
        sys.modules.update(ours)


def _take_out() -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name.partition(".")[0] == "lib"]
    return {name: sys.modules.pop(name) for name in names}
