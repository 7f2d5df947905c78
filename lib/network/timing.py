"""How long a call takes."""

from collections.abc import Callable
from math import ceil
from time import perf_counter

from torch.utils.benchmark import Timer

_SECONDS = 0.002


def timed(call: Callable[[], object]) -> Callable[[], float]:
    """A timing of the call, to be taken again and again: the mean seconds over as many calls as last 2 ms together.

    A call made here tells how many these are. `Timer.blocked_autorange` would find that out anew at each timing, and
    took twice as long where calls are slow. The first call of a kind loads and compiles things, and should have been
    made before.
    """
    start = perf_counter()
    call()
    repeats = ceil(_SECONDS / (perf_counter() - start))
    timer = Timer("call()", globals={"call": call})
    return lambda: timer.timeit(repeats).mean
