"""How many different answers the methods give, as sentences of the page, in Markdown."""

from lib.display.quantities import listed
from lib.experiment.query import Experiment
from lib.variations.agreement import NAMES, AgreementTally


def agreement_claim(tally: AgreementTally, experiment: Experiment) -> str:
    """How many different answers the methods give."""
    if tally.samples == 0:
        return "The first samples by every method are on their way."
    classes = tally.classes()
    kin = next(members for members in classes if "backward" in members)
    others = [f"`{name}`" for name in kin if name != "backward"]
    same = f" `backward()` agrees with {listed(others)}." if others else " None of them agrees with `backward()`."
    answers = "the same answer" if len(classes) == 1 else f"{len(classes)} different answers"
    return f"`backward()` and the {len(NAMES) - 1} methods give {answers}, compared value by value.{same}"


def bit_classes(tally: AgreementTally) -> str:
    """The classes of equal values, as a list."""
    return "\n".join(f"- {', '.join(f'`{name}`' for name in members)}" for members in tally.classes())
