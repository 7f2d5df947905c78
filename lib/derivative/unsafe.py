"""Functions whose gradient becomes NaN, infinite or wrong at some x, each also in a safe spelling.

Both spellings are run as they are shown, in float32 on the CPU, and what they give stands beside what is right. The
rows are those of `unsafe.toml`.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from lib.floats.line import to_float64
from lib.floats.sentences import Why
from lib.network.machine import use_one_thread

Components = tuple[float | None, ...]
"""The components of a gradient; None where there is no derivative."""


@dataclass(frozen=True)
class Unsafe:
    """A function in an unsafe and in a safe spelling: lines of code that make y of a tensor x.

    At `x`, PyTorch 2.13 `gives` one gradient for the first spelling, and `right` is the exact one, correctly rounded to
    float32. `why` the first fails and what to `do` are Markdown.
    """

    code: str
    safe: str
    x: tuple[float, ...]
    gives: Components
    right: Components
    why: str
    do: str

    @property
    def explanation(self) -> Why:
        """It links the functions in both spellings to PyTorch's documentation."""
        names = dict.fromkeys(re.findall(r"torch\.[a-z_.0-9]+", self.code + self.safe))
        return Why(self.why, self.do, {name: f"generated/{name}.html" for name in names})


def gradient(row: Unsafe, code: str) -> Components:
    """What PyTorch gives for the derivative of one spelling, here and now."""
    use_one_thread()
    x = torch.tensor(row.x if len(row.x) > 1 else row.x[0], requires_grad=True, dtype=torch.float32)
    names: dict[str, Any] = {"torch": torch, "x": x}
    exec(code, names)  # of our table, never a visitor's
    names["y"].backward()
    return tuple(to_float64(x.grad).ravel().tolist())


def _row(table: dict[str, Any]) -> Unsafe:
    """Return a row of the table, where "none" is no derivative."""
    numbers = {
        key: tuple(None if one == "none" else one for one in table[key])
        for key in ("x", "gives", "right")
    }
    return Unsafe(**table | numbers)


UNSAFE = {
    key: _row(table)
    for key, table in tomllib.loads(Path(__file__).with_suffix(".toml").read_text()).items()
}
"""What visitors come with, by the keys of the link."""


def gradients(key: str) -> tuple[Components, Components]:
    """What PyTorch gives for both spellings of a row, here and now."""
    row = UNSAFE[key]
    return gradient(row, row.code), gradient(row, row.safe)
