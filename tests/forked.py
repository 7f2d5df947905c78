"""Python processes for which PyTorch is loaded already: forked from one that has, and as new ones in all else.

`python()` stands in the place of `sys.executable` in a command. What the command starts takes milliseconds: it hands on
its arguments, folder, environment and streams, passes on its signals, and ends as the forked process does; if it is
killed, so is the other. The processes that are forked have loaded nothing of the project. Where the system is not
Linux, each command starts Python itself.
"""

import atexit
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache
from select import select
from types import ModuleType

_MODULES = "flint", "pandas", "pyarrow.csv", "torch.fx.experimental.symbolic_shapes", "torch.distributed", "tqdm"
_MOST = 2**17  # bytes of a request; what asks for more starts Python itself


@cache
def python() -> list[str]:
    """The beginning of a command, up to `-m`, `-c` or the path of a script."""
    if sys.platform != "linux":
        return [sys.executable]
    name = f"last-bit-{os.getpid()}"
    command = [sys.executable, "-I", __file__, "fork", name]
    parent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)
    assert parent.stdout.readline() == b"ready\n"
    atexit.register(parent.communicate)  # its input is closed, and it ends
    return [sys.executable, "-I", "-S", __file__, "ask", name]


def _ask(name: str, *arguments: str) -> None:
    """Has a process forked, and ends as it does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as parent:
        parent.connect(f"\0{name}")
        request = json.dumps([arguments, os.getcwd(), dict(os.environ)]).encode()
        if len(request) > _MOST:
            os.execv(sys.executable, [sys.executable, *arguments])
        socket.send_fds(parent, [request], [0, 1, 2])
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, frame: parent.send(str(number).encode()))
        code = int(parent.recv(_MOST))
    if code < 0:
        with suppress(OSError):  # SIGKILL has no other
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _fork(name: str) -> None:
    """Forks a process for each that asks, until the input is closed."""
    for module in _MODULES:
        __import__(module)
    gc.freeze()
    door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    door.bind(f"\0{name}")
    door.listen()
    print("ready", flush=True)
    ends: dict[int, tuple[int, socket.socket]] = {}  # by what is ready when a process has ended
    asking: dict[socket.socket, int] = {}
    while 0 not in (ready := select([0, door, *ends, *asking], [], [])[0]):
        if door in ready:
            one, _ = door.accept()
            request, streams, *_ = socket.recv_fds(one, _MOST, 3)
            if not (process := os.fork()):
                for number, stream in enumerate(streams):
                    os.dup2(stream, number)
                for still_open in (one, door, *asking):
                    still_open.close()
                for number in (*streams, *ends):
                    os.close(number)
                return _become(*json.loads(request))
            for stream in streams:
                os.close(stream)
            asking[one] = process
            ends[os.pidfd_open(process)] = process, one
        for one in asking.keys() & {*ready}:
            number = one.recv(_MOST)
            os.kill(asking[one], int(number) if number else signal.SIGKILL)
            if not number:  # nobody waits for it any more
                del asking[one]
        for end in ends.keys() & {*ready}:
            process, one = ends.pop(end)
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            with suppress(OSError):
                one.send(str(code).encode())
            asking.pop(one, None)
            one.close()
            os.close(end)


def _become(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """Runs what the arguments of a command name, in this process."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    kind, *rest = arguments
    if kind == "-m":
        sys.path.insert(0, folder)
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.path.insert(0, "")
        sys.argv = ["-c", *rest[1:]]
        sys.modules["__main__"] = ModuleType("__main__")
        exec(compile(rest[0], "<string>", "exec"), vars(sys.modules["__main__"]))
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(kind)))
        sys.argv = arguments
        runpy.run_path(kind, run_name="__main__")


def _end(code: int) -> None:
    """As Python ends, save that it does not take apart all modules, which takes longer than most that is run here."""
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    code: object = None
    try:
        {"ask": _ask, "fork": _fork}[sys.argv[1]](*sys.argv[2:])
    except SystemExit as end:
        code = end.code
    if code is None or isinstance(code, int):
        _end(code or 0)
    sys.exit(code)
