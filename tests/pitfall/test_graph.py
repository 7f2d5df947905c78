"""The diagrams of the pitfall and of its fix have as many paths as there are outputs."""

import re

import pytest

from lib.pitfall.graph import one_leaf, one_leaf_each


def arrows(diagram: str) -> list[tuple[str, str]]:
    """The pairs (from, to) of node names."""
    first, *lines = diagram.splitlines()
    assert first == "flowchart TB"
    plain = [re.sub(r"\[.*?\](?=$| )|\(\[.*?\]\)", "", re.sub(r'"[^"]*"', "", line)) for line in lines]
    chains = [[node.strip(" []()") for node in line.split("-->")] for line in plain]
    return [pair for chain in chains for pair in zip(chain, chain[1:], strict=False)]


@pytest.mark.parametrize("outputs", [1, 2, 3])
def test_all_outputs_flow_back_into_one_leaf(outputs):
    found = arrows(one_leaf(outputs))
    assert found.count(("net", "x")) == 1
    assert sorted(end for start, end in found if start == "x") == [f"J{i}" for i in range(outputs)]
    assert sorted(start for start, end in found if end == "net") == [f"y{i}" for i in range(outputs)]
    assert " + ".join(f"row {i}" for i in range(outputs)) in one_leaf(outputs)


@pytest.mark.parametrize("outputs", [1, 2, 3])
def test_each_output_has_a_leaf_of_its_own(outputs):
    found = arrows(one_leaf_each(outputs))
    for i in range(outputs):
        assert {(f"y{i}", f"net{i}"), (f"net{i}", f"x{i}"), (f"x{i}", f"J{i}")} <= set(found)
    assert len(found) == 3 * outputs


@pytest.mark.parametrize("diagram", [one_leaf, one_leaf_each])
def test_many_outputs_are_drawn_as_the_first_and_the_last(diagram):
    drawn = diagram(64)
    assert 'y0["output 0"]' in drawn and 'y63["output 63"]' in drawn and "…" in drawn
    assert "output 1" not in drawn.replace("output 63", "")
