"""Import `lib` anew, from another folder or by another way."""

import sys
from contextlib import contextmanager


@contextmanager
def lib_anew():
    """Set the modules of `lib` aside, so that the first import finds it where `sys.path` says."""
    ours = _take_out()
    try:
        yield
    finally:
        _take_out()
        sys.modules.update(ours)


def _take_out():
    names = [name for name in sys.modules if name.partition(".")[0] == "lib"]
    return {name: sys.modules.pop(name) for name in names}
