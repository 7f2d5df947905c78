"""The capabilities side by side, with real processes, and what becomes of processes that fail."""

import os
import subprocess
import sys

import pytest
import torch

from lib.batch import capabilities
from lib.batch.capabilities import CAPABILITIES, Made, SideBySide, side_by_side
from lib.batch.capability_tables import COLUMNS, table
from lib.batch.fingerprint import fingerprint, subject
from lib.batch.fingerprint_differences import Fingerprint
from lib.experiment.query import Experiment
from tests.known_orders import known

SMALL = Experiment(inputs=3, hidden=(), outputs=2)


@pytest.fixture
def childs_code(monkeypatch):
    """The processes run these lines of Python in place of the command."""
    side_by_side.cache_clear()
    real = subprocess.Popen

    def replace(lines: str) -> None:
        monkeypatch.setattr(subprocess, "Popen", lambda command, **rest: real([sys.executable, "-c", lines], **rest))

    yield replace
    side_by_side.cache_clear()


def test_each_capability_has_a_process_of_its_own_whose_kernels_are_compared_with_this_one():
    found = side_by_side(SMALL)
    assert [made.capability for made in found.made] == list(CAPABILITIES)
    assert found.own == torch.backends.cpu.get_cpu_capability()
    done = [made for made in found.made if made.fingerprint]
    known(found.own in {made.kernels for made in done}, f"No process has the kernels for {found.own}.")
    here = Fingerprint.of(fingerprint(SMALL))
    for made, differences in zip(found.made, found.differences, strict=True):
        if made.kernels == found.own:
            assert made.fingerprint.hash == here.hash and made.fingerprint.activations == here.activations
            assert differences.same is not False
        assert made.seconds > 0 and bool(made.fingerprint) != bool(made.reason)
    assert side_by_side(SMALL) is found
    assert list(table(found).columns) == list(COLUMNS)


@pytest.mark.parametrize(
    "lines, reason",
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGILL)", "this processor lacks its instructions"),
        ("import sys; print('x\\nNo memory.', file=sys.stderr); sys.exit(1)", "No memory."),
        ("raise SystemExit(3)", "its process ended with code 3"),
        ("print('{')", "what it printed is not JSON"),
    ],
)
def test_a_process_that_fails_is_a_reason(lines, reason, childs_code):
    childs_code(lines)
    found = side_by_side(SMALL)
    assert [made.reason for made in found.made] == 3 * [reason]
    assert not found.compared and set(table(found)["kernels for"]) == {reason}


def test_a_process_that_does_not_end_is_ended(childs_code, monkeypatch):
    monkeypatch.setattr(capabilities, "MOST_SECONDS", 0.3)
    childs_code("import time; time.sleep(600)")
    found = side_by_side(SMALL)
    assert {made.reason for made in found.made} == {"no answer within 0 seconds"}


def test_the_processes_give_way(childs_code):
    childs_code("import os, sys, time; time.sleep(1); sys.exit(str(os.getpriority(os.PRIO_PROCESS, 0)))")
    niceness = os.getpriority(os.PRIO_PROCESS, 0)
    assert {int(made.reason) for made in side_by_side(SMALL).made} == {max(niceness, 10)}


def test_the_table_names_what_differs():
    here = Fingerprint.of(fingerprint(SMALL))
    known(here.hash, "No order is revealed.")
    other = Fingerprint(
        here.experiment,
        "00000000",
        {place: tuple(group._replace(hash="00000000") for group in groups) for place, groups in here.groups.items()},
        here.reasons,
        {"sigmoid": ("00000000", "00000000")},
        here.machine | {"cpu_capability": "OTHER"},
    )
    made = (Made("default", 1.0, other), Made("avx2", 2.0, here))
    own = str(here.machine["cpu_capability"])
    first, second = table(SideBySide(own, made, capabilities._differences(own, made))).to_dict("records")
    assert first["orders unlike this page's"] == "Layer 1, forward, alone; Layer 1, backward, alone; 20 more"
    assert first["activations unlike this page's"] == "sigmoid" and first["kernels for"] == "OTHER"
    assert second["orders unlike this page's"] == second["activations unlike this page's"] == "none"
    assert second["kernels for"] == f"{own} (this page)"


def test_equal_subjects_share_an_answer():
    assert subject(Experiment(seed=4)) == subject(Experiment(samples=9)) != subject(Experiment(dtype="float64"))
