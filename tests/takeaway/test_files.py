"""The file of a page: that of the first samples, bounded."""

import pytest

from lib import __main__ as command
from lib.experiment.query import Experiment
from lib.takeaway.files import MOST_COMPONENTS, csv, first


def test_the_file_is_that_of_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    experiment, path = Experiment(samples=30, networks="each-block", seed=4), tmp_path / "components.csv"
    assert command.main([experiment.query, "--csv", str(path)]) == 0
    assert csv(experiment) == path.read_bytes()


@pytest.mark.parametrize("query", ["samples=1000000000&evaluation=batched", "inputs=64&samples=1000&seed=2"])
def test_the_file_of_a_page_is_bounded_and_holds_the_first_samples(query):
    experiment = Experiment.parse(query)
    few = first(experiment)
    assert few.samples * few.inputs <= MOST_COMPONENTS < (few.samples + 1) * few.inputs
    assert first(few) == few
