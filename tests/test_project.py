"""The project as a whole: imports run one way, the code is formatted."""

import ast
import re
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
import torch

from lib.derivative.study import Derivative
from lib.experiment.query import Experiment
from tests.server import ROOT, python


def source(module):
    path = ROOT / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def imports(module):
    found = set()
    for node in ast.walk(ast.parse(source(module).read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def modules(package):
    """The modules of a package, its `__init__` too, by their full names."""
    files = [
        path.relative_to(ROOT).with_suffix("")
        for path in sorted((ROOT / "lib" / package).glob("*.py"))
    ]
    return [".".join(file.parts).removesuffix(".__init__") for file in files]


def described(package):
    """The names in the list of a package's docstring, in their order."""
    return re.findall(
        r"^ *(\w+)  +\S", ast.get_docstring(ast.parse(source(package).read_text())), re.MULTILINE
    )


# the last is __main__
PACKAGES = described("lib")[:-1]


def test_lib_names_its_packages():
    """And every module is in one."""
    assert described("lib") == [*PACKAGES, "__main__"]
    assert set(PACKAGES) == {
        path.name for path in (ROOT / "lib").iterdir() if any(path.glob("*.py"))
    }
    assert {path.name for path in (ROOT / "lib").glob("*.py")} == {"__init__.py", "__main__.py"}


def test_no_package_imports_a_later_one():
    """So there is no cycle of packages, and the list is an order in which to read them."""
    for place, package in enumerate(PACKAGES):
        used = {
            name.split(".")[1]
            for module in modules(package)
            for name in imports(module)
            if name.startswith("lib.")
        }
        assert used <= {*PACKAGES[: place + 1]}, package


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_are_named_in_the_order_of_imports(package):
    """None imports one that is named after it."""
    names = described(f"lib.{package}")
    root, *others = modules(package)
    assert sorted(f"{root}.{name}" for name in names) == others
    for place, name in enumerate(names):
        used = {module for module in imports(f"{root}.{name}") if module in others}
        assert used <= {f"{root}.{before}" for before in names[:place]}, name


def test_only_the_page_imports_streamlit():
    for package in {*PACKAGES} - {"page"}:
        for module in modules(package):
            assert "streamlit" not in {name.partition(".")[0] for name in imports(module)}, module


def test_every_requirement_is_pinned_exactly():
    for path in (ROOT / "requirements.txt", ROOT / "tests/requirements.txt"):
        lines = [
            line
            for line in path.read_text().splitlines()
            if not line.startswith(("#", "-r ", "--find-links "))
        ]
        assert all(re.fullmatch(r"[A-Za-z0-9-]+==[0-9.]+", line) for line in lines)


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_the_code_passes_ruff(command):
    done = python("-m", "ruff", *command, "--no-cache", ".")
    assert done.returncode == 0, done.stdout


def test_the_types_fit(pytestconfig):
    """What is known of PyTorch's own modules is kept in pytest's cache, for the next time."""
    known = pytestconfig.cache.mkdir("mypy")
    done = python("-m", "mypy", "--cache-dir", known)
    assert done.returncode == 0, done.stdout + done.stderr


def test_derivative_computes_on_one_thread():
    def started():
        torch.set_num_threads(2)
        Derivative(Experiment())
        return torch.get_num_threads()

    with ThreadPoolExecutor(1) as another:
        assert another.submit(started).result() == 1
