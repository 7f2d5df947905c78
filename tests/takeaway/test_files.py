"""The files of a page: those of the first samples, bounded, made in slices."""

import io

import pyarrow.parquet as pq
import pytest

from lib import __main__ as command
from lib.experiment.query import Experiment
from lib.run.store import Runs
from lib.run.stream import Stream
from lib.takeaway.files import MOST_COMPONENTS, Files, FilesTally, first


def test_the_files_are_those_of_the_command_line_however_they_are_sliced(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    experiment = Experiment(samples=30, networks="each-block", seed=4)
    stream = Stream(Files(experiment))
    while not stream.complete:
        assert stream.tally == FilesTally(stream.samples)
        stream.advance(0.0)
    paths = tmp_path / "components.csv", tmp_path / "components.parquet"
    assert command.main([experiment.query, "--csv", str(paths[0]), "--parquet", str(paths[1])]) == 0
    assert stream.tally == FilesTally(30, *(path.read_bytes() for path in paths))
    assert stream.tally.nbytes == sum(path.stat().st_size for path in paths)


@pytest.mark.parametrize("query", ["samples=1000000000&evaluation=batched", "inputs=64&samples=1000&seed=2"])
def test_the_files_of_a_page_are_bounded_and_hold_the_first_samples(query):
    experiment = Experiment.parse(query)
    few = first(experiment)
    assert few.samples * few.inputs <= MOST_COMPONENTS < (few.samples + 1) * few.inputs
    assert first(few) == few


def test_a_whole_file_takes_the_memory_that_it_says():
    experiment = first(Experiment(evaluation="batched", samples=10**6))
    runs = Runs()
    run = runs.get(Files, experiment)
    while not run.finished:
        run.request(0.05)
        run.wait(1.0)
    assert run.error is None and pq.read_metadata(io.BytesIO(run.tally.parquet)).num_rows == MOST_COMPONENTS
    assert run.nbytes == run.tally.nbytes < 9e6
