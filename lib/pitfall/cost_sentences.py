"""What a Jacobian costs by each method, as sentences of the page, in Markdown."""

from lib.display.quantities import counted, listed, microseconds
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.pitfall.costs import Cost, fastest, overtakes_from, reigns_from


def cost_claim(costs: list[Cost], experiment: Experiment) -> str:
    """Which method is the fastest for the experiment's number of outputs, and from how many on, in Markdown."""
    best = fastest(costs)
    if not costs:
        return "The first timings are on their way."
    if experiment.outputs not in best:
        return f"Not every method has been timed with {_outputs(experiment.outputs)} so far."
    here, last = best[experiment.outputs], best[max(best)]
    rivals = [f"`{cost.method}`" for cost in costs if _as_fast(cost, here)]
    claim = f"With {_outputs(here.outputs)}, `{here.method}` is fastest: {microseconds(here.seconds)} a Jacobian"
    claim += f"; {listed(rivals)} may be as fast: the timings overlap." if rivals else "."
    start = reigns_from(best)
    if last == here:
        return claim
    if last.method == here.method and start <= here.outputs:
        return f"{claim} It stays fastest up to {_outputs(last.outputs)}."
    rest = f"With {_outputs(start)}" if start == last.outputs else f"From {start} to {_outputs(last.outputs)}"
    return f"{claim} {rest} it is `{last.method}`{' again' if last.method == here.method else ''}."


def _as_fast(cost: Cost, best: Cost) -> bool:
    """Whether a cost is another method's, at the same number of outputs, and its timings overlap with the best's."""
    rival = cost.outputs == best.outputs and cost.method != best.method and METHODS[cost.method].gives == "rows"
    return rival and cost.low <= best.high


def vmap_claim(costs: list[Cost]) -> str:
    """From how many outputs on a batch of all cotangents, by vmap, is faster than the loop, in Markdown."""
    if not any(cost.method == "batched-grad" for cost in costs):
        return "The first timings of `batched-grad` are on their way."
    start = overtakes_from(costs, "batched-grad", "rows")
    claim = "All rows at once, by vmap (`batched-grad`), are"
    if start is None:
        return f"{claim} slower than one by one (`rows`), even at the most outputs tried: vmap has its price."
    if start == min(cost.outputs for cost in costs):
        return f"{claim} faster than one by one (`rows`) at every number of outputs tried."
    return f"{claim} faster than one by one (`rows`) from {_outputs(start)} on, not always with fewer."


def cost_spread(costs: list[Cost]) -> str:
    """How far the timings of the same call spread, as a warning."""
    spreads = sorted((cost.high - cost.low) / cost.seconds for cost in costs)
    typical = f"{spreads[len(spreads) // 2]:.0%}" if spreads else "some per cent"
    if spreads and typical == "0%":
        return "Timings are noisy, and most of these are of one call each. A small difference means nothing."
    return (
        f"Timings are noisy: the middle half of a method's timings (the bars) spans {typical} of their median. A "
        "smaller difference means nothing."
    )


def _outputs(number: int) -> str:
    return counted(number, "output")
