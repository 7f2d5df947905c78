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
from lib.takeaway import questions, script_parts


@dataclass(frozen=True)
class Subject(Named):
    """A study that is not an option of another one.

    `script` returns the parts of its script, and `question` what it asks of an experiment, as one sentence of plain
    text.
    """

    study: type[Study]
    script: Callable[[Experiment], list[str]]
    question: Callable[[Experiment], str]


SUBJECTS = complete(
    "study",
    studies.SUBJECTS,
    {
        "discrepancy": Subject(Discrepancy, script_parts.discrepancy, questions.discrepancy),
        "pitfall": Subject(Pitfall, script_parts.pitfall, questions.pitfall),
        "batch": Subject(Batch, script_parts.batch, questions.batch),
        "derivative": Subject(Derivative, script_parts.derivative, questions.derivative),
    },
)
"""The studies that are not options of another one."""

OPTIONS = complete("study", studies.OPTIONS, {"ladder": Ladder, "methods": Agreement})
"""The studies that are options of another one."""


def study_of(name: str) -> type[Any]:
    """Return the class of a study in either table."""
    return SUBJECTS[name].study if name in SUBJECTS else OPTIONS[name]
