"""The studies: what can be measured of an experiment, without torch; `takeaway.study_table` completes each row.

On the command line the first ones are the values of `--study`, and the others are options of one of them.
"""

from dataclasses import dataclass

from lib.experiment.rows import Choice


@dataclass(frozen=True)
class Study(Choice):
    """`label` is the question that the study answers, and `about` what it compares, in Markdown.

    `option_of` is the study that it is an option of; a study by itself has a tab of the page, a script and a report.
    """

    option_of: str | None = None


STUDIES = {
    "discrepancy": Study("Why do they differ?", "`backward()` against the Jacobian"),
    "pitfall": Study("Why are all rows the same?", "one call of `grad` for all rows against the rows"),
    "derivative": Study("Is my derivative right?", "autograd against derivatives by hand"),
    "ladder": Study("How does it depend on the dtype?", "the discrepancy in every dtype", "discrepancy"),
    "methods": Study("Which methods agree?", "which methods agree with which", "discrepancy"),
    "lean": Study(
        "Who is closer?", "who is closer by number of outputs, in every dtype, and why", option_of="discrepancy"
    ),
}

SUBJECTS = {name: study for name, study in STUDIES.items() if study.option_of is None}
"""The studies by themselves."""

OPTIONS = {name: study for name, study in STUDIES.items() if study.option_of is not None}
"""The others."""
