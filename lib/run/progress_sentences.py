"""The progress of a run, or the reason why it waits, as sentences of the page."""

from lib.display.quantities import duration

_NO_BREAK = "\N{NO-BREAK SPACE}"


def progress(samples: int, total: int, unit: str, rate: float, paused: bool, others: int = 0, queue: str = "") -> str:
    """Describe the progress of a run: samples measured, samples per second, and the time left at that rate.

    `unit` is the page's word for samples. `others` is the number of other runs that the run takes turns with, and
    `queue` tells its place in the queue.
    """
    done = f"{samples:,} of {_amount(total, unit)}"
    if samples >= total:
        return done
    if paused:
        return f"{done} · paused"
    if queue:
        return f"{done} · {queue}"
    turns = f" · taking turns with {others} other {'runs' if others > 1 else 'run'}" if others else ""
    if rate == 0:
        return f"{done} · starting{turns}"
    speed = f"{rate:,.0f}/s · {duration((total - samples) / rate)} left".replace(" ", _NO_BREAK)  # on one line
    return f"{done} · {speed}{turns}"


def _amount(total: int, unit: str) -> str:
    return f"{total:,} {unit.removesuffix('s') if total == 1 else unit}"


def in_queue(before: int, begun: bool, refused: bool) -> str:
    """Tell, in few words, that a run waits its turn behind `before` others; it is `refused` if the queue is full."""
    if refused:
        return f"server full: {before:,} runs wait; this page keeps asking"
    goes_on = "goes on" if begun else "starts"
    if before == 0:
        return f"server busy: this run is next and {goes_on} by itself"
    ahead = "1 run is" if before == 1 else f"{before:,} runs are"
    return f"server busy: {ahead} ahead, then it {goes_on} by itself"
