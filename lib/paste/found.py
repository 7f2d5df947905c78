"""A cause that was found for what was pasted: how strong the evidence is, what it is, and the tabs that show more."""

from dataclasses import dataclass
from urllib.parse import urlencode

from lib.display.quantities import listed
from lib.experiment.studies import STUDIES


@dataclass(frozen=True)
class Link:
    """A way to what shows a cause: its words, the study whose tab it is in, and the key of its section, or ""."""

    words: str
    study: str
    section: str = ""

    @property
    def markdown(self) -> str:
        view = {"tab": STUDIES[self.study].label} | ({self.section: "true"} if self.section else {})
        return f"[{self.words}](?{urlencode(view)})"


ORDER = Link("another order", "discrepancy", "operations")
BATCH = Link("a batch", "batch")
KERNEL = Link("another kernel", "batch", "batch_cpus")
SUMS = Link("Why are all rows the same?", "pitfall")
DTYPES_TRIED = Link("The four dtypes", "discrepancy", "ladder")
APART = Link("Why so many floats?", "discrepancy", "apart")
BUG = Link("Is it a bug?", "discrepancy", "bug")
SATURATION = Link("Saturation", "derivative", "saturation")
UNSAFE = Link("NaN, infinite and zero gradients", "derivative", "unsafe")


@dataclass(frozen=True)
class Found:
    """A cause found: its name, a sentence or two, the ways to what shows it, and whether the digits prove it."""

    name: str
    sentence: str
    links: tuple[Link, ...]
    proved: bool

    @property
    def markdown(self) -> str:
        strength = "Shown by the digits." if self.proved else "Consistent with the digits."
        return f"**{strength}** {self.sentence} See {listed(link.markdown for link in self.links)}."
