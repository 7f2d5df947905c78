"""How often the pages of this process draw: the more their drawings cost together, the less often they draw."""

from threading import Lock
from time import monotonic

_SHORTEST, _LONGEST = 0.3, 9.0  # seconds between two drawings of one page
_SENDING = 0.005  # seconds of processor time that it takes to send a drawing
_MOST_DRAWING = 0.75  # of one processor, for all drawings together
_STAY = 3.0  # seconds, and two and a half periods, after a drawing until a viewer counts as gone, since it may be late


class Pace:
    """The pages that draw."""

    def __init__(self) -> None:
        self._viewers: dict[str, tuple[float, float]] = {}  # when each of them last drew, and its processor time
        self._period = _SHORTEST
        self._lock = Lock()

    def period(self, viewer: str, drawing: float) -> float:
        """Note that this viewer is present, and return the seconds between two drawings.

        `drawing` is the processor time, in seconds, of the viewer's last drawing.
        """
        with self._lock:
            now = monotonic()
            self._viewers[viewer] = now, drawing + _SENDING
            stay = _STAY + 2.5 * self._period
            self._viewers = {v: (seen, took) for v, (seen, took) in self._viewers.items() if now - seen < stay}
            cost = sum(took for _, took in self._viewers.values()) / _MOST_DRAWING
            self._period = min(max(cost, _SHORTEST), _LONGEST)
            return self._period
