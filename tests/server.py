"""A real server of the page in its own process on loopback, with its memory and processor time."""

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
OPTIONS = ["--server.headless=true", "--server.address=127.0.0.1", "--server.fileWatcherType=none"]
_PATIENCE = 60
"""Seconds until the server must answer."""

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def python(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess:
    """Run Python in a process of its own, by default in the folder of the project."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, **{"cwd": ROOT} | options, capture_output=True, text=True)


@dataclass(frozen=True)
class Server:
    process: subprocess.Popen
    port: int
    file: Path
    """What the server writes to its output and error streams."""

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return self.file.read_text(errors="replace")

    @property
    def resident(self) -> int:
        """Memory in use, in bytes."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * _PAGE

    @property
    def seconds(self) -> float:
        """Processor time since the start, of all threads together."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    @property
    def healthy(self) -> bool:
        """Whether the server answers; any other status than success is an OSError."""
        with suppress(OSError), urlopen(f"http://{self.address}/_stcore/health", timeout=5):
            return True
        return False


@contextmanager
def serve(script: Path | str = "streamlit_app.py") -> Iterator[Server]:
    """Run a server. It answers when the context begins, and stops when the context ends.

    Args:
        script: the main file of the page.

    Raises:
        RuntimeError: if the server does not start; with its log.
    """
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}"]
    command += OPTIONS
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "log"
        with file.open("w") as output:
            process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
        server = Server(process, port, file)
        try:
            for _ in range(_PATIENCE * 5):
                if server.healthy:
                    break
                with suppress(subprocess.TimeoutExpired):
                    raise RuntimeError(
                        f"The server ended with code {process.wait(0.2)}:\n{server.log}"
                    )
            else:
                raise RuntimeError(f"The server does not answer:\n{server.log}")
            yield server
        finally:
            process.terminate()
            process.wait()


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]
