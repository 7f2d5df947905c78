"""Both sides of comparisons on the same consecutive samples, and which of the two is right."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from torch import Tensor

from lib.experiment.query import Experiment
from lib.network.comparison import BACKWARD, SAVED, Comparison, Subject, Way
from lib.network.jacobians import backward_and_saved
from lib.network.sampled_study import RANDOM, SampledStudy, Samples, Source
from lib.reference.judge import Judge
from lib.reference.pair import Pair


@dataclass(frozen=True)
class Plan:
    """An experiment and what to compare in it.

    Args:
        comparisons: Each by the name under which it is tallied.
        judged: Whether to judge which side is right.
        source: Supplies networks and samples.
    """

    experiment: Experiment
    comparisons: Mapping[str, Comparison]
    judged: bool = False
    source: Source = RANDOM

    @property
    def ways(self) -> tuple[Way, ...]:
        """Every way that occurs in a comparison, once.

        The saved activations are among them if a judge needs them.
        """
        ways = [SAVED] if self.judged else []
        for comparison in self.comparisons.values():
            ways += [comparison.first, comparison.second]
        return tuple(dict.fromkeys(ways))


@dataclass(frozen=True)
class ComparedSamples(Samples):
    """Consecutive samples, compared as planned.

    Args:
        given: The result of each way, shape (samples, components).
        judged: Each comparison by its name, if it was judged.
    """

    plan: Plan
    given: dict[Way, Tensor]
    judged: dict[str, Pair] = field(default_factory=dict)

    def under(self, name: str) -> Pair:
        """Return both sides of the comparison with this name."""
        if name in self.judged:
            return self.judged[name]
        comparison = self.plan.comparisons[name]
        sides = self.given[comparison.first], self.given[comparison.second]
        return Pair(self.block, self.index, self.number, self.x, *sides)

    def __iter__(self) -> Iterator[tuple[str, Pair]]:
        """Yield every comparison with its name, one at a time, to save memory."""
        return ((name, self.under(name)) for name in self.plan.comparisons)


class ComparisonStudy(SampledStudy[ComparedSamples]):
    """Computes both sides of all comparisons of a plan. For one thread at a time."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan.experiment, plan.source)
        self._plan = plan
        self._ways = plan.ways
        self._subject = Subject(self.experiment, self.net)
        self._judge = Judge(self.experiment)

    def measured(
        self, block: int, index: int, number: int, x: Tensor, *given: Tensor
    ) -> ComparedSamples:
        """Judge the samples, too, if the plan asks for it."""
        by_way = dict(zip(self._ways, given, strict=True))
        compared = ComparedSamples(block, index, number, x, self._plan, by_way)
        if not self._plan.judged:
            return compared
        judge = self._judge.turned_to(self.net, self.samples)
        judged = {name: judge.judge(index, pair, by_way[SAVED]) for name, pair in compared}
        return replace(compared, judged=judged)

    def differentiate(self, x: Tensor) -> tuple[Tensor, ...]:
        if self._subject.net is not self.net:
            self._subject = Subject(self.experiment, self.net)
        given: dict[Way, Tensor] = {}
        if self._plan.judged:  # one pass computes both
            given[BACKWARD], given[SAVED] = backward_and_saved(self.net, x)
        return tuple(given[way] if way in given else way(self._subject, x) for way in self._ways)
