"""The size of the project: lines of code, modules, tests, and the seconds that the tests take.

Lines of code are counted without blank lines, comments and docstrings.
"""

import ast
import re
import subprocess
import sys
import tokenize
from pathlib import Path

from tests.server import ROOT

_NO_CODE = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)
_COMMENTS = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)


def python_lines(path: Path) -> int:
    """The lines of a module that hold code."""
    with tokenize.open(path) as source:
        tokens = [
            token
            for token in tokenize.generate_tokens(source.readline)
            if token.type not in _NO_CODE
        ]
    docstrings = {
        line
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    return len(
        {line for token in tokens for line in range(token.start[0], token.end[0] + 1)} - docstrings
    )


def browser_lines(path: Path) -> int:
    """The lines of JavaScript or CSS that hold code."""
    return sum(
        bool(line.strip()) for line in _COMMENTS.sub("", path.read_text("utf-8")).splitlines()
    )


def tested() -> tuple[int, float]:
    """Run all tests. Return how many there are, and the seconds that they took.

    Raises:
        RuntimeError: if a test fails.
    """
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q"], cwd=ROOT, capture_output=True, text=True
    )
    if run.returncode:
        raise RuntimeError(f"The tests fail: {run.stdout[-1000:]}")
    passed, seconds = re.findall(r"(\d+) passed.* in ([\d.]+)s", run.stdout)[-1]
    return int(passed), float(seconds)


def figures() -> dict[str, object]:
    def python(*folders: str) -> list[Path]:
        return [path for folder in folders for path in (ROOT / folder).rglob("*.py")]

    product, tests = [*python("lib"), ROOT / "streamlit_app.py"], python("tests")
    scripts = [path for kind in ("js", "css") for path in (ROOT / "lib").rglob(f"*.{kind}")]
    passed, seconds = tested()
    return {
        "lines": sum(map(python_lines, product)),
        "lines_of_javascript_and_css": sum(map(browser_lines, scripts)),
        "modules": len(product),
        "lines_of_tests": sum(map(python_lines, tests)),
        "tests": passed,
        "seconds_of_tests": seconds,
    }
