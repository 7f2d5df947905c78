"""The script of each study, as the parts of its Python text.

A script prints lines `name = value`, with the names that the command line uses, and `formula: name = value` for
formulas.
"""

from lib.batch.arrangements import SIZES
from lib.batch.study import PIECE
from lib.experiment.choices import DTYPES
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.takeaway.script_blocks import Blocks, text
from lib.takeaway.script_functions import by_hand, evaluated, gradients, in_torch, matrices


def discrepancy(experiment: Experiment) -> list[str]:
    """Return a script that compares both gradients of every sample."""
    blocks, bits = Blocks.of_network(experiment), DTYPES[experiment.dtype].bits
    if experiment.evaluation == "batched":
        both = f"torch.stack(gradients(inputs)){f'[:, {blocks.cut}]' if blocks.cut else ''}"
    else:
        both = "torch.stack([torch.stack(gradients(x)) for x in inputs], 1)"
    difference = "both[0] - both[1]" if experiment.dtype == "float64" else "both[0].double() - both[1].double()"
    measured = text(
        f"both = {both}",
        "finite = both.isfinite().all(0)",
        f"apart = torch.where(finite, {difference}, 0).abs()",
        f"bits = both.view(torch.int{bits})  # floats are in the order of their bits: an ulp is a step of 1",
        f"places = torch.where(bits < 0, -(bits & 0x7F{'FF' * (bits // 8 - 1)}), bits)[:, finite].tolist()",
    )
    figures = {
        "samples_equal": "(both[0] == both[1]).all(1).sum().item()",
        "nonfinite": "(~finite).sum().item()",
        "max_abs": "apart.max().item()",
        "ulps": "Counter(a - b for a, b in zip(*places, strict=True))",
    }
    counts = [f"components = {{samples * {experiment.inputs}}}", "{nonfinite = }", "equal = {ulps[0]}"]
    printed = text(
        _print(["{samples = }", *counts]),
        _print(["{samples_equal = }", "{max_abs = }", "max_ulps = {max(map(abs, ulps), default=0)}"]),
        'print("ulps_to_4 =", [[ulp, ulps[ulp]] for ulp in range(-4, 5) if ulp in ulps])',
    )
    written = blocks.put_together([_drawn(blocks), measured], figures)
    return [*_beginning(blocks), gradients(experiment), *written, printed]


def pitfall(experiment: Experiment) -> list[str]:
    """Return a script that compares the single call with the correct rows and with their sum, for every sample."""
    blocks = Blocks.of_network(experiment)
    measured = "map(torch.stack, zip(*map(matrices, inputs), strict=True))"
    if experiment.evaluation == "batched":
        measured = f"(m[{blocks.cut}] for m in matrices(inputs))" if blocks.cut else "matrices(inputs)"
    figures = {
        "rows_equal": "(single == single[:, :1]).all().item()",
        "rows_backward": "(single == backward.unsqueeze(1)).all(2).sum().item()",
        "single_vs_rows_max": "(single - right).abs().max().item()",
        "single_vs_sum_max": "(single - summed.unsqueeze(1)).abs().max().item()",
    }
    entries = [f"entries = {{samples * {experiment.outputs * experiment.inputs}}}", "{rows_equal = }"]
    printed = text(
        _print(["{samples = }", *entries, f"rows = {{samples * {experiment.outputs}}}"]),
        _print(["{rows_backward = }", "{single_vs_rows_max = }", "{single_vs_sum_max = }"]),
    )
    written = blocks.put_together([_drawn(blocks), f"right, summed, single, backward = {measured}\n"], figures)
    return [*_beginning(blocks), matrices(experiment), *written, printed]


def batch(experiment: Experiment) -> list[str]:
    """Return a script that compares each sample alone with the same sample in batches of each size."""
    blocks, outputs = Blocks.of_batches(experiment), experiment.outputs
    one, many = ("both", "both") if experiment.gradient == "backward" else ("alone", "together")
    left = "left" if blocks.many else "samples"
    cut = text(f"inputs = inputs[: -(-samples // {PIECE}) * {PIECE}]  # whole batches") if blocks.cut else ""
    wide = "" if experiment.dtype == "float64" else ".double()"
    parts = f'("output", apart[:{left}, :{outputs}]), ("gradient", apart[:{left}, {outputs}:])'
    measured = text(
        f"one_by_one = torch.stack([{one}(x.clone()) for x in inputs])  # aligned like new tensors",
        f"for n in {SIZES}:",
        f"    rows = torch.cat([{many}(x.clone()) for x in inputs[: len(inputs) // n * n].split(n)])",
        f"    apart = (one_by_one[: len(rows)]{wide} - rows{wide}).abs().nan_to_num(-1, -1)",
        f"    for name, part in {parts}:",
        '        figures[n, name, "components"] += part.numel()',
        '        figures[n, name, "equal"] += (part == 0).sum().item()',
        '        figures[n, name, "max_abs"] = max(figures[n, name, "max_abs"], part.max().item())',
    )
    printed = text(
        'print(f"{samples = }")',
        "for (n, name, figure), value in figures.items():",
        '    print(f"{name} in batches of {n}: {figure} = {value}")',
    )
    drawn = _drawn(blocks) + (text(f"left = {blocks.left}") if blocks.many else cut)
    written = blocks.put_together([drawn, measured], {}, "figures = Counter()\n")
    return [*_beginning(blocks), *evaluated(experiment), *written, printed]


def derivative(experiment: Experiment) -> list[str]:
    """Return a script that compares autograd's derivative with the formulas by hand, at every x."""
    blocks, function = Blocks.of_function(experiment), FUNCTIONS[experiment.differentiated]
    device = "" if experiment.device == "cpu" else ", device=x.device"
    exist = "exists" if function.exists else "counted"
    computed = text(
        f"y = {in_torch(function.call)}",
        "y.backward(torch.ones_like(y))",
        "autograd, x, y = x.grad, x.detach(), y.detach()",
    )
    compared = text(
        "# Computed whole and cut here, as the last numbers of a tensor may go through another kernel.",
        f"counted = torch.arange(len(x){device}) < {blocks.left}",
        *["# Also x without a derivative, which ball arithmetic finds and the page leaves out."] * bool(experiment.f),
        *[f"exists = counted & ({function.exists})"] * bool(function.exists),
        'for name, values in {"autograd": autograd, **by_hand}.items():',
        f"    equal[name] += ({exist} & (values == autograd)).sum().item()",
    )
    figures = {}
    if function.exists:
        figures["outside"] = "(counted & ~exists).sum().item()"
    if function.inverse:
        figures["round_trips"] = "(counted & ~y.isnan()).sum().item()"
        figures["round_trip_equal"] = f"(counted & ({in_torch(function.inverse)} == x)).sum().item()"
    printed = text(
        _print([f"{{{name} = }}" for name in ["samples", *figures]]),
        "for name, count in equal.items():",
        '    print(f"{name}: equal = {count}")',
    )
    parts = [blocks.points() + computed, by_hand(experiment.differentiated), compared]
    return [*blocks.head(), *blocks.put_together(parts, figures, "equal = Counter()\n"), printed]


def _beginning(blocks: Blocks) -> list[str]:
    """Return the first parts: settings, and the network if all blocks share one."""
    return [*blocks.head(), *([blocks.network()] if blocks.experiment.networks == "one" else [])]


def _drawn(blocks: Blocks) -> str:
    """Return the lines that draw a block's samples, and its network if each block has its own."""
    return blocks.inputs() if blocks.experiment.networks == "one" else blocks.network() + blocks.inputs()


def _print(lines: list[str]) -> str:
    """Return a call that prints the lines, whose texts may have replacement fields as in an f-string."""
    return 'print(f"' + r"\n".join(lines) + '")'
