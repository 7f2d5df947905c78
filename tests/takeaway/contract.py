"""The contract of what is said of the files."""

from lib.experiment.query import Experiment
from lib.takeaway.data_sentences import files_claim, files_limit
from lib.takeaway.files import FilesTally
from tests.contract import Row, Subject, each

FILES = [
    Row("{n} components of {k} samples are on their way.", lambda s: not s.f),
    Row(
        "{n} components of {k} samples: 1.0 MB of CSV, 1.0 MB of Parquet.",
        lambda s: bool(s.f) and s.number("n") == s.e.inputs * s.number("k"),
    ),
]

LIMIT = [
    Row("The command line writes the same files:", lambda s: s.e.samples == 10),
    Row(
        "The page holds the first {n} of the {k} samples, no more, since it has many visitors.",
        lambda s: s.number("n") == 10_000 < s.number("k") == s.e.samples,
    ),
    Row("The command line writes all of them:", lambda s: s.e.samples > 10_000),
]

CONTENTS = {"nothing yet": b"", "a million bytes": b"x" * 10**6}


def few_and_many() -> list[Experiment]:
    return [Experiment(samples=10), Experiment(samples=10**6)]


SUBJECTS = [
    Subject(files_claim, FILES, each(CONTENTS, lambda content: FilesTally(1, content, content), few_and_many)),
    Subject(files_limit, LIMIT, each(chosen=few_and_many)),
]
