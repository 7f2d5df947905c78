"""What is refused, in one sentence that names what was given and what is allowed."""

from collections.abc import Callable, Iterable
from typing import cast

import torch
from torch import Tensor

from lib.display.quantities import listed
from lib.experiment.choices import DTYPES
from lib.experiment.methods import METHODS

FLOATS = tuple(getattr(torch, name) for name in DTYPES)
"""The dtypes of what is differentiated."""

OF = ("input", "parameters")
"""What a gradient can be of."""

METHODS_OF_ANY = tuple(name for name in METHODS if name not in ("copies", "finite-difference"))
"""The Jacobian methods that need nothing but a callable. The other two put copies of x along an axis of samples."""

MOST_ENTRIES = 2**27
"""Of a Jacobian: 1 GiB in float64."""

_WITHOUT_NUMBERS = "{} is on the device meta, which holds no numbers: allowed are the CPU and CUDA."


class RefusedError(Exception):
    """What was brought cannot be compared; one sentence says why."""


class RefusedValueError(RefusedError, ValueError):
    """A value that is not allowed."""


class RefusedTypeError(RefusedError, TypeError):
    """A thing of a kind that is not allowed."""


def checked_calls(net: object, ways: object) -> tuple[Callable[..., Tensor], ...]:
    """Return the one callable, or the two of `ways`."""
    if (net is None) == (ways is None):
        raise RefusedTypeError("Give one network, as in compare(net, x), or two, as in compare(ways=(f, g), x=x).")
    calls = (net,) if ways is None else ways
    if not isinstance(calls, tuple | list) or ways is not None and len(calls) != 2:
        raise RefusedTypeError(f"ways must be two callables, such as (f, g), not {_kind(ways)}.")
    for call in calls:
        if not callable(call):
            raise RefusedTypeError(f"{_kind(call)} cannot be called: allowed are an nn.Module and a function.")
    return cast(tuple[Callable[..., Tensor], ...], tuple(calls))


def checked_input(x: object, of: str) -> tuple[Tensor, ...]:
    """Return x as a tuple of the tensors that the network is called with."""
    if of not in OF:
        raise RefusedValueError(f"of={of!r} is not known: allowed are {listed(map(repr, OF))}.")
    given = tuple(x) if isinstance(x, tuple | list) else (x,)
    for one in given:
        if not isinstance(one, Tensor):
            raise RefusedTypeError(f"x is {_kind(one)}: allowed is a tensor, or a tuple of tensors.")
        if one.is_nested or one.layout != torch.strided:
            kind = "is a nested tensor" if one.is_nested else f"has the layout {one.layout}"
            raise RefusedTypeError(f"x {kind}: allowed is torch.strided, as x.to_dense() has it.")
        if one.is_meta:
            raise RefusedTypeError(_WITHOUT_NUMBERS.format("x"))
        if not one.numel():
            raise RefusedValueError(f"x is empty: its shape is {_shape(one)}.")
        if one.dtype in FLOATS and not one.isfinite().all():
            count = int((~one.isfinite()).sum())
            raise RefusedValueError(f"x is not finite: {count:,} of its {one.numel():,} numbers are NaN or infinite.")
    if not given:
        raise RefusedValueError("x is empty: a tuple of at least one tensor is needed.")
    if of == "input" and not any(one.dtype in FLOATS for one in given):
        dtypes = listed(sorted({str(one.dtype).removeprefix("torch.") for one in given}))
        raise RefusedTypeError(
            f"x has the dtype {dtypes}, which has no gradient: allowed are {listed(DTYPES)}; "
            'of="parameters" differentiates the parameters instead.'
        )
    return given


def checked_method(method: str, ways: object) -> str:
    if method not in METHODS_OF_ANY:
        known = isinstance(method, str) and method in METHODS
        why = " needs an axis of samples, which not every network has" if known else " is not known"
        raise RefusedValueError(f"The method {method!r}{why}: allowed are {listed(METHODS_OF_ANY)}.")
    if ways is not None and method != METHODS_OF_ANY[0]:
        raise RefusedValueError("A method goes with one network: the gradients of two ways are both by backward().")
    return method


def checked_result(y: object) -> Tensor:
    """Return the result of the network if it can be differentiated."""
    if not isinstance(y, Tensor):
        raise RefusedTypeError(
            f"The network returns {_kind(y)}: allowed is one tensor; pick it, as in lambda x: net(x)[0]."
        )
    if y.dtype not in FLOATS:
        raise RefusedTypeError(
            f"The network returns the dtype {str(y.dtype).removeprefix('torch.')}: allowed are {listed(DTYPES)}."
        )
    if not y.numel():
        raise RefusedValueError(f"The network returns an empty tensor: its shape is {_shape(y)}.")
    return y


def checked_state(tensors: Iterable[Tensor]) -> None:
    """Refuse parameters and buffers that hold no real numbers."""
    for one in tensors:
        if one.is_meta:
            raise RefusedTypeError(_WITHOUT_NUMBERS.format("The network"))
        if one.is_complex():
            raise RefusedTypeError("The network has complex parameters or buffers: allowed are real ones.")


def no_path(of: str) -> RefusedError:
    return RefusedValueError(
        f"No gradient path leads from the {of} to the result: it does not depend on {of_text(of)}, or all of it is cut "
        "off by detach(), no_grad() or an operation without a derivative."
    )


def of_text(of: str) -> str:
    return "x" if of == "input" else "the parameters"


def too_large(outputs: int, inputs: int) -> RefusedError:
    return RefusedValueError(
        f"The Jacobian would have {outputs:,} × {inputs:,} entries: at most {MOST_ENTRIES:,} are allowed; "
        'method="summed-output" needs only one row.'
    )


def failed(what: str, error: BaseException) -> RefusedError:
    """One sentence for an error of the network itself."""
    said = " ".join(str(error).split())
    return RefusedValueError(f"{what} failed with {type(error).__name__}: {said[:300] or 'no message'}")


def _kind(thing: object) -> str:
    name = type(thing).__name__
    inside = f" of {len(thing)}" if isinstance(thing, tuple | list) else ""
    return f"None{inside}" if thing is None else f"a {name}{inside}"


def _shape(x: Tensor) -> str:
    return str(tuple(x.shape))
