"""An experiment as a Python script that needs only torch and prints the figures of the page.

On the same machine its figures are the same bit for bit, per sample and batched, since its blocks have the same size.
A script holds only what its experiment needs: for example, it computes the seeds of many blocks or rounds to a 16-bit
dtype only if there are many blocks or such a dtype. It is assembled as text, and never run here.
"""

import re
from itertools import pairwise
from textwrap import fill

from lib.experiment.query import Experiment
from lib.takeaway.script_blocks import WIDTH, text
from lib.takeaway.study_table import SUBJECTS, subject_of

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
"""Import lines by the name that needs each, in the order of the script."""


def script(study: str, experiment: Experiment) -> str:
    """Return the script of the named study for the experiment: at most 64 lines of at most 100 characters.

    The script prints no figures that need the exact gradient, since torch alone cannot compute it.
    """
    subject = SUBJECTS[study]
    code = _apart(subject.script(experiment))
    about = fill(f'"""{subject_of(study, experiment)}"""', WIDTH - 10)
    return _apart([text(about), *(text(*_used(table, code)) for table in (_IMPORTS, _TORCH_IMPORTS)), code])


def _used(imports: dict[str, str], code: str) -> list[str]:
    return [line for name, line in imports.items() if re.search(rf"(?<![\w.]){name}\b[.(,]", code)]


def _apart(parts: list[str]) -> str:
    """Join the parts, with two empty lines around functions and one between other parts."""
    whole = ""
    for before, after in pairwise(["", *filter(None, parts)]):
        gap = "\n\n" if before.startswith("def ") or after.startswith("def ") else "\n"
        whole += (gap if before else "") + after
    return whole
