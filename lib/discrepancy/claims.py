"""What the variants of an experiment show, as sentences of the page, in Markdown."""

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

from lib.discrepancy.agreement import NAMES
from lib.discrepancy.scaling import SWEEPS, points
from lib.discrepancy.variants import VariantsTally
from lib.experiment.choices import DTYPES
from lib.floats.quantities import listed, significant
from lib.floats.sentences import Sentence
from lib.network.comparison import PLAIN


def facts(tally: VariantsTally, found: Iterable[str] = (), besides: str = "") -> SimpleNamespace:
    """Return how many comparisons, besides that of a name, are `compared`, which have a finite component; how many of
    these are `equal` in all of them; and a list of what was `found`."""
    known = [one for name, one in tally.known.items() if one.finite and name != besides]
    equal = sum(one.equal == one.finite for one in known)
    return SimpleNamespace(
        samples=tally.samples, compared=len(known), equal=equal, found=listed(found)
    )


def _sizes(tally: VariantsTally) -> list[str]:
    sizes = {dtype: tally[dtype].max_abs.value for dtype in DTYPES}
    return [f"{significant(size)} in {dtype}" for dtype, size in sizes.items() if size]


def _factors(tally: VariantsTally) -> list[str]:
    sizes = {
        sweep: [point.size for point in points(tally, sweep) if point.size] for sweep in SWEEPS
    }
    return [f"{of[-1] / of[0]:.2g} with {sweep}" for sweep, of in sizes.items() if len(of) > 1]


_FIRST = (
    Sentence("Nothing is measured yet.", lambda f: f.samples == 0),
    Sentence("No component is finite on both sides so far.", lambda f: f.samples > 0 == f.compared),
)

CLAIMS: dict[str, tuple[tuple[Sentence, ...], Callable[[Any], SimpleNamespace]]] = {
    "zero-cases": (
        (
            *_FIRST,
            Sentence(
                "Comparisons that must be equal and are: {f.equal} of {f.compared}.",
                lambda f: f.compared,
            ),
            Sentence(
                "Those that differ show a fault: rounding cannot explain them.",
                lambda f: f.equal < f.compared,
            ),
        ),
        facts,
    ),
    "remedies": (
        (
            *_FIRST,
            Sentence(
                "Remedies that leave no difference: {f.equal} of {f.compared}.",
                lambda f: f.compared,
            ),
        ),
        lambda tally: facts(tally, besides=PLAIN),
    ),
    "ladder": (
        (
            *_FIRST,
            Sentence("There is no difference in any dtype.", lambda f: f.compared and not f.found),
            Sentence(
                "The same network and points: the largest difference is {f.found}.",
                lambda f: f.found,
            ),
        ),
        lambda tally: facts(tally, _sizes(tally)),
    ),
    "scaling": (
        (
            Sentence(
                "Networks of growing width, depth and number of outputs.", lambda f: not f.found
            ),
            Sentence(
                "From the first to the last point with a difference, the largest difference in rounding units changes "
                "by a factor of {f.found}.",
                lambda f: f.found,
            ),
        ),
        lambda tally: facts(tally, _factors(tally)),
    ),
    "agreement": (
        (
            _FIRST[0],
            Sentence(
                f"Of {len(NAMES) - 1} methods, these equal `backward()` in every component so far: {{f.found}}.",
                lambda f: f.samples and f.found,
            ),
        ),
        lambda tally: facts(tally, [f"`{name}`" for name in tally.classes()[0][1:]]),
    ),
}
"""What is claimed of each study: its rows, and the facts of a tally."""
