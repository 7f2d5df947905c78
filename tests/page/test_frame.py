"""The frame: every tab has its place in view and the tour, whether it arrives in one run or in two."""

from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Node

from lib.page.tour import BATCHES
from tests.page.visiting import BY_HAND, GRADIENTS, OWN, PITFALL, arrive, tick


def components(at: AppTest) -> set[str]:
    return {part.proto.component_name for part in at.get("bidi_component")}


@pytest.mark.parametrize("tab", [GRADIENTS, PITFALL, BY_HAND, OWN])
def test_a_tab_is_whole_as_soon_as_no_more_is_to_come_and_has_one_main_heading(tab):
    at = arrive(f"samples=20&{urlencode({'tab': tab})}")
    if at.session_state["more_to_come"]:
        assert "last_bit_view" not in components(at)
        tick(at)
    assert "last_bit_view" in components(at)
    assert len(at.title) == 1
    assert any(name.startswith("last_bit_code_of_") for name in components(at))


def places(node: Node, name: str, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Where a component stands in the tree of the page, which decides whether a browser keeps it or makes it anew."""
    if isinstance(node, Block):
        return [place for i, child in node.children.items() for place in places(child, name, (*path, i))]
    return [path] if getattr(node.proto, "component_name", "") == name else []


@pytest.mark.parametrize(
    ("tab", "name"), {GRADIENTS: "opening", PITFALL: "pitfall", BATCHES: "batch", BY_HAND: "derivative"}.items()
)
def test_the_picture_that_arrives_first_stays_the_same_element(tab, name):
    at = arrive(f"samples=20&{urlencode({'tab': tab})}")
    assert at.session_state["more_to_come"]
    first = places(at.main, f"last_bit_{name}")
    assert len(first) == 1
    assert places(tick(at).main, f"last_bit_{name}") == first
