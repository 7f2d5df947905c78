"""What a host reads: Streamlit's configuration, the Containerfile, and what the README says of both."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from streamlit.config import _config_options_template as KNOWN

from tests.server import ROOT

HOST_IT = (ROOT / "README.md").read_text().partition("\n## Host it\n")[2].partition("\n## ")[0]
CONTAINERFILE = (ROOT / "Containerfile").read_text()
INSTRUCTIONS = [
    tuple(line.split(maxsplit=1))
    for line in CONTAINERFILE.replace("\\\n", " ").splitlines()
    if line and not line.startswith("#")
]

PAGES = "https://download.pytorch.org/whl/cpu/torch/"
"""PyTorch's list of CPU builds, for whose place a folder stands in these tests."""

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


def flat(section: dict, prefix: str = "") -> Iterator[tuple[str, object]]:
    """The options of a TOML file by their dotted names."""
    for name, value in section.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def arguments(instruction: str) -> list[str]:
    """What follows each such instruction of the Containerfile."""
    return [text for name, text in INSTRUCTIONS if name == instruction]


def command(text: str) -> list[str]:
    """The words of a command that is written as a JSON array."""
    return json.loads(text[text.index("[") :])


def test_streamlit_knows_every_option_that_is_configured():
    """It only warns of one that it does not know, and then goes by its default."""
    options = dict(flat(tomllib.loads((ROOT / ".streamlit/config.toml").read_text())))
    assert options.keys() <= KNOWN.keys()
    assert all(KNOWN[name].deprecated is False for name in options)
    defaults = {name: KNOWN[name].default_val for name in options}
    assert all(
        defaults[name] is None or type(defaults[name]) is type(value)
        for name, value in options.items()
    )


def test_the_server_goes_by_what_a_public_page_relies_on():
    """As a process of its own reads it, flags and environment and home aside."""
    lines = f"import json, streamlit.config as c; print(json.dumps({{n: c.get_option(n) for n in {list(WANTED)}}}))"
    printed = subprocess.run(
        [sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert json.loads(printed) == WANTED


def test_the_container_holds_what_the_page_imports_and_nothing_else():
    copied = {text.split()[0] for text in arguments("COPY")}
    assert copied == {"requirements.txt", ".streamlit", "lib", "static", "streamlit_app.py"}
    assert all((ROOT / name).exists() for name in copied)


def test_the_container_starts_the_page_as_a_user_who_owns_none_of_it_where_its_health_is_asked_for():
    (user,), (port,), (image,) = map(arguments, ("USER", "EXPOSE", "FROM"))
    last = {name: number for number, (name, _) in enumerate(INSTRUCTIONS)}
    assert int(user) > 0 and max(last["RUN"], last["COPY"]) < last["USER"] < last["CMD"]
    program, *words = command(*arguments("CMD"))
    options = dict(word.removeprefix("--").split("=") for word in words if word.startswith("--"))
    assert [program, *words[:2]] == [
        "streamlit",
        "run",
        "streamlit_app.py",
    ] and options.keys() <= KNOWN.keys()
    assert options["server.address"] == "0.0.0.0" and options["server.headless"] == "true"
    assert (
        options["server.port"] == port
        and f":{port}/_stcore/health" in command(*arguments("HEALTHCHECK"))[-1]
    )
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert needed == f">={image.removeprefix('python:').removesuffix('-slim')}"


def test_a_host_gets_the_small_torch_from_where_the_container_does():
    (found,) = arguments("ARG")
    option, address = shlex.split(found.partition("=")[2])[0].split()
    assert (option, address) == ("--find-links", PAGES) and "-r host/requirements.txt`" in HOST_IT
    assert f"{option} {address}" in (ROOT / "host/requirements.txt").read_text().splitlines()


def stand_ins(folder: Path) -> tuple[Path, Path]:
    """An index with every package that is pinned, where torch needs CUDA, and a list with a CPU build of it."""
    index, builds = folder / "index", folder / "builds"
    pins = dict(
        re.findall(r"^([\w-]+)==(\S+)$", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    )
    for name, version in (pins | {"nvidia-cuda": "13"}).items():
        wheel(index / name, name, version, "nvidia-cuda" if name == "torch" else "")
    wheel(builds, "torch", f"{pins['torch']}+cpu")
    return index, builds


def wheel(folder: Path, name: str, version: str, needs: str = "") -> None:
    """An empty package, and the page of its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    about = f"{name.replace('-', '_')}-{version}"
    requires = f"Requires-Dist: {needs}\n" if needs else ""
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}"
    files = {
        "METADATA": metadata,
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any",
    }
    with ZipFile(folder / f"{about}-py3-none-any.whl", "w") as file:
        for part, text in files.items():
            file.writestr(f"{about}.dist-info/{part}", text)
        file.writestr(f"{about}.dist-info/RECORD", "")
    (folder / "index.html").write_text(
        "".join(f'<a href="{one.name}">{one.name}</a>' for one in folder.glob("*.whl"))
    )


@pytest.mark.parametrize(
    "file, cuda", [("host/requirements.txt", False), ("requirements.txt", True)]
)
def test_a_host_gets_the_small_torch_and_who_follows_the_readme_the_one_with_cuda(
    tmp_path, file, cuda
):
    index, builds = stand_ins(tmp_path)
    for name in ("requirements.txt", "host/requirements.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(
            (ROOT / name).read_text().replace(PAGES, f"{builds.as_uri()}/index.html")
        )
    options = [
        "--isolated",
        "--dry-run",
        "--ignore-installed",
        "--quiet",
        "--index-url",
        index.as_uri(),
    ]
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        *options,
        "--report",
        "-",
        "-r",
        str(tmp_path / file),
    ]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    taken = {one["metadata"]["name"]: one["metadata"]["version"] for one in report["install"]}
    assert taken["torch"].endswith("+cpu") != cuda and ("nvidia-cuda" in taken) == cuda
    assert len(taken) == len((ROOT / "requirements.txt").read_text().split()) + cuda


def test_the_main_file_of_a_host_is_the_page():
    """In a process of its own, which finds the project by this file alone."""
    lines = f"""
from streamlit.testing.v1 import AppTest

for visitor in range(2):
    page = AppTest.from_file({str(ROOT / "host/streamlit_app.py")!r}, default_timeout=60).run().run()
    print(len(page.exception), "components" in page.title[0].value)
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", lines], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert re.fullmatch(r"(0 True\n){2}", done.stdout), done.stdout
