"""A forked process is as good as a new one: its streams, folder, environment and signals are those of the command."""

import signal
import subprocess
import sys
from select import select

import pytest

from tests import forked

PATIENCE = 60  # seconds


def runs(code: str, **options: object) -> list[tuple[int, str]]:
    """How it ends and what it prints: forked, and by Python itself."""
    commands = (forked.python(), [sys.executable])
    done = [
        subprocess.run([*command, "-c", code], capture_output=True, text=True, timeout=PATIENCE, **options)
        for command in commands
    ]
    return [(one.returncode, one.stdout) for one in done]


@pytest.mark.parametrize("size", [1, 2**16])
def test_streams_folder_and_environment_are_those_of_the_command(size, tmp_path):
    code = "import os, sys; print(os.getcwd(), sorted(os.environ.items()), sys.argv, sys.path[0], sys.stdin.read())"
    told, expected = runs(code, input="typed", cwd=tmp_path, env={name: name * size for name in "ABC"})
    assert told == expected and str(tmp_path) in told[1] and "typed" in told[1]


@pytest.mark.parametrize(
    "code, end",
    [
        *(("raise SystemExit(3)", 3), ("raise SystemExit('why')", 1), ("1/0", 1)),
        *(("import os; os.kill(os.getpid(), 9)", -9), ("import os; os.kill(os.getpid(), 11)", -11)),
    ],
)
def test_it_ends_as_the_process_does(code, end):
    assert runs(code) == [(end, "")] * 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_reaches_the_process(number):
    heeds = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # which a background job ignores
    command = [*forked.python(), "-c", f"{heeds}; import time; print('here', flush=True); time.sleep(600)"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as asking:
        try:
            assert asking.stdout.readline() == b"here\n"
            asking.send_signal(number)
            assert asking.wait(PATIENCE) == -number
            assert select([asking.stdout], [], [], PATIENCE)[0], "it holds the stream"
            assert not asking.stdout.read()
        finally:
            asking.kill()
