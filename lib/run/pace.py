"""How often the pages of this process draw: the more all their drawings cost, the less often."""

from threading import Lock
from time import monotonic

_PERIODS = (0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 5.0, 9.0)  # seconds between two drawings of one page
_SENDING = 0.005  # seconds of the processor that it takes to send a drawing
# Parts of one processor: above the one the period gets longer, below the other shorter.
_MOST_DRAWING, _LITTLE_DRAWING = 0.75, 0.65
_DECLARING = 0.05  # seconds between two pages that are declared anew, which takes one some 0.025 of the processor


def stay(period: float) -> float:
    """Seconds after its last drawing for which a page that draws so often counts as being viewed: it may be late."""
    return 3.0 + 2.5 * period


class Pace:
    """The pages that draw, and when each may be declared anew."""

    def __init__(self) -> None:
        self._viewers: dict[str, tuple[float, float]] = {}  # when each of them last drew, and what that took
        self._period = _PERIODS[0]
        self._declare_from = -float("inf")
        self._lock = Lock()

    def period(self, viewer: str, drawing: float) -> float:
        """Notes that this viewer is there, and what their last drawing took, in seconds of the processor; gives the
        seconds between two drawings.

        All drawings together may take `_MOST_DRAWING` of one processor; where that leaves room again, it is after some
        hesitation, so that the period, which costs a run of the page to change, does not swing.
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

    def turn_to_declare(self, patience: float = 0.0) -> float | None:
        """Seconds until a page may be declared anew: the pages do so one after another, so that the drawings of all
        others go on. None where that takes longer than `patience` seconds: ask again.
        """
        now = monotonic()
        with self._lock:
            turn = max(now, self._declare_from)
            if turn > now + patience:
                return None
            self._declare_from = turn + _DECLARING
            return turn - now
