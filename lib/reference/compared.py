"""Both sides of comparisons on the same consecutive samples, and which of the two is right."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from torch import Tensor

from lib.experiment.query import Experiment
from lib.network.comparison import BACKWARD, SAVED, Comparison, Subject, Way
from lib.network.jacobians import backward_and_saved
from lib.network.sampled_study import SampledStudy, Samples
from lib.reference.judge import Judge
from lib.reference.pair import Pair


@dataclass(frozen=True)
class ComparedSamples(Samples):
    """Consecutive samples, compared in several ways.

    Args:
        comparisons: each by the name under which it is tallied.
        results: the result of each way, shape (samples, components).
        judged: both sides of each comparison by its name, if they were judged.
    """

    comparisons: Mapping[str, Comparison]
    results: dict[Way, Tensor]
    judged: dict[str, Pair] = field(default_factory=dict)

    def under(self, name: str) -> Pair:
        """Return both sides of the comparison with this name."""
        if name in self.judged:
            return self.judged[name]
        comparison = self.comparisons[name]
        sides = self.results[comparison.first], self.results[comparison.second]
        return Pair(self.block, self.index, self.number, self.x, *sides)

    def __iter__(self) -> Iterator[tuple[str, Pair]]:
        """Yield every comparison with its name, one at a time, to save memory."""
        return ((name, self.under(name)) for name in self.comparisons)


class ComparisonStudy(SampledStudy[ComparedSamples]):
    """Computes both sides of several comparisons on the same samples. For one thread at a time.

    Args:
        experiment: what the samples are from.
        comparisons: each by the name under which it is tallied.
        judged: whether to judge which side is right.
    """

    def __init__(
        self, experiment: Experiment, comparisons: Mapping[str, Comparison], judged: bool = False
    ) -> None:
        super().__init__(experiment)
        self._comparisons = comparisons
        self._judge = Judge(experiment) if judged else None
        ways = [SAVED] if judged else []
        for comparison in comparisons.values():
            ways += [comparison.first, comparison.second]
        self._ways = tuple(dict.fromkeys(ways))
        self._subject = Subject(experiment, self.net)

    def measured(
        self, block: int, index: int, number: int, x: Tensor, *results: Tensor
    ) -> ComparedSamples:
        """Return the samples with the results of all ways; judged, if the study judges."""
        by_way = dict(zip(self._ways, results, strict=True))
        compared = ComparedSamples(block, index, number, x, self._comparisons, by_way)
        if self._judge:
            judge = self._judge.turned_to(self.net, self.samples)
            for name, pair in compared:
                compared.judged[name] = judge.judge(index, pair, by_way[SAVED])
        return compared

    def differentiate(self, x: Tensor) -> tuple[Tensor, ...]:
        """Return the result of each way at x."""
        if self._subject.net is not self.net:
            self._subject = Subject(self.experiment, self.net)
        known: dict[Way, Tensor] = {}
        # One pass computes both.
        if self._judge:
            known[BACKWARD], known[SAVED] = backward_and_saved(self.net, x)
        return tuple(known[way] if way in known else way(self._subject, x) for way in self._ways)
