"""What the figures say, as the sentences of the page."""

from lib.discrepancy.study import DiscrepancyTally
from lib.display.markdown import code, plain
from lib.display.method_sentences import words
from lib.display.quantities import at_most, counted, decades, duration, listed, percent, quantity, step_text
from lib.experiment.choices import DEVICES, EVALUATIONS, MATMULS, METHODS
from lib.experiment.functions import FUNCTIONS, X_FROM
from lib.experiment.query import Experiment, QueryError
from lib.pitfall.costs import Cost, fastest, overtakes_from, reigns_from
from lib.pitfall.study import PitfallTally, rows_method


def claim(tally: DiscrepancyTally, experiment: Experiment) -> str:
    """The claim of the page with the figures as they stand, in Markdown."""
    compared = f"`backward()` and `{METHODS[experiment.method].summed}`"
    why = words(experiment)
    finite = tally.finite
    if tally.samples == 0:
        return f"{compared}: the first samples are on their way."
    if finite == 0:
        return f"{compared} gave no finite gradient components."
    if tally.equal == finite:
        return f"{compared} gave equal values in all {finite:,} gradient components{_because(why.equal)}."
    return (
        f"{compared} gave different values in {percent(finite - tally.equal, finite)} of {finite:,} gradient "
        f"components, and never differed by more than {at_most(tally.max_abs.value)}{_because(why.apart)}."
    )


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""


def pitfall_claim(tally: PitfallTally, experiment: Experiment) -> str:
    """The claim of the pitfall with the figures as they stand, in Markdown."""
    call = "One call of `torch.autograd.grad` for all rows"
    if tally.samples == 0:
        return f"{call}: the first samples are on their way."
    if tally.entries == 0:
        return f"{call} gave no finite entries."
    if experiment.outputs == 1:
        return f"{call} is right with one output: there is one row, and it is the sum."
    if not tally.rows_equal:
        return f"{call} gave rows that differ in {tally.seen[0]:,} of {tally.samples:,} samples."
    if tally.worst.value == 0:
        return f"{call} gave {experiment.outputs} equal rows, and here all rows are equal to their sum."
    claim = f"{call} gave {experiment.outputs} equal rows, each the sum of all: up to {at_most(tally.worst.value)} off"
    if tally.decades is None or tally.decades < 0.25:
        return f"{claim} the right row."
    return f"{claim} the right row, {decades(tally.decades)} farther than off the sum of the right rows."


def pitfall_rows(tally: PitfallTally, experiment: Experiment) -> str:
    """What the single call computes instead, and which method the right rows are from, in Markdown."""
    rows, equal = tally.backward.total, tally.backward[1]
    method = rows_method(experiment)
    note = "" if method == experiment.method else f", as `{experiment.method}` gives none"
    right = f"The right rows are by `{METHODS[method].api}`{note}."
    if rows == 0:
        return right
    return (
        f"{percent(equal, rows)} of the {rows:,} rows of the single call are equal to the gradient of `backward()`, "
        f"value for value. {right}"
    )


def cost_claim(costs: list[Cost], experiment: Experiment) -> str:
    """Which method is the fastest for the experiment's number of outputs, and from where on, in Markdown."""
    best = fastest(costs)
    if not costs:
        return "The first timings are on their way."
    if experiment.outputs not in best:
        return f"Not every method has been timed with {_outputs(experiment.outputs)} so far."
    here, last = best[experiment.outputs], best[max(best)]
    rivals = [f"`{cost.method}`" for cost in costs if _as_fast(cost, here)]
    claim = f"`{here.method}` is the fastest way to the rows for {_outputs(here.outputs)}: "
    claim += f"{quantity(here.seconds, 's')} a Jacobian"
    claim += f"; {listed(rivals)} may be as fast, since the timings overlap." if rivals else "."
    start = reigns_from(best)
    if last == here:
        return claim
    if last.method == here.method and start <= here.outputs:
        return f"{claim} It stays the fastest up to {_outputs(last.outputs)}."
    rest = f"With {_outputs(start)}" if start == last.outputs else f"From {_outputs(start)} on, up to {last.outputs},"
    return f"{claim} {rest} it is `{last.method}`{' again' if last.method == here.method else ''}."


def _as_fast(cost: Cost, best: Cost) -> bool:
    """Whether this is another method at the same number of outputs whose timings overlap with those of the best."""
    rival = cost.outputs == best.outputs and cost.method != best.method and METHODS[cost.method].gives == "rows"
    return rival and cost.low <= best.high


def _outputs(number: int) -> str:
    return counted(number, "output")


def vmap_claim(costs: list[Cost]) -> str:
    """From how many outputs on a batch of cotangents, by vmap, is faster than the loop, in Markdown."""
    if not any(cost.method == "batched-grad" for cost in costs):
        return "The first timings of `batched-grad` are on their way."
    start = overtakes_from(costs, "batched-grad", "rows")
    claim = "A batch of all cotangents, by vmap (`batched-grad`), is"
    if start is None:
        return f"{claim} slower than the loop (`rows`) at the most outputs tried: vmap has a price of its own."
    if start == min(cost.outputs for cost in costs):
        return f"{claim} faster than the loop (`rows`) at every number of outputs tried."
    return (
        f"{claim} faster than the loop (`rows`) from {_outputs(start)} on, not always with fewer: vmap has its price."
    )


def cost_spread(costs: list[Cost]) -> str:
    """How far apart the timings of one thing are, as a warning."""
    spreads = sorted((cost.high - cost.low) / cost.seconds for cost in costs)
    typical = f"{spreads[len(spreads) // 2]:.0%}" if spreads else "some per cent"
    return (
        f"Timings are noisy, more so while others use the machine: here the middle half of those of one method is "
        f"spread over {typical} of their median (the bars on the curves), so a smaller difference means nothing."
    )


def conditions(experiment: Experiment) -> str:
    """What the figures are from: method, evaluation, dtype and device, and whether they are the same in every run, in
    Markdown."""
    method, device = METHODS[experiment.method], DEVICES[experiment.device]
    products = f" Matrix products: {MATMULS[experiment.matmul].about}." if device.matmuls else ""
    step = f" The step is h = {step_text(experiment.step)}·max(1, |x|)." if "step" in experiment.options else ""
    return (
        f"`{method.api}`: {method.about}.{step} Evaluated {EVALUATIONS[experiment.evaluation].label}, in "
        f"{experiment.dtype}, on the {device.label}: {device.repeats}.{products}"
    )


def environment(described: dict[str, str | int | bool], device: str) -> str:
    """What computed the figures of an experiment on the device, in one line: of `machine.describe` what the last bits
    depend on."""
    parts = [
        f"Device {DEVICES[device].label}",
        f"PyTorch {described['torch']}",
        f"Python {described['python']}",
        f"{described['cpu']}",
        f"kernels for {described['cpu_capability']}",
        *[name for key, name in (("mkl", "MKL"), ("mkldnn", "oneDNN")) if described[key]],
        counted(described["threads"], "thread"),
        f"float32 matmul precision {described['float32_matmul_precision']}",
    ]
    if device == "cuda":
        parts += [
            f"{described['gpu']}, CUDA {described['cuda']}",
            f"TF32 {_on(described['matmul_tf32'])}, in cuDNN {_on(described['cudnn_tf32'])}",
            f"sums in reduced precision {_on(described['float16_reduced_precision'])} for float16, "
            f"{_on(described['bfloat16_reduced_precision'])} for bfloat16",
        ]
    return " · ".join(parts)


def _on(setting: object) -> str:
    return "on" if setting else "off"


def elsewhere(described: dict[str, str | int | bool]) -> str:
    """What a link promises on another machine, and what it does not."""
    return (
        "The link names the experiment, so it opens with the same weights and samples everywhere. On another machine "
        "the last bits may be others, and so the figures: what matters is the CPU capability, which says for what "
        f"processors the kernels are (here {described['cpu_capability']}), and the build of PyTorch (here "
        f"{described['torch']})."
    )


def title(study: str, experiment: Experiment) -> str:
    """A study ("discrepancy", "pitfall" or "derivative") of the experiment in a few words, for the title of a window
    and of a link's preview."""
    if study == "derivative":
        return f"Last Bit: the derivative of {FUNCTIONS[experiment.function].call}, {experiment.dtype}"
    method = "single-call" if study == "pitfall" else experiment.method
    return f"Last Bit: {_shape(experiment)} {experiment.activation}, {experiment.dtype}, {method}"


def summary(study: str, experiment: Experiment) -> str:
    """What the study ("discrepancy", "pitfall" or "derivative") asks, and of what: one sentence of plain text."""
    device = "" if experiment.device == "cpu" else f" on {DEVICES[experiment.device].label}"
    numbers = f"in {experiment.dtype}{device}"
    if study == "derivative":
        return (
            f"Do autograd's derivative of {FUNCTIONS[experiment.function].call} and the formulas by hand give equal "
            f"values, at {experiment.samples:,} random x ({X_FROM[experiment.x_from].label}) {numbers}?"
        )
    networks = f"a {_shape(experiment)} network" if experiment.networks == "one" else f"{_shape(experiment)} networks"
    over = (
        f"over {counted(experiment.samples, 'random sample')} of {networks} ({experiment.activation}, "
        f"{experiment.output_activation}) {numbers}, {EVALUATIONS[experiment.evaluation].label}"
    )
    if study == "pitfall":
        method = METHODS[rows_method(experiment)].label
        return f"How far is one call of grad for all rows of a Jacobian from the right rows ({method}), {over}?"
    return f"{words(experiment).question}, {over}?"


def _shape(experiment: Experiment) -> str:
    return "→".join(map(str, experiment.widths))


def finiteness(tally: DiscrepancyTally, experiment: Experiment) -> str:
    """How many components are infinite or NaN, and where they are not counted."""
    if tally.nonfinite == 0:
        return f"All {tally.components:,} components are finite." if tally.components else ""
    return (
        f"{tally.nonfinite:,} of {tally.components:,} components are infinite or NaN in one gradient or both: "
        f"{words(experiment).nonfinite}. They are in no other figure here."
    )


def refusal(error: QueryError) -> str:
    """The sentence of a bad query in Markdown."""
    return quoted(str(error), error.shown)


def quoted(sentence: str, shown: str) -> str:
    """A sentence in Markdown, with the part that a visitor wrote as code: no link or picture in it comes to life, and
    nothing in the rest of it is markup."""
    before, found, after = sentence.partition(shown) if shown else (sentence, "", "")
    return f"{plain(before)}{code(_typed(found)) if found else ''}{plain(after)}"


def _typed(shown: str) -> str:
    """The text without the quotation marks that `repr` gave it: code needs none."""
    return shown[1:].removesuffix(shown[0]) if len(shown) > 2 and shown[0] in "'\"" else shown


def progress(samples: int, total: int, unit: str, rate: float, paused: bool, others: int = 0, queue: str = "") -> str:
    """How far a run is, at how many samples (by the name of `unit`) per second, and the time left at that rate; and
    with how many other runs it takes turns, or where it stands in the `queue`, by a sentence."""
    done = f"{samples:,} of {total:,} {unit}"
    if samples >= total:
        return done
    if paused:
        return f"{done} · paused"
    if queue:
        return f"{done} · {queue}"
    turns = f" · taking turns with {others} other {'runs' if others > 1 else 'run'}" if others else ""
    if rate == 0:
        return f"{done} · starting{turns}"
    return f"{done} · {rate:,.0f} {unit}/s · {duration((total - samples) / rate)} left{turns}"


def in_queue(before: int, begun: bool, refused: bool) -> str:
    """That a run waits for its turn, and how many are before it; refused are those for which the queue is too long."""
    if refused:
        return f"The server is full: {before:,} runs are waiting for their turn, and this page keeps asking for one."
    goes_on = "goes on" if begun else "starts"
    if before == 0:
        return f"The server is busy: this run is next and {goes_on} by itself."
    ahead = "1 run is" if before == 1 else f"{before:,} runs are"
    return f"The server is busy: {ahead} ahead of this one, which {goes_on} by itself."
