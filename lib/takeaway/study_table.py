"""The table of studies: one row per study, with everything that the page and the command line do with it.

Importing this module fails if the row of a study is missing or incomplete, and the error names the study.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lib.batch.study import Batch
from lib.derivative.study import Derivative
from lib.discrepancy.agreement import Agreement
from lib.discrepancy.ladder import Ladder
from lib.discrepancy.study import Discrepancy
from lib.experiment import studies
from lib.experiment.query import Experiment
from lib.experiment.rows import Named, complete
from lib.pitfall.study import Pitfall
from lib.run.stream import Study
from lib.takeaway import script_parts


@dataclass(frozen=True)
class Subject(Named):
    """A study that is not an option of another one.

    `script` returns the parts of its script.
    """

    study: type[Study]
    script: Callable[[Experiment], list[str]]


SUBJECTS = complete(
    "study",
    studies.SUBJECTS,
    {
        "discrepancy": Subject(Discrepancy, script_parts.discrepancy),
        "pitfall": Subject(Pitfall, script_parts.pitfall),
        "batch": Subject(Batch, script_parts.batch),
        "derivative": Subject(Derivative, script_parts.derivative),
    },
)
"""The studies that are not options of another one."""

OPTIONS = complete("study", studies.OPTIONS, {"ladder": Ladder, "methods": Agreement})
"""The studies that are options of another one."""


def subject_of(name: str, experiment: Experiment) -> str:
    """Say in plain text what a study compares, and of which experiment."""
    study, chosen = studies.SUBJECTS[name], experiment.query.replace("&", ", ")
    about = f"{study.label} {study.about[0].upper()}{study.about[1:]}".replace("`", "")
    return f"{about}, over {experiment.samples:,} samples in {experiment.dtype}; {chosen or 'all else by default'}."


def study_of(name: str) -> type[Any]:
    """Return the class of a study in either table."""
    return SUBJECTS[name].study if name in SUBJECTS else OPTIONS[name]
