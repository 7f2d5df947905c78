"""The table of studies, without torch: what an experiment can measure.

`takeaway.study_table` has the class of each.
"""

from dataclasses import dataclass

from lib.experiment.choices import Choice
from lib.experiment.query import FIELDS, Experiment


@dataclass(frozen=True)
class Study(Choice):
    """A study: `label` is the question that it answers, `about` says in Markdown what it compares.

    `fields` are the fields of an experiment that it depends on. `option_of` names the study whose
    question it answers in more detail. A study without one has a tab on the page and a script.
    """

    fields: frozenset[str]
    option_of: str | None = None

    def of(self, experiment: Experiment) -> Experiment:
        """Return the experiment with the fields that the study ignores at their defaults."""
        return Experiment(**{name: getattr(experiment, name) for name in self.fields})


_FUNCTION = frozenset({"function", "x_from", "f", "df"})
_NETWORK = frozenset(FIELDS) - _FUNCTION - {"gradient"}

STUDIES = {
    "discrepancy": Study("Why do they differ?", "`backward()` against the Jacobian", _NETWORK),
    "pitfall": Study(
        "Why are all rows the same?",
        "one call of `grad` for all rows against one call per row",
        _NETWORK - {"step"},
    ),
    "batch": Study(
        "Why does the batch change it?",
        "each sample alone against the same sample in a batch",
        _NETWORK - {"evaluation"} | {"gradient"},
    ),
    "derivative": Study(
        "Is my derivative right?",
        "autograd against derivatives by hand",
        _FUNCTION | {"dtype", "device", "samples", "seed"},
    ),
    "ladder": Study(
        "How does it depend on the dtype?",
        "the discrepancy in every dtype",
        _NETWORK,
        "discrepancy",
    ),
    "methods": Study(
        "Which methods agree?", "which methods agree with which", _NETWORK, "discrepancy"
    ),
}

SUBJECTS = {name: study for name, study in STUDIES.items() if study.option_of is None}
"""The studies that have a tab on the page and a script."""
