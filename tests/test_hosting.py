"""What a host reads: Streamlit's configuration, the Containerfile, the requirements of hosts."""

import json
import shlex
import sys
import tomllib
from pathlib import Path

import streamlit as st
from streamlit.config import _config_options_template as KNOWN
from streamlit.testing.v1 import AppTest

from tests.anew import lib_anew
from tests.server import ROOT, python

CONTAINERFILE = (ROOT / "Containerfile").read_text()
INSTRUCTIONS = [
    tuple(line.split(maxsplit=1))
    for line in CONTAINERFILE.replace("\\\n", " ").splitlines()
    if line and not line.startswith("#")
]

WANTED = {
    "client.showErrorDetails": "none",
    "client.toolbarMode": "minimal",
    "browser.gatherUsageStats": False,
    "server.enableCORS": True,
    "server.corsAllowedOrigins": [],
    "server.enableXsrfProtection": True,
    "server.enableStaticServing": True,
    "server.enableAgentApi": False,
    "server.scriptHealthCheckEnabled": False,
    "server.maxUploadSize": 0,
    "server.maxMessageSize": 5,
    "server.maxWidgetStateSize": 2,
    "server.disconnectedSessionTTL": 60,
    "server.sslKeyFile": None,
}
"""What a public page relies on, set by us or Streamlit's default."""


def arguments(instruction):
    """What follows each such instruction of the Containerfile."""
    return [text for name, text in INSTRUCTIONS if name == instruction]


def command(text):
    """The words of a command that is written as a JSON array."""
    return json.loads(text[text.index("[") :])


def test_the_server_has_what_pages_rely_on():
    """As a process of its own reads it, flags and environment and home aside. Streamlit only warns
    of an option that it does not know or that is deprecated, and then goes by its default."""
    lines = f"""
import json, streamlit.config
print(json.dumps({{name: streamlit.config.get_option(name) for name in {list(WANTED)}}}))
"""
    done = python("-c", lines)
    assert done.stderr == ""
    assert json.loads(done.stdout) == WANTED


def test_the_containers_user_owns_nothing():
    """Its health is asked for at the port that the page listens to."""
    (user,), (port,), (image,) = map(arguments, ("USER", "EXPOSE", "FROM"))
    last = {name: number for number, (name, _) in enumerate(INSTRUCTIONS)}
    assert int(user) > 0 and max(last["RUN"], last["COPY"]) < last["USER"] < last["CMD"]
    program, *words = command(*arguments("CMD"))
    options = dict(word.removeprefix("--").split("=") for word in words if word.startswith("--"))
    assert [program, *words[:2]] == ["streamlit", "run", "streamlit_app.py"]
    assert options.keys() <= KNOWN.keys()
    listening = {"server.address": "0.0.0.0", "server.port": port, "server.headless": "true"}
    assert listening.items() <= options.items()
    assert f":{port}/_stcore/health" in command(*arguments("HEALTHCHECK"))[-1]
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert needed == f">={image.removeprefix('python:').removesuffix('-slim')}"


def test_a_host_gets_the_torch_of_the_container():
    """PyTorch's list of CPU builds, whose versions end in +cpu and are higher than PyPI's."""
    (argument,) = arguments("ARG")
    lines = (ROOT / "host/requirements.txt").read_text().splitlines()
    place, rest = (line for line in lines if not line.startswith("#"))
    assert place == shlex.split(argument.partition("=")[2])[0]
    assert rest == "-r ../requirements.txt"


def test_the_main_file_of_a_host_is_the_page(monkeypatch):
    """Python finds the project by this file alone, for the second visitor too."""
    elsewhere = [path for path in sys.path if Path(path).resolve() != ROOT]
    monkeypatch.setattr(sys, "path", elsewhere)
    st.cache_resource.clear()
    with lib_anew():
        for _ in range(2):
            page = AppTest.from_file(ROOT / "host/streamlit_app.py", default_timeout=60)
            page.run().run()
            assert not page.exception and "components" in page.header[0].value
