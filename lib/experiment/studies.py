"""The table of studies, without torch: what an experiment can measure.

`takeaway.study_table` has the class of each.
"""

from dataclasses import dataclass, replace

from lib.experiment.choices import Choice
from lib.experiment.methods import METHODS
from lib.experiment.query import FIELDS, Experiment


@dataclass(frozen=True)
class StudyRow(Choice):
    """A study: `label` is the question that it answers, `about` says in Markdown what it compares.

    `fields` are the fields of an experiment that it depends on. `option_of` names the study whose
    question it answers in more detail. A study without one has a tab on the page and a script.
    `needs` is what its method must give (`Method.gives`), or "" for any: `adapted` replaces a
    method that gives something else by the default one.
    """

    fields: frozenset[str]
    option_of: str | None = None
    needs: str = ""

    def of(self, experiment: Experiment) -> Experiment:
        """Return the experiment with the fields that the study ignores at their defaults."""
        adapted = self.adapted(experiment)
        return Experiment(**{name: getattr(adapted, name) for name in self.fields})

    def adapted(self, experiment: Experiment) -> Experiment:
        """Return the experiment with a method that the study can use."""
        if self.needs and METHODS[experiment.method].gives != self.needs:
            return replace(experiment, method=Experiment.method)
        return experiment


_FUNCTION = frozenset({"function", "x_from", "f", "df"})
_NETWORK = frozenset(FIELDS) - _FUNCTION - {"gradient"}

STUDIES = {
    "discrepancy": StudyRow("Why do they differ?", "`backward()` against the Jacobian", _NETWORK),
    "pitfall": StudyRow(
        "Why are all rows the same?",
        "one call of `grad` for all rows against one call per row",
        _NETWORK - {"step"},
        needs="rows",
    ),
    "batch": StudyRow(
        "Why does the batch change it?",
        "each sample alone against the same sample in a batch",
        _NETWORK - {"evaluation"} | {"gradient"},
    ),
    "derivative": StudyRow(
        "Is my derivative right?",
        "autograd against derivatives by hand",
        _FUNCTION | {"dtype", "device", "samples", "seed"},
    ),
    "ladder": StudyRow(
        "How does it depend on the dtype?",
        "the discrepancy in every dtype",
        _NETWORK,
        "discrepancy",
    ),
    "methods": StudyRow(
        "Which methods agree?", "which methods agree with which", _NETWORK, "discrepancy"
    ),
}

TAB_STUDIES = {name: study for name, study in STUDIES.items() if study.option_of is None}
"""The studies that have a tab on the page and a script."""
