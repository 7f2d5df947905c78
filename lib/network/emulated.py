"""Matrix products as a graphics card may compute them, emulated on any device.

A card may round the factors of a float32 product to TF32, or keep the partial sums of a 16-bit product in 16 bits
(`choices.MATMULS`). An emulation does this to every matrix product of a computation, forward and backward.

NOTE [every product]: whatever asks for a matrix product, a layer, a backward pass or a Jacobian method under vmap, it
reaches the kernels as one of three operations, `_PRODUCTS`. There a dispatch mode replaces it; all other operations
stay as they are. A mode holds for its thread, and for the backward passes that the thread starts. It also sets flags of
the process, which only PyTorch's compiler reads; two modes that overlap would leave them set, so one thread at a time
emulates.

NOTE [not emulated]: a card adds in another order, and the accumulator of its tensor cores does not round as IEEE floats
do: it cuts bits off (M. Fasi, N. J. Higham, M. Mikaitis and S. Pranesh, "Numerical behavior of NVIDIA tensor cores",
PeerJ Computer Science 7, 2021). Where a card keeps partial sums in 16 bits, each of them is a sum of many terms that
were added in float32 (split-K); an accumulator of 16 bits, term by term, is the extreme case.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from lib.experiment.rows import Choice
from lib.floats.line import round_to_tf32
from lib.network.comparison import Comparison, Subject, Way

_ONE_AT_A_TIME = Lock()  # NOTE [every product]
_PRODUCTS = (torch.ops.aten.mm.default, torch.ops.aten.addmm.default, torch.ops.aten.bmm.default)


@dataclass(frozen=True)
class Emulation(Choice):
    """A way to compute a matrix product that PyTorch does not have on every device.

    `about` says what it does in a product, as part of a sentence. `dtype` is that of the weights, the samples and the
    results. `eps` is the distance from 1 to the next number of the narrowest format that numbers are rounded to.
    `product` computes left @ right, shapes (..., m, k) and (..., k, n), plus a third tensor unless it is None.
    """

    dtype: str
    eps: float
    product: Callable[[Tensor, Tensor, Tensor | None], Tensor]


def of_tf32_factors(left: Tensor, right: Tensor, added: Tensor | None = None) -> Tensor:
    """Round the factors, float32, to TF32; multiply and add in float32, by the kernels of the device."""
    factors = round_to_tf32(left), round_to_tf32(right)
    return torch.matmul(*factors) if added is None else torch.addmm(added, *factors)


def in_one_accumulator(left: Tensor, right: Tensor, added: Tensor | None = None) -> Tensor:
    """Add up the products term by term, `added` last, and round each partial sum to the dtype of the factors.

    PyTorch's `addcmul_` adds a product of 16-bit numbers, exact in the range of float32, to a partial sum in float32.
    """
    accumulator = left.new_zeros(*left.shape[:-1], right.shape[-1])
    for column, row in zip(left.unsqueeze(-1).unbind(-2), right.unsqueeze(-3).unbind(-2), strict=True):
        accumulator.addcmul_(column, row)
    return accumulator if added is None else accumulator + added


EMULATIONS = {
    "tf32": Emulation(
        "TF32 (emulated)",
        "TF32 rounds its factors to 11 significant bits, with products and sums in float32",
        dtype="float32",
        eps=2.0**-10,
        product=of_tf32_factors,
    ),
    "bfloat16-accumulator": Emulation(
        "bfloat16 accumulator (emulated)",
        "a bfloat16 accumulator rounds each partial sum to bfloat16, term by term",
        dtype="bfloat16",
        eps=2.0**-7,
        product=in_one_accumulator,
    ),
}


class _Products(TorchDispatchMode):
    """Replaces every matrix product as long as it lasts: NOTE [every product]."""

    def __init__(self, emulation: Emulation) -> None:
        super().__init__()
        self._product = emulation.product

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Keep PyTorch's compiler out: it would be loaded, and called at every operation."""
        return False

    def __torch_dispatch__(
        self, operation: Callable, types: object, given: Sequence = (), named: Mapping | None = None
    ) -> object:
        if operation not in _PRODUCTS:
            return operation(*given, **named or {})
        *added, left, right = given
        return self._product(left, right, *added)


@cache
def emulated(way: Way, emulation: Emulation) -> Way:
    """The same way with emulated products."""

    def compute(subject: Subject, x: Tensor) -> Tensor:
        with _ONE_AT_A_TIME, _Products(emulation):
            return way(subject, x)

    return Way(f"{way.code} in {emulation.label}", compute)


def both_emulated(comparison: Comparison, emulation: Emulation) -> Comparison:
    """The same comparison with emulated products on both sides."""
    return Comparison(emulation.label, emulated(comparison.one, emulation), emulated(comparison.other, emulation))
