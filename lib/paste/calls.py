"""What was printed, where the code that printed it stands above: `print((a - b).abs().max(), a.abs().max())`.

The code is parsed, and never run.
"""

import ast
from collections.abc import Iterator, Sequence

from lib.paste.patterns import CODE
from lib.paste.printed import Value

_LONGEST = 300


def named_by_print(values: Sequence[Value], text: str) -> list[Value]:
    """Name values by the expressions that were printed, if there is one for each."""
    lines = text.split("\n")
    calls = [(at, list(_arguments(line))) for at, line in enumerate(lines) if "print(" in line[:8]]
    last = max((at for at, arguments in calls if arguments), default=len(lines))
    outputs = [value for value in values if value.line > last]
    names = [name for _, arguments in calls for name in arguments if not CODE["numberless"].search(name)]
    if not names or len(names) > len(outputs):
        return list(values)
    return [value for value in values if value.line <= last] + [*map(_named, outputs, names), *outputs[len(names) :]]


def _named(value: Value, name: str) -> Value:
    """Name a value by what it measures; what measures nothing is no difference, such as 1 - y."""
    measures = CODE["measures"].search(name)
    return value if value.is_side and not measures else value._replace(label=name if measures else "")


def _arguments(line: str) -> Iterator[str]:
    """Yield the expressions that a line prints."""
    try:
        tree = ast.parse(line[:_LONGEST].strip(">. \t\r"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield from (ast.unparse(one) for one in node.args if not isinstance(one, ast.Constant | ast.JoinedStr))
