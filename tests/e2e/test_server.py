"""The server as a host meets it: its health, and who may open a session."""

import subprocess
import sys
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from tests.server import free_port
from tests.test_hosting import arguments, command


def ask_for_session(address: str, origin: str) -> int:
    """The HTTP status of a WebSocket handshake from a page of this origin; 101 opens a session."""
    with closing(HTTPConnection(urlsplit(address).netloc, timeout=10)) as connection:
        headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Origin": origin}
        headers |= {"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
        connection.request("GET", "/_stcore/stream", headers=headers)
        return connection.getresponse().status


@pytest.mark.parametrize("healthy", [True, False])
def test_the_health_check_asks_the_server(address, healthy):
    python, *words = command(*arguments("HEALTHCHECK"))
    port = urlsplit(address).port if healthy else free_port()
    words = [word.replace(":8501/", f":{port}/") for word in words]
    assert python == "python" and f":{port}/" in words[-1]
    done = subprocess.run([sys.executable, *words], capture_output=True, timeout=30)
    assert (done.returncode == 0) == healthy


def test_only_the_page_itself_may_open_a_session(address):
    assert ask_for_session(address, address) == 101
    assert ask_for_session(address, "https://elsewhere.example") == 403
