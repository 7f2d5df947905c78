"""How often the pages of this process draw: the more their drawings cost together, the less often they draw."""

from threading import Lock
from time import monotonic

_PERIODS = (0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 5.0, 9.0)  # seconds between two drawings of one page
_SENDING = 0.005  # seconds of processor time that it takes to send a drawing
# Shares of one processor: above the first the period gets longer, below the second it gets shorter.
_MOST_DRAWING, _LITTLE_DRAWING = 0.75, 0.65


def stay(period: float) -> float:
    """Return for how many seconds after a drawing a page with this period counts as viewed, since it may be late."""
    return 3.0 + 2.5 * period


class Pace:
    """The pages that draw."""

    def __init__(self) -> None:
        self._viewers: dict[str, tuple[float, float]] = {}  # when each of them last drew, and its processor time
        self._period = _PERIODS[0]
        self._lock = Lock()

    def period(self, viewer: str, drawing: float) -> float:
        """Note that this viewer is present, and return the seconds between two drawings.

        `drawing` is the processor time, in seconds, of the viewer's last drawing. All drawings together may take
        `_MOST_DRAWING` of one processor. The period only gets shorter again if they would then take at most
        `_LITTLE_DRAWING`: changing the period costs a run of the page, so it should not oscillate.
        """
        now = monotonic()
        with self._lock:
            self._viewers[viewer] = now, drawing + _SENDING
            stays = stay(self._period)
            self._viewers = {v: (seen, took) for v, (seen, took) in self._viewers.items() if now - seen < stays}
            all_drawings = sum(took for _, took in self._viewers.values())
            if all_drawings > _MOST_DRAWING * self._period:
                self._period = next((p for p in _PERIODS if all_drawings <= _MOST_DRAWING * p), _PERIODS[-1])
            else:
                roomy = (p for p in _PERIODS if p < self._period and all_drawings <= _LITTLE_DRAWING * p)
                self._period = next(roomy, self._period)
            return self._period
