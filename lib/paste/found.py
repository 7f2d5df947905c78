"""A cause that was found for what was pasted: how strong the evidence is, what it is, and the tabs that show more."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """A way to what shows a cause: its words, the study whose tab it is in, and the key of its section, or ""."""

    words: str
    study: str
    section: str = ""


ORDER = Link("Another order", "discrepancy", "operations")
BATCH = Link("A batch", "batch")
KERNEL = Link("Another kernel", "batch", "batch_orders")
SUMS = Link("Why are all rows the same?", "pitfall")
DTYPES_TRIED = Link("The four dtypes", "discrepancy", "ladder")
APART = Link("Why so many floats?", "discrepancy")
BUG = Link("Is it a bug?", "discrepancy", "bug")
SATURATION = Link("Saturation", "derivative", "saturation")
UNSAFE = Link("NaN, infinite and zero gradients", "derivative", "unsafe")


@dataclass(frozen=True)
class Found:
    """A cause found: its name, a sentence or two, the ways to what shows it, and what of it the digits show, or ""."""

    name: str
    sentence: str
    links: tuple[Link, ...]
    shown: str = ""

    @property
    def proved(self) -> bool:
        return bool(self.shown)

    @property
    def figures(self) -> dict[str, object]:
        """The cause for JSON."""
        return {"name": self.name, "sentence": self.sentence.replace("`", ""), "proved": self.proved}

    @property
    def strength(self) -> str:
        return f"The digits show {self.shown}." if self.shown else "Consistent with the digits, not proved."
