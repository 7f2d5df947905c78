"""How long calls take."""

from collections.abc import Callable, Mapping
from math import ceil
from time import perf_counter

from torch.utils.benchmark import Timer

_SECONDS = 0.002


def in_turns(calls: Mapping[str, Callable[[], object]], rounds: int) -> list[dict[str, float]]:
    """Return the seconds of each call, by its name, in each round.

    In a round the calls take turns, so that a disturbance affects all of them alike.
    """
    for call in calls.values():
        # The first call of a kind loads and compiles things.
        call()
    timers = {name: timed(call) for name, call in calls.items()}
    return [{name: seconds() for name, seconds in timers.items()} for _ in range(rounds)]


def timed(call: Callable[[], object]) -> Callable[[], float]:
    """Return a function that times the call: the mean seconds over about 2 ms, or of one call.

    The number of calls is set here by timing one; `Timer.blocked_autorange` would determine it anew
    for each timing, and took twice as long for slow calls. Make the call once beforehand, because
    the first call of a kind loads and compiles things.
    """
    start = perf_counter()
    call()
    repeats = ceil(_SECONDS / (perf_counter() - start))
    timer = Timer("call()", globals={"call": call})
    return lambda: timer.timeit(repeats).mean
