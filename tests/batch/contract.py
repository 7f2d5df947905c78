"""The contract of what is said of batches."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from inspect import signature

from lib.batch.card_sentences import batch_bug_card, batch_remedy_card, batch_right_card
from lib.batch.head_sentences import batch_headline, why_in_a_batch
from lib.batch.sentences import batch_claim, closer_claim, conditions_claim, steps_claim, why_the_batch
from lib.batch.study import BatchTally, name
from lib.experiment.query import Experiment
from lib.run.tally import ByName
from lib.variations.equality import EqualityTally
from tests.contract import Row, Said, Sayer, State, Subject, alone, always, has, of_choices
from tests.states import Found

SIZES = 1, 2, 3, 4, 8, 16, 32, 64, 128, 256
LABELS = {
    "place": "the row's place",
    "neighbours": "its neighbours",
    "order": "the order of the batch",
    "slice": "a slice instead of a copy",
}


@dataclass(frozen=True)
class Batched:
    """How many of `components` outputs and of as many components of the gradient change, by batch size, and how many
    are closer alone or in the batch. `matter` are the conditions that change one. Batches of 3 leave a sample over."""

    samples: int = 100
    components: int = 200
    outputs: dict[int, int] = field(default_factory=dict)
    gradient: dict[int, int] = field(default_factory=dict)
    closer: tuple[int, int] = (0, 0)
    matter: tuple[str, ...] = ()
    largest: int = 256
    units: float = 0.5
    bound: float | None = 24.0
    over: int = 0

    def changed(self, quantity: str, size: int) -> int:
        return (self.outputs if quantity == "output" else self.gradient).get(size, 0)

    def compared(self, size: int) -> int:
        return self.components - (size == 3) if size <= self.largest else 0

    def tally(self) -> BatchTally:
        sizes, equality = {}, {}
        for quantity in ("output", "gradient") if self.samples else ():
            for size in SIZES:
                different = self.changed(quantity, size)
                alike = 3 if size == 256 and self.compared(size) > different + 3 else 0  # NaN on both sides
                sizes[name(quantity, size)] = Found(
                    samples=self.samples,
                    equal=self.compared(size) - different - alike,
                    different=different,
                    nonfinite=alike,
                    backward=self.closer[0],
                    jacobian=self.closer[1],
                    units=self.units if different else 0.0,
                    bound=self.bound,
                    over=self.over,
                    tie=5,
                ).tally()
                equality[name(quantity, size)] = EqualityTally(nonfinite=alike, apart=different)
                for condition in LABELS:
                    off = int(condition in self.matter and size == 4 and quantity == "gradient")
                    equality[name(quantity, size, condition)] = EqualityTally(10, 19, 19 - off, 1, apart=off)
        return BatchTally(self.samples, ByName(sizes), ByName(equality))


FROM_2 = dict.fromkeys(SIZES[1:], 7)
FROM_16 = dict.fromkeys(SIZES[5:], 20)
FOUND = {
    "nothing yet": Batched(samples=0),
    "nothing changes": Batched(),
    "nothing changes in the batches there are": Batched(largest=64),
    "from 2 on": Batched(outputs=FROM_2, gradient=FROM_2 | {3: 6}, closer=(3, 4)),
    "two steps": Batched(
        outputs=FROM_2 | FROM_16, gradient=FROM_2, closer=(0, 4), matter=("place", "order"), units=1.25
    ),
    "outputs alone": Batched(outputs=FROM_16, closer=(9, 0), matter=tuple(LABELS), units=30.0, over=2),
    "without a bound": Batched(outputs=FROM_2, gradient=FROM_2, units=0.75, bound=None),
    "a bound that excludes nothing": Batched(outputs=FROM_2, gradient=FROM_2, units=0.75, bound=1e17),
    "one size": Batched(gradient={8: 200}, matter=("slice",), units=0.5),
    "from the smallest": Batched(outputs=dict.fromkeys(SIZES, 9), gradient=dict.fromkeys(SIZES, 9)),
}


def changes(f: Batched) -> list[int]:
    return [size for size in SIZES if f.changed("output", size) or f.changed("gradient", size)]


def steps(f: Batched, quantity: str) -> list[int]:
    """Where the number changes by more than the sample that batches of 3 leave over."""
    counts = [f.changed(quantity, size) for size in SIZES]
    return [size for i, size in enumerate(SIZES) if i and abs(counts[i] - counts[i - 1]) > 1]


def largest_change(s: State) -> bool:
    size = changes(s.f)[-1] if changes(s.f) else 0
    return (
        s.number("n") == size
        and s.share("p", s.f.changed("output", size), s.f.compared(size))
        and s.share("q", s.f.changed("gradient", size), s.f.compared(size))
    )


def said_steps(s: State) -> bool:
    said = dict(re.findall(r"the (outputs|gradient) at ((?:\d+(?:, | and )?)+?)(?= and the |$)", s.m["any"]))
    found = {name: steps(s.f, quantity) for name, quantity in (("outputs", "output"), ("gradient", "gradient"))}
    return {name: [int(size) for size in re.findall(r"\d+", sizes)] for name, sizes in said.items()} == {
        name: sizes for name, sizes in found.items() if sizes
    }


def names(text: str) -> set[str]:
    return {*re.split(r", | and | or | nor ", text)}


def matters(s: State) -> bool:
    return names(s.m["any"]) == {LABELS[name] for name in s.f.matter}


def do_not(s: State, words: str) -> bool:
    return names(s.m[words]) == {label for name, label in LABELS.items() if name not in s.f.matter}


CLAIM = [
    Row("Alone and in a batch: the first samples are on their way.", has(lambda f: not f.samples)),
    Row(
        "In batches of 1 to {n}, outputs and gradients are equal to those of each sample alone.",
        lambda s: s.f.samples > 0 and not changes(s.f) and s.number("n") == s.f.largest,
    ),
    Row("In a batch of {n}, {p} of the outputs and {q} of the gradient's components change.", largest_change),
]

STEPS = [
    Row(
        "The share of components that change is the same in batches of all sizes.",
        has(lambda f: f.samples and not steps(f, "output") + steps(f, "gradient")),
    ),
    Row("The share steps with the batch size: {any}.", said_steps),
]

CLOSER = [
    Row(
        "Where a batch of {n} differs, the sample alone is closer to the exact value in {x} components and the batch "
        "in {y}.",
        lambda s: s.number("n") == 256 and (s.number("x"), s.number("y")) == tuple(2 * won for won in s.f.closer),
    )
]

CONDITIONS = [
    Row(
        "Among the samples tried, nothing else changed a component: neither {any} did.",
        lambda s: s.f.samples > 0 and not s.f.matter and do_not(s, "any"),
    ),
    Row(
        "Among the samples tried, this changed components, too: {any}, but not {any2}.",
        lambda s: bool(s.f.matter) and matters(s) and do_not(s, "any2"),
    ),
    Row(
        "Among the samples tried, this changed components, too: {any}.",
        lambda s: s.f.matter == tuple(LABELS) and matters(s),
    ),
]

WHY = [
    Row("A sum in floats depends on the order of its additions.", always),
    Row(
        "A matrix product has several kernels, and the library picks one by the shape of the batch and by where its "
        "rows lie in memory.",
        always,
    ),
    Row("Kernels of activations compute several numbers at once, and what is left over one by one.", always),
    Row("Compare with a tolerance.", always),
    Row(
        "Pad to a batch of fixed size if you need the same bits every time: that helps where the row's place does not "
        "matter.",
        always,
    ),
    Row(
        "Or use one kernel for all sizes, [batch-invariant kernels](https://thinkingmachines.ai/blog/"
        "defeating-nondeterminism-in-llm-inference/): in a test published with them, a server of a language model took "
        "42 seconds instead of 26.",
        always,
    ),
    Row(
        "Deterministic algorithms are another matter: they repeat the same call bit for bit, but other batch sizes are "
        "other calls.",
        always,
    ),
    Row("In float64 the difference shrinks, but it does not vanish.", lambda s: s.e.dtype != "float64"),
    Row(
        "In 16 bits a sum is kept in float32 and rounded at its end, so the order seldom shows.",
        lambda s: s.e.dtype in ("bfloat16", "float16") and s.e.device == "cpu",
    ),
]


@dataclass(frozen=True)
class At:
    """What was found, for a batch size."""

    found: Batched
    size: int

    @property
    def counts(self) -> tuple[int, int, int]:
        """The components of each quantity, and how many outputs and components of the gradient change."""
        f = self.found
        compared = f.compared(self.size) if f.samples else 0
        return compared, f.changed("output", self.size), f.changed("gradient", self.size)

    @property
    def none(self) -> bool:
        return not any(self.counts[1:])


def of_sizes(sayer: Sayer) -> Said:
    """Every case with every batch size, and with each dtype on the CPU, and on a device."""
    return _of_sizes(sayer)


def _of_sizes(sayer: Sayer) -> Iterator:
    experiments = [Experiment(), *(Experiment(dtype=dtype) for dtype in ("float64", "bfloat16", "float16"))]
    experiments.append(replace(Experiment(), device="cuda", dtype="bfloat16"))
    for experiment in experiments:
        for case in FOUND.values():
            tally = case.tally()
            for size in SIZES:
                given = {"experiment": experiment, "size": size, "tally": tally}
                yield (
                    State(experiment, At(case, size), {}),
                    sayer(*(given[name] for name in signature(sayer).parameters)),
                )


def counted(s: State) -> bool:
    return s.f.counts[0] > 0


def changed(s: State) -> bool:
    return counted(s) and not s.f.none


def both_shares(s: State) -> bool:
    compared, outputs, gradient = s.f.counts
    shares = s.share("p", outputs, compared) and s.share("q", gradient, compared)
    return changed(s) and shares and s.number("n") == s.f.size


def narrow(s: State) -> bool:
    return s.e.dtype in ("bfloat16", "float16") and s.e.device == "cpu"


HEADLINE = [
    Row("Alone, or in a batch of {n}: the same bits?", lambda s: not counted(s) and s.number("n") == s.f.size),
    Row(
        "Alone, or in a batch of {n}: all {k} outputs and gradient components are equal.",
        lambda s: counted(s) and s.f.none and s.number("k") == 2 * s.f.counts[0] and s.number("n") == s.f.size,
    ),
    Row("Alone, or in a batch of {n}: {p} of outputs and {q} of gradient components differ.", both_shares),
]

IN_SHORT = [
    Row(
        "Another shape calls another kernel, which may add the same terms in another order, and so round differently.",
        changed,
    ),
    Row(
        "In {word}, the CPU adds up in float32 and rounds the sum at its end: another order, if there is one, "
        "rarely shows.",
        lambda s: s.f.none and narrow(s) and s.m["word"] == s.e.dtype,
    ),
    Row(
        "Whatever the kernels of both shapes do otherwise, these results came out the same.",
        lambda s: s.f.none and counted(s) and not narrow(s),
    ),
    Row("The first samples are on their way.", lambda s: not counted(s) and not narrow(s)),
]


def of_outputs(s: State) -> bool:
    """Whether outputs change, and the worst of them is the figure that is said."""
    return s.f.counts[1] > 0 and s.number("x") == s.f.found.units


def within(s: State) -> bool:
    return s.f.found.bound is not None and not s.f.found.over


def excludes(s: State) -> bool:
    """Whether the bound is below S itself."""
    return s.f.found.bound * 2.0 ** -{"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}[s.e.dtype] < 1


waiting = Row("The first samples are on their way.", lambda s: not counted(s))

BUG = [
    waiting,
    Row(
        "There is nothing to explain: no bit changes in a batch of {n}.",
        lambda s: counted(s) and s.f.none and s.number("n") == s.f.size,
    ),
    Row("No output changes in a batch of {n}.", lambda s: changed(s) and not s.f.counts[1]),
    Row(
        "The gradient does, by {x} rounding units at most.",
        lambda s: s.f.counts[2] and s.number("x") == s.f.found.units,
    ),
    Row("An output changes by {x} rounding units at most.", of_outputs),
    Row("No bound is proved for this.", lambda s: s.f.found.bound is None, sometimes=True),
    Row(
        "Look into it: outputs change by up to {x} rounding units, and the proved bound is {y}.",
        lambda s: of_outputs(s) and s.f.found.over > 0 and s.number("y") == s.f.found.bound,
    ),
    Row("Worst output: {x} rounding units.", lambda s: of_outputs(s) and within(s) and not excludes(s)),
    Row(
        "The proved bound, {y}, excludes nothing here.",
        lambda s: within(s) and not excludes(s) and s.number("y") == s.f.found.bound,
    ),
    Row("Rounding alone can explain it.", lambda s: within(s) and excludes(s), sometimes=True),
    Row(
        "Worst output: {x} of at most {y} rounding units (proved).",
        lambda s: of_outputs(s) and within(s) and s.number("x") <= s.number("y") == s.f.found.bound,
    ),
]


def who_won(s: State) -> bool:
    alone_, batch = s.f.found.closer
    total = alone_ + batch
    shares = s.share("p", alone_, total) and s.share("q", batch, total)
    return counted(s) and shares and s.number("n") == 2 * total


RIGHT = [
    Row("No component has been found in which one side is closer.", lambda s: counted(s) and not any(s.f.found.closer)),
    waiting,
    Row("Closer to the exact value: alone in {p}, in the batch in {q}, of {n} judged that differ.", who_won),
]


def nothing_to_do(s: State) -> bool:
    return counted(s) and s.f.none


def place_matters(s: State) -> bool:
    return "place" in s.f.found.matter and s.f.size == 4


REMEDY = [
    waiting,
    Row("Here, nothing.", nothing_to_do),
    Row("In tests, a tolerance accepts what another machine may change.", nothing_to_do),
    Row("In tests, use a tolerance.", changed),
    Row("Padding to one size is not enough: the row's place matters, too.", lambda s: changed(s) and place_matters(s)),
    Row(
        "For the same bits, pad to one size; here no row's place mattered.",
        lambda s: changed(s) and not place_matters(s),
    ),
]

SUBJECTS = [
    Subject(batch_claim, CLAIM, alone(FOUND, Batched.tally)),
    Subject(steps_claim, STEPS, alone(FOUND, Batched.tally)),
    Subject(closer_claim, CLOSER, alone(FOUND, Batched.tally)),
    Subject(conditions_claim, CONDITIONS, alone(FOUND, Batched.tally)),
    Subject(why_the_batch, WHY, of_choices),
    Subject(batch_headline, HEADLINE, of_sizes),
    Subject(why_in_a_batch, IN_SHORT, of_sizes),
    Subject(batch_bug_card, BUG, of_sizes),
    Subject(batch_right_card, RIGHT, of_sizes),
    Subject(batch_remedy_card, REMEDY, of_sizes),
]
