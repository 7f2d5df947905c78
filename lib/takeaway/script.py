"""An experiment as a Python script that needs nothing but torch and prints the figures of the page.

Per-sample they are the same bit for bit on the same machine, and batched too, as the blocks are of the same size. A
script holds what its experiment needs and no more: the seeds of many blocks, or the rounding to a 16-bit dtype, are in
it only where there are many blocks, or such a dtype. It is put together as text, and never run here.
"""

import re
from itertools import pairwise
from textwrap import fill

from lib.experiment.query import Experiment
from lib.takeaway.script_blocks import WIDTH, text
from lib.takeaway.study_table import SUBJECTS

_IMPORTS = {
    "math": "import math",
    "Counter": "from collections import Counter",
    "pairwise": "from itertools import pairwise",
}
_TORCH_IMPORTS = {
    "torch": "import torch",
    "nn": "from torch import nn",
    "grad": "from torch.autograd import grad",
    "jacobian": "from torch.autograd.functional import jacobian",
    "jacfwd": "from torch.func import jacfwd",
    "jacrev": "from torch.func import jacrev",
}
"""By the name that needs it, in their order."""


def script(study: str, experiment: Experiment) -> str:
    """The script of a study, by its name, of the experiment: fewer than 60 lines.

    Figures that need the exact gradient are not among those it prints, since torch alone cannot compute it.
    """
    subject = SUBJECTS[study]
    code = _apart(subject.script(experiment))
    about = fill(f'"""{subject.summary(experiment)}"""'.replace("→", "-"), WIDTH - 10)
    return _apart([text(about), *(text(*_used(table, code)) for table in (_IMPORTS, _TORCH_IMPORTS)), code])


def _used(imports: dict[str, str], code: str) -> list[str]:
    return [line for name, line in imports.items() if re.search(rf"(?<![\w.]){name}\b[.(,]", code)]


def _apart(parts: list[str]) -> str:
    """The parts one after the other, with two empty lines around functions and one between others."""
    whole = ""
    for before, after in pairwise(["", *filter(None, parts)]):
        gap = "\n\n" if before.startswith("def ") or after.startswith("def ") else "\n"
        whole += (gap if before else "") + after
    return whole
