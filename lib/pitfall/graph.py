"""The autograd graphs of the pitfall and of its fix, as Mermaid diagrams.

The arrows run as gradients do, from the outputs back to the leaves, and downwards, so that a diagram fits a narrow
screen.
"""

_MOST_DRAWN = 3


def one_leaf(outputs: int) -> str:
    """The graph of the single call: all outputs flow back into one leaf, whose gradient is returned for every input."""
    rows = _drawn(outputs)
    total = " + ".join("…" if row is None else f"row {row}" for row in rows)
    lines = [f"{_output(row)} --> net([the network])" for row in rows]
    lines += [f'net --> x["the leaf x: {total}"]']
    lines += [f"x --> {_result(row, 'the sum')}" for row in rows]
    return _diagram(lines)


def one_leaf_each(outputs: int) -> str:
    """The graph of a call on independent copies: each output has its own path to its own leaf."""
    lines = []
    for place, row in enumerate(_drawn(outputs)):
        name = "…" if row is None else str(row)
        lines.append(f'{_output(row)} --> net{place}([the network]) --> x{place}["the leaf x {name}: row {name}"]')
        lines.append(f"x{place} --> {_result(row, f'row {name}')}")
    return _diagram(lines)


def _drawn(outputs: int) -> list[int | None]:
    """The rows that are drawn; a None stands for all rows left out in between."""
    if outputs <= _MOST_DRAWN:
        return list(range(outputs))
    return [*range(_MOST_DRAWN - 2), None, outputs - 1]


def _output(row: int | None) -> str:
    return 'between["…"]' if row is None else f'y{row}["output {row}"]'


def _result(row: int | None, gets: str) -> str:
    return 'others["…"]' if row is None else f'J{row}["J[{row}] = {gets}"]'


def _diagram(lines: list[str]) -> str:
    return "\n".join(["flowchart TB", *(f"  {line}" for line in lines)])
