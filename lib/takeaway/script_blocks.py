"""The samples and the network of a script: Python text that draws them as `sampling` and `network` do.

The samples come in blocks. A single block needs no loop, and its seed is a number; several blocks need a loop that
combines their figures.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from textwrap import indent
from typing import Self

import torch

from lib.batch.study import block_size as size_of_batches
from lib.experiment.choices import DEVICES, DTYPES, MATMULS, OUTPUT_ACTIVATIONS, DType
from lib.experiment.query import Experiment
from lib.network.sampling import POINTS, WIDEST, block_size, chunk_size, log_range
from lib.network.seeds import PARTS, start_of, stream_seed

WIDTH = 100
"""The most columns that a script may have."""

_ONE_THREAD = "torch.set_num_threads(1)  # with more, a sum may be shared out, and so added in another order"

_ROUND_ONCE = """\
def round_once(x):  # .to() alone would round twice, to float32 on the way
    ulp = torch.exp2(torch.frexp(x).exponent.clamp(min={smallest}) - {bits})
    return (torch.round(x / ulp) * ulp).to(torch.{dtype})
"""
_DRAW = {"uniform": "torch.rand", "normal": "torch.randn"}
_BEGINNINGS = {"ulps": "Counter()", "rows_equal": "True"}
"""The initial values of figures that are not numbers."""


@dataclass(frozen=True)
class Blocks:
    """The blocks of an experiment, each of `size` samples that are drawn in `chunks` chunks.

    `products` says whether the script multiplies matrices.
    """

    experiment: Experiment
    size: int
    chunks: int
    products: bool

    @classmethod
    def of_network(cls, experiment: Experiment) -> Self:
        size = block_size(experiment)
        return cls(experiment, size, size // chunk_size(experiment), products=True)

    @classmethod
    def of_batches(cls, experiment: Experiment) -> Self:
        """The blocks of the study of batches, which are computed whole, whatever the experiment's evaluation."""
        size = size_of_batches(experiment)
        return cls(replace(experiment, evaluation="batched"), size, size // chunk_size(experiment), products=True)

    @classmethod
    def of_function(cls, experiment: Experiment) -> Self:
        return cls(experiment, POINTS, chunks=1, products=False)

    @property
    def many(self) -> bool:
        return self.experiment.samples > self.size

    @property
    def left(self) -> str:
        """The number of samples from the beginning of a block onward, as an expression."""
        return f"samples - {self.size} * block" if self.many else "samples"

    @property
    def cut(self) -> str:
        """The slice that cuts off what is drawn beyond the last sample; empty if nothing is."""
        if self.experiment.samples % self.size == 0:
            return ""
        return f": {self.left}" if self.many else f":{self.left}"

    def head(self) -> list[str]:
        """Return the first parts of the script: settings and, for 16-bit dtypes, the function that rounds."""
        rounded = "" if self.experiment.dtype == "float64" else "  # all is drawn in float64, and rounded once"
        parts = [
            text(
                *([_ONE_THREAD] if self.experiment.device == "cpu" else self._matmul),
                f"torch.set_default_dtype(torch.float64){rounded}",
                f"samples = {self.experiment.samples:{'_' if self.experiment.samples >= 10_000 else ''}}",
            )
        ]
        if self._dtype.narrow:
            smallest = 2 - self._dtype.largest_exponent  # what frexp returns for the smallest normal number
            parts.append(_ROUND_ONCE.format(dtype=self.experiment.dtype, smallest=smallest, bits=self._dtype.precision))
        return parts

    def network(self) -> str:
        """Return the lines that draw the network, of all blocks or of one."""
        seed = self.experiment.seed if self.experiment.networks == "one" else self._seed("networks")
        hidden, last = _module(self.experiment.activation), _module(self.experiment.output_activation)
        layers = [f"nn.Linear({a}, {b})" for a, b in pairwise(self.experiment.widths)]
        after = [hidden] * len(self.experiment.hidden) + [last]
        modules = [part for pair in zip(layers, after, strict=True) for part in pair if part != "nn.Identity()"]
        lines = [f"net = nn.Sequential({', '.join(modules)})"]
        if len(lines[0]) > WIDTH - 4:
            lines = [
                f"widths = {', '.join(map(str, self.experiment.widths))}",
                f"layers = [part for a, b in pairwise(widths) for part in (nn.Linear(a, b), {hidden})]",
                f"net = nn.Sequential(*layers[:-1], {last})",
            ]
        if self._dtype.narrow:
            lines.append("for parameter in net.requires_grad_(False).parameters():")
            lines.append(f"    parameter.data = round_once(parameter.data){self._to_device}")
        else:
            lines.append(f"net{self._to_dtype}{self._to_device}.requires_grad_(False)")
        return text(f"torch.manual_seed({seed})", *lines)

    def inputs(self) -> str:
        """Return the lines that draw a block's samples for the network.

        They include samples beyond the last one if the block is computed as a whole.
        """
        draw = f"{_DRAW[self.experiment.distribution]}({self.size // self.chunks}, {self.experiment.inputs}"
        if self.chunks > 1:  # each chunk has its own seed
            chunk = f"{self.chunks} * block + k" if self.many else "k"
            return text(
                f"seeds = [{self._seed('samples', chunk)} for k in range({self.chunks})]",
                f"inputs = torch.cat([{draw}, generator=torch.manual_seed(s)) for s in seeds])",
                f"inputs = {self._rounded('inputs')}{self._to_device}",
            )
        inputs = f"{self._rounded(f'{draw})')}{self._to_device}"
        if self.cut and self.experiment.evaluation == "per-sample":
            inputs += f"[{self.cut}]"
        return text(f"torch.manual_seed({self._seed('samples')})", f"inputs = {inputs}")

    def points(self) -> str:
        """Return the lines that draw a block's x for the function."""
        dtype = getattr(torch, self.experiment.dtype)
        low, high = log_range(dtype)
        largest, draw = f"{torch.finfo(dtype).max}".replace("+", ""), f"torch.rand({self.size})"
        *lines, x = {
            "normal": [f"torch.randn({self.size})"],
            "uniform": [f"x = {WIDEST:g} * (2 * {draw} - 1)", "x"],
            "log-uniform": [
                f"x = torch.exp2({low:g} + {high - low} * {draw}).clamp(max={largest})",
                f"x = x * torch.where({draw} < 0.5, -1, 1)",
                "x",
            ],
        }[self.experiment.x_from]
        x = f"x = {self._rounded(x)}{self._to_device}"
        return text(f"torch.manual_seed({self._seed('points')})", *lines, f"{x}.requires_grad_()")

    def put_together(self, parts: list[str], figures: dict[str, str], before: str = "") -> list[str]:
        """Join the parts, which compute a block, and the figures: by name, the expression for its value in a block.

        With many blocks, a figure is the sum over them or, if its name contains "max", the maximum; a figure that is
        true or false is whether it holds in all blocks.
        """
        if not self.many:
            *parts, last = before + parts[0], *parts[1:]
            return [*parts, last + text(*(f"{name} = {value}" for name, value in figures.items()))]
        if figures:
            before += f"{', '.join(figures)} = {', '.join(_BEGINNINGS.get(name, '0') for name in figures)}\n"
        loop = f"for block in range({-(-self.experiment.samples // self.size)}):\n"
        added = text(*(_added(name, value) for name, value in figures.items()))
        return [before + loop + indent("".join([*parts, added]), "    ")]

    @property
    def _matmul(self) -> list[str]:
        """The line that sets how a card rounds, if the experiment differs from PyTorch's default."""
        chosen, default = MATMULS[self.experiment.matmul], MATMULS["default"]
        settings = {
            "float32": ("allow_tf32", default.tf32, chosen.tf32),
            "float16": ("allow_fp16_reduced_precision_reduction", default.reduced, chosen.reduced),
            "bfloat16": ("allow_bf16_reduced_precision_reduction", default.reduced, chosen.reduced),
        }
        name, before, now = settings.get(self.experiment.dtype, ("", False, False))
        differs = self.products and DEVICES[self.experiment.device].matmuls and before != now
        return [f"torch.backends.cuda.matmul.{name} = {now}"] if differs else []

    def _seed(self, purpose: str, number: str = "block") -> str:
        """Return the seed of the stream with this number, as an expression if the script computes the number."""
        if number == "block" and not self.many:
            return str(stream_seed(purpose, self.experiment.seed, 0))
        part, start = PARTS[purpose], start_of(purpose, self.experiment.seed)
        return f"{part.start} + ({start} + {number}) % {len(part)}"

    @property
    def _to_dtype(self) -> str:
        return ".to(torch.float32)" if self.experiment.dtype == "float32" else ""

    @property
    def _dtype(self) -> DType:
        return DTYPES[self.experiment.dtype]

    @property
    def _to_device(self) -> str:
        return "" if self.experiment.device == "cpu" else f'.to("{self.experiment.device}")'

    def _rounded(self, drawn: str) -> str:
        return f"round_once({drawn})" if self._dtype.narrow else f"{drawn}{self._to_dtype}"


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def _added(name: str, value: str) -> str:
    if "max" in name:
        return f"{name} = max({name}, {value})"
    return f"{name} &= {value}" if _BEGINNINGS.get(name) == "True" else f"{name} += {value}"


def _module(activation: str) -> str:
    row = OUTPUT_ACTIVATIONS[activation]
    return f"nn.{row.module}({', '.join(f'{name}={value}' for name, value in row.arguments)})"
