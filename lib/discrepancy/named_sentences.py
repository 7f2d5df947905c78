"""What the named comparisons found, as sentences of the page, in Markdown."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from lib.discrepancy.agreement import BACKWARD, AgreementTally
from lib.discrepancy.controls import ROWS
from lib.discrepancy.named_comparisons import NamedTally
from lib.discrepancy.remedies import REMEDIES
from lib.discrepancy.scaling import SWEEPS, growth
from lib.display.quantities import at_most, listed
from lib.display.sentences import Sentence
from lib.display.why import Why
from lib.experiment.choices import DTYPES
from lib.network.comparison import PLAIN
from lib.network.emulated import EMULATIONS


@dataclass(frozen=True)
class Facts:
    """How many of the comparisons `compared` have a finite component, and how many of these are `equal` in all. `sizes`
    and `alike` are lists of what was found."""

    samples: int
    compared: int = 0
    equal: int = 0
    sizes: str = ""
    classes: int = 0
    alike: str = ""

    @classmethod
    def of(cls, tally: NamedTally, names: Iterable[str], **found: Any) -> "Facts":
        known = [tally[name] for name in names if tally[name].finite]
        return cls(tally.samples, len(known), sum(one.equal == one.finite for one in known), **found)


def _controls(tally: NamedTally) -> Facts:
    return Facts.of(tally, ROWS)


def _remedies(tally: NamedTally) -> Facts:
    return Facts.of(tally, [name for name in REMEDIES if name != PLAIN])


def _ladder(tally: NamedTally) -> Facts:
    found = {dtype: tally[dtype].max_abs.value for dtype in DTYPES}
    sizes = listed(f"{at_most(size)} in {dtype}" for dtype, size in found.items() if size)
    return Facts.of(tally, DTYPES, sizes=sizes)


def _scaling(tally: NamedTally) -> Facts:
    found = {sweep: growth(tally, sweep) for sweep in SWEEPS}
    sizes = listed(f"{size:.1f} with {sweep}" for sweep, size in found.items() if size)
    return Facts.of(tally, tally.known, sizes=sizes)


def _agreement(tally: AgreementTally) -> Facts:
    classes = tally.classes()
    alike = next(members for members in classes if BACKWARD in members)
    others = listed(f"`{name}`" for name in alike if name != BACKWARD)
    return Facts.of(tally, tally.known, classes=len(classes), alike=others)


def _none(f: Facts) -> bool:
    return f.samples > 0 and not f.compared


WAITING = Sentence("The first samples are on their way.", lambda f: f.samples == 0)
NOTHING_FINITE = Sentence("No component is finite on both sides so far.", _none)

_CONTROLS = (
    WAITING,
    NOTHING_FINITE,
    Sentence("Of {f.compared} comparisons that must be equal, {f.equal} are.", lambda f: f.compared > 0),
    Sentence("Those that differ show a fault: rounding cannot explain them.", lambda f: f.equal < f.compared),
)
_REMEDIES = (
    WAITING,
    NOTHING_FINITE,
    Sentence("Of {f.compared} remedies, {f.equal} leave no difference.", lambda f: f.compared > 0),
)
_LADDER = (
    WAITING,
    NOTHING_FINITE,
    Sentence("The same network and points, in each dtype: the largest difference is {f.sizes}.", lambda f: f.sizes),
    Sentence("There is no difference in any dtype.", lambda f: f.compared and not f.sizes),
)
_SCALING = (
    WAITING,
    NOTHING_FINITE,
    Sentence(
        "From the first to the last point with a difference, the largest one in rounding units changes by a factor of "
        "{f.sizes}.",
        lambda f: f.sizes,
    ),
)
_AGREEMENT = (
    WAITING,
    Sentence("All methods and `backward()` give the same values.", lambda f: f.samples and f.classes == 1),
    Sentence("The methods and `backward()` give {f.classes} different answers.", lambda f: f.classes > 1),
    Sentence("Equal to `backward()` in every component: {f.alike}.", lambda f: f.alike and f.classes > 1),
    Sentence("No method equals `backward()` in every component.", lambda f: f.classes > 1 and not f.alike),
)
CLAIMS: dict[str, tuple[tuple[Sentence, ...], Callable[[Any], Facts]]] = {
    "controls": (_CONTROLS, _controls),
    "remedies": (_REMEDIES, _remedies),
    "ladder": (_LADDER, _ladder),
    "scaling": (_SCALING, _scaling),
    "agreement": (_AGREEMENT, _agreement),
}
"""What is claimed of each study: its rows, and the facts of a tally."""

EMULATED = Sentence(
    "Hollow marks emulate what a graphics card may do in a matrix product: "
    f"{'; '.join(one.about for one in EMULATIONS.values())}. Not emulated are the order in which a card adds and the "
    "accumulator of its tensor cores, which does not round to nearest."
)

WHY_REMEDIES = Why(
    "Two ways that are equal on paper give equal floats if they take the same operations in the same order, or if "
    "nothing is rounded.",
    "For equal values, make both sides do the same additions in the same order. A tolerance does not make a difference "
    "go away: it accepts it, as PyTorch's own tests do.",
    {
        "assert_close": "testing.html#torch.testing.assert_close",
        "gradcheck": "generated/torch.autograd.gradcheck.gradcheck.html",
    },
)
"""When two ways of computing are certain to agree."""
