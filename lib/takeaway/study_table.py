"""The table of studies with their classes.

Importing it fails if a study is missing; the error names the study.
"""

from typing import Any

from lib.batch.study import Batch
from lib.derivative.study import Derivative
from lib.discrepancy.agreement import Agreement
from lib.discrepancy.ladder import Ladder
from lib.discrepancy.study import Discrepancy
from lib.experiment import studies
from lib.experiment.choices import complete
from lib.pitfall.study import Pitfall

CLASSES: dict[str, type[Any]] = complete(
    "study",
    studies.STUDIES,
    {
        "discrepancy": Discrepancy,
        "pitfall": Pitfall,
        "batch": Batch,
        "derivative": Derivative,
        "ladder": Ladder,
        "methods": Agreement,
    },
)
"""The class of each study."""
