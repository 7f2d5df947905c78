"""The frame: every tab has its place in view and the tour, whether it arrives in one run or in two."""

from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

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
