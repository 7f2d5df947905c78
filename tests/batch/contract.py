"""The contract of what is said of batches."""

import re
from dataclasses import dataclass, field

from lib.batch.sentences import batch_claim, closer_claim, conditions_claim, steps_claim, why_the_batch
from lib.batch.study import BatchTally, name
from lib.run.tally import ByName
from lib.variations.equality import EqualityTally
from tests.contract import Row, State, Subject, alone, always, has, of_choices
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
    "two steps": Batched(outputs=FROM_2 | FROM_16, gradient=FROM_2, closer=(0, 4), matter=("place", "order")),
    "outputs alone": Batched(outputs=FROM_16, closer=(9, 0), matter=tuple(LABELS)),
    "one size": Batched(gradient={8: 200}, matter=("slice",)),
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
    return {*text.replace(" and ", ", ").split(", ")}


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
        "Among the samples tried, nothing else changes a component: not {any}.",
        lambda s: s.f.samples > 0 and not s.f.matter and do_not(s, "any"),
    ),
    Row(
        "Among the samples tried, this also changes components: {any}, but not {any2}.",
        lambda s: bool(s.f.matter) and matters(s) and do_not(s, "any2"),
    ),
    Row(
        "Among the samples tried, this also changes components: {any}.",
        lambda s: s.f.matter == tuple(LABELS) and matters(s),
    ),
]

WHY = [
    Row("A sum in floats depends on the order of its additions.", always),
    Row(
        "A matrix product has several kernels, and the library takes one by the shape of the batch and by where its "
        "rows lie in memory.",
        always,
    ),
    Row("Kernels of activations compute several numbers at once, and what is left over one by one.", always),
    Row("Compare with a tolerance.", always),
    Row(
        "Pad to a batch of fixed size if the same bits have to come again: that helps where the row's place does not "
        "matter.",
        always,
    ),
    Row("In float64 the difference shrinks, but it does not vanish.", lambda s: s.e.dtype != "float64"),
    Row(
        "In 16 bits a sum is kept in float32 and rounded at its end, so the order seldom shows.",
        lambda s: s.e.dtype in ("bfloat16", "float16") and s.e.device == "cpu",
    ),
]

SUBJECTS = [
    Subject(batch_claim, CLAIM, alone(FOUND, Batched.tally)),
    Subject(steps_claim, STEPS, alone(FOUND, Batched.tally)),
    Subject(closer_claim, CLOSER, alone(FOUND, Batched.tally)),
    Subject(conditions_claim, CONDITIONS, alone(FOUND, Batched.tally)),
    Subject(why_the_batch, WHY, of_choices),
]
