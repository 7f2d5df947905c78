"""Functions whose gradient becomes NaN, infinite or wrong at some x, each also in a safe spelling.

Both spellings are run as they are shown, in float32 on the CPU, and their gradients are shown
beside the exact one. The rows are those of `unsafe.toml`.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from lib.floats.sentences import why
from lib.floats.ulps import to_float64
from lib.network.machine import use_one_thread

Components = Sequence[float | str]
"""The components of a gradient; "none" where there is no derivative."""


@dataclass(frozen=True)
class Unsafe:
    """A function in an unsafe and in a safe spelling: lines of code that compute y from a tensor x.

    At `x`, `exact` is the exact gradient, correctly rounded to float32. `why` tells why the unsafe
    spelling fails, and `do` what to do, in Markdown.
    """

    code: str
    safe: str
    x: list[float]
    exact: Components
    why: str
    do: str

    @property
    def explanation(self) -> str:
        """Why it fails and what to do, in Markdown.

        Functions that a spelling names with `torch.` are links to PyTorch's documentation.
        """
        names = dict.fromkeys(re.findall(r"torch\.[a-z_.0-9]+", self.code + self.safe))
        return why(self.why, self.do, {name: f"generated/{name}.html" for name in names})


def gradient(row: Unsafe, code: str) -> Components:
    """Return the gradient that PyTorch gives here for one spelling."""
    use_one_thread()
    x = torch.tensor(row.x if len(row.x) > 1 else row.x[0], requires_grad=True, dtype=torch.float32)
    names: dict[str, Any] = {"torch": torch, "x": x}
    # The code is from our table, never from a visitor.
    exec(code, names)
    names["y"].backward()
    return to_float64(x.grad).ravel().tolist()


def gradients(key: str) -> tuple[Components, Components]:
    """Return the gradients that PyTorch gives here for the unsafe and the safe spelling."""
    row = UNSAFE[key]
    return gradient(row, row.code), gradient(row, row.safe)


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())

UNSAFE = {key: Unsafe(**row) for key, row in _TABLE.items()}
"""The rows, by their keys in a link."""
