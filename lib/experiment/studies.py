"""The table of studies, without torch: what an experiment can measure. `takeaway.study_table` completes each row.

On the command line, a study of its own is a value of `--study`, and any other study is an option of one of these.
"""

from dataclasses import dataclass

from lib.experiment.rows import Choice


@dataclass(frozen=True)
class Study(Choice):
    """A study: `label` is the question that it answers, and `about` says what it compares, in Markdown.

    `option_of` names the study that it is an option of. A study without one stands on its own: it has a tab on the
    page, a script and a report.
    """

    option_of: str | None = None


STUDIES = {
    "discrepancy": Study("Why do they differ?", "`backward()` against the Jacobian"),
    "pitfall": Study("Why are all rows the same?", "one call of `grad` for all rows against one call per row"),
    "derivative": Study("Is my derivative right?", "autograd against derivatives by hand"),
    "ladder": Study("How does it depend on the dtype?", "the discrepancy in every dtype", "discrepancy"),
    "methods": Study("Which methods agree?", "which methods agree with which", "discrepancy"),
    "lean": Study(
        "Who is closer?", "who is closer, by number of outputs, in every dtype, and why", option_of="discrepancy"
    ),
}

SUBJECTS = {name: study for name, study in STUDIES.items() if study.option_of is None}
"""The studies of their own."""

OPTIONS = {name: study for name, study in STUDIES.items() if study.option_of is not None}
"""The studies that are options of another one."""
