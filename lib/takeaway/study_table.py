"""The table of studies with their classes. Importing it fails if one is missing, and the error names the study."""

from typing import Any

from lib.batch.study import Batch
from lib.derivative.study import Derivative
from lib.discrepancy.agreement import Agreement
from lib.discrepancy.ladder import Ladder
from lib.discrepancy.study import Discrepancy
from lib.experiment import studies
from lib.experiment.choices import complete
from lib.experiment.query import Experiment
from lib.pitfall.study import Pitfall

CLASSES: dict[str, type[Any]] = complete(
    "study",
    studies.STUDIES,
    {
        **{
            "discrepancy": Discrepancy,
            "pitfall": Pitfall,
            "batch": Batch,
            "derivative": Derivative,
        },
        **{"ladder": Ladder, "methods": Agreement},
    },
)
"""The class of each study."""


def subject_of(name: str, experiment: Experiment) -> str:
    """Say in plain text what a study compares, and of which experiment."""
    study, chosen = studies.SUBJECTS[name], experiment.query.replace("&", ", ")
    about = f"{study.label} {study.about[0].upper()}{study.about[1:]}".replace("`", "")
    return f"{about}, over {experiment.samples:,} samples in {experiment.dtype}; {chosen or 'all else by default'}."
