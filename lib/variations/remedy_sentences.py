"""What makes the discrepancy go away, as sentences of the page, in Markdown."""

from lib.display.method_sentences import in_words_of
from lib.display.why import Why
from lib.experiment.query import Experiment
from lib.network.comparison import PLAIN
from lib.variations.remedies import RemediesTally


def remedies_claim(tally: RemediesTally, experiment: Experiment) -> str:
    """How many of the remedies leave no difference."""
    known = tally.known
    if not known:
        return "The first samples under each remedy are on their way."
    tried = {name: part for name, part in known.items() if name != PLAIN}
    gone = sum(part.equal == part.finite > 0 for part in tried.values())
    return f"Of {len(tried)} remedies, {gone} leave no difference in {tally.samples:,} samples."


def why_remedies(experiment: Experiment) -> Why:
    """When two ways agree for certain."""
    wider = "" if experiment.dtype == "float64" else ", or compute both in float64 and round once"
    return in_words_of(
        experiment,
        "remedies",
        Why(
            "Two results are equal for certain if both do the same operations in the same order, or if nothing is "
            "rounded.",
            "Compare with a tolerance, as PyTorch's own tests do. Where equal values are wanted, make both sides do "
            f"the same additions in the same order{wider}.",
            {
                "assert_close": "testing.html#torch.testing.assert_close",
                "gradcheck": "generated/torch.autograd.gradcheck.gradcheck.html",
            },
        ),
    )
