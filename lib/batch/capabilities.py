"""The fingerprints of one machine under each CPU capability that PyTorch has kernels for, side by side.

PyTorch chooses its kernels once per process, by `ATEN_CPU_CAPABILITY`, so each fingerprint is made by a process of its
own: one after the other, with low priority, since each takes seconds and the memory of another PyTorch. Elsewhere than
on x86, PyTorch ignores these names and takes the kernels that it has; on x86, it does not ask whether the processor
knows the instructions, and a process that meets an unknown one is ended by SIGILL.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter

import torch

from lib.batch.fingerprint_differences import Differences, Fingerprint, FingerprintError, differences
from lib.experiment.query import Experiment

CAPABILITIES = ("default", "avx2", "avx512")
"""The values of `ATEN_CPU_CAPABILITY` on x86."""

MOST_SECONDS = 60.0
"""After so many seconds, a process is ended."""

_ROOT = Path(__file__).parents[2]
_NICENESS = 10


@dataclass(frozen=True)
class Made:
    """What the process with a capability made: a fingerprint, in so many seconds, or the reason why there is none."""

    capability: str
    seconds: float
    fingerprint: Fingerprint | None = None
    reason: str = ""

    @property
    def kernels(self) -> str:
        """The capability that the process reports, in capital letters; "" without a fingerprint."""
        return str(self.fingerprint.machine["cpu_capability"]) if self.fingerprint else ""


@dataclass(frozen=True)
class SideBySide:
    """The fingerprints by capability, and their differences from that of `own`, the kernels of this process. They are
    None where there is no fingerprint to compare."""

    own: str
    made: tuple[Made, ...]
    differences: tuple[Differences | None, ...]

    @property
    def compared(self) -> list[tuple[Made, Differences]]:
        """Those that have other kernels than this process, each with its differences."""
        both = zip(self.made, self.differences, strict=True)
        return [(made, found) for made, found in both if found and made.kernels != self.own]


@lru_cache(maxsize=32)
def side_by_side(experiment: Experiment) -> SideBySide:
    """Return the fingerprints of this machine under all capabilities, for `fingerprint.subject` of an experiment.

    It takes seconds, in which this process only waits. Raise RuntimeError if the host does not let it start one.
    """
    own = torch.backends.cpu.get_cpu_capability()
    try:
        made = tuple(_made(capability, experiment) for capability in CAPABILITIES)
    except OSError as error:
        raise RuntimeError(f"this host does not let the page start a process ({error.strerror}).") from error
    return SideBySide(own, made, _differences(own, made))


def _differences(own: str, made: Sequence[Made]) -> tuple[Differences | None, ...]:
    mine = next((one.fingerprint for one in made if one.fingerprint and one.kernels == own), None)
    return tuple(differences(one.fingerprint, mine) if one.fingerprint and mine else None for one in made)


def _made(capability: str, experiment: Experiment) -> Made:
    """Make a fingerprint in a process of its own."""
    start = perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "lib", experiment.query, "--fingerprint"],
        cwd=_ROOT,
        env=os.environ | {"ATEN_CPU_CAPABILITY": capability},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        with suppress(AttributeError, OSError):  # not on Windows; or it has ended
            os.setpriority(os.PRIO_PROCESS, process.pid, _NICENESS)
        try:
            printed, said = process.communicate(timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return Made(capability, perf_counter() - start, reason=f"no answer within {MOST_SECONDS:.0f} seconds")
    seconds = perf_counter() - start
    if process.returncode:
        return Made(capability, seconds, reason=_reason(process.returncode, said))
    try:
        return Made(capability, seconds, Fingerprint.read(printed))
    except FingerprintError as error:
        return Made(capability, seconds, reason=f"what it printed {error}")


def _reason(code: int, said: bytes) -> str:
    if code == -signal.SIGILL:
        return "this processor lacks its instructions"
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"its process ended with code {code}"
