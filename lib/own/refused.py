"""What is refused, in one sentence that names what was given and what is allowed."""

from collections.abc import Callable, Mapping
from typing import cast

import torch
from torch import Tensor, nn

from lib.experiment.choices import DTYPES
from lib.experiment.methods import METHODS
from lib.floats.quantities import listed

FLOATS = tuple(getattr(torch, name) for name in DTYPES)
"""The dtypes of what is differentiated."""

METHODS_OF_ANY = tuple(name for name in METHODS if name not in ("copies", "finite-difference"))
"""The Jacobian methods of any callable. Copies of x need an axis of samples; central differences judge all of these."""

MOST_ENTRIES = 2**27
"""Of a Jacobian: 1 GiB in float64."""

Call = Callable[..., Tensor]


class RefusedError(ValueError, TypeError):
    """What was brought cannot be compared; one sentence says why."""


def calls_of(net: object, ways: object) -> tuple[Call, ...]:
    """Return the one callable, or the two of `ways`."""
    if (net is None) == (ways is None):
        raise RefusedError("Give one network, as in compare(net, x), or two, as in compare(ways=(f, g), x=x).")
    calls = (net,) if ways is None else ways
    if not isinstance(calls, tuple | list) or len(calls) != (1 if ways is None else 2):
        raise RefusedError(f"ways must be two callables, such as (f, g), not {_kind(ways)}.")
    for call in calls:
        if not callable(call):
            raise RefusedError(f"{_kind(call)} cannot be called: allowed are an nn.Module and a function.")
        if isinstance(call, torch.jit.ScriptModule):
            raise RefusedError("A scripted network cannot be computed in another dtype: give it unscripted.")
    return cast(tuple[Call, ...], tuple(calls))


def inputs_of(x: object, of: str) -> tuple[Tensor, ...]:
    """Return x as a tuple of the tensors that the network is called with."""
    if of not in ("input", "parameters"):
        raise RefusedError(f"of={of!r} is not known: allowed are 'input' and 'parameters'.")
    given = tuple(x) if isinstance(x, tuple | list) else (x,)
    for one in given:
        if not isinstance(one, Tensor) or one.is_nested or one.layout != torch.strided or one.is_meta:
            raise RefusedError(f"x is {_kind(one)}: allowed is a dense tensor with numbers, or a tuple of these.")
        if not one.numel():
            raise RefusedError(f"x is empty: its shape is {tuple(one.shape)}.")
        if one.dtype in FLOATS and (count := int((~one.isfinite()).sum())):
            raise RefusedError(f"x is not finite: {count:,} of its {one.numel():,} numbers are NaN or infinite.")
    if not given:
        raise RefusedError("x is empty: a tuple of at least one tensor is needed.")
    if of == "input" and not any(one.dtype in FLOATS for one in given):
        dtypes = listed(sorted({str(one.dtype).removeprefix("torch.") for one in given}))
        raise RefusedError(
            f"x has the dtype {dtypes}, which has no gradient: allowed are {listed(DTYPES)}; "
            'of="parameters" differentiates the parameters instead.'
        )
    return given


def method_of(method: str, ways: object) -> str:
    if method not in METHODS_OF_ANY:
        why = " is not one for every network" if method in METHODS else " is not known"
        raise RefusedError(f"The method {method!r}{why}: allowed are {listed(METHODS_OF_ANY)}.")
    if ways is not None and method != METHODS_OF_ANY[0]:
        raise RefusedError("A method goes with one network: the gradients of two ways are both by backward().")
    return method


def result_of(y: object) -> Tensor:
    """Return the result of the network if it can be differentiated."""
    if not isinstance(y, Tensor):
        raise RefusedError(
            f"The network returns {_kind(y)}: allowed is one tensor; pick it, as in lambda x: net(x)[0]."
        )
    if y.dtype not in FLOATS or not y.numel():
        dtype = str(y.dtype).removeprefix("torch.")
        raise RefusedError(f"The network returns {dtype} of shape {tuple(y.shape)}: allowed are {listed(DTYPES)}.")
    return y


def failed(what: str, error: BaseException) -> RefusedError:
    """One sentence for an error of the network itself."""
    if isinstance(error, RefusedError):
        return error
    said = " ".join(str(error).split())
    return RefusedError(f"{what} failed with {type(error).__name__}: {said[:300] or 'no message'}")


def parameters_of(networks: Mapping[str, nn.Module]) -> dict[str, nn.Parameter]:
    """Return the parameters of floats by their names, each once."""
    by_id: dict[int, tuple[str, nn.Parameter]] = {}
    for key, network in networks.items():
        for name, one in network.named_parameters():
            if one.dtype in FLOATS:
                by_id.setdefault(id(one), (f"{key}.{name}", one))
    found = dict(by_id.values())
    if any(one.is_meta for one in found.values()):
        raise RefusedError("The network is on the device meta, which holds no numbers: allowed are the CPU and CUDA.")
    return found


def _kind(thing: object) -> str:
    if thing is None or isinstance(thing, Tensor):
        return "None" if thing is None else f"a tensor of layout {thing.layout} on the device {thing.device}"
    return f"a {type(thing).__name__}" + (f" of {len(thing)}" if isinstance(thing, tuple | list) else "")
