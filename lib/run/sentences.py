"""The progress of a run in words."""

from lib.floats.quantities import duration

_NO_BREAK = "\N{NO-BREAK SPACE}"


def progress(samples: int, total: int, unit: str, rate: float, paused: bool, full: bool) -> str:
    """Describe the progress of a run: samples measured, samples per second, and the time left at that rate.

    `unit` is the page's word for samples, and the server may be `full`.
    """
    done = f"{samples:,} of {total:,} {unit.removesuffix('s') if total == 1 else unit}"
    if samples >= total:
        return done
    if paused:
        return f"{done} · paused"
    if full:
        return f"{done} · server full: this page keeps asking"
    if rate == 0:
        return f"{done} · starting"
    speed = f"{rate:,.0f}/s · {duration((total - samples) / rate)} left".replace(" ", _NO_BREAK)  # on one line
    return f"{done} · {speed}"
