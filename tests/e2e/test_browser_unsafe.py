"""NaN, infinite and zero gradients in a real browser: a case is picked, is in the link, and fits a phone."""

from functools import cache

from playwright.sync_api import Page, expect

from lib.derivative.unsafe import Look, looks
from lib.derivative.unsafe_cases import CASES
from lib.derivative.unsafe_tables import given
from tests.e2e.looking import link, wait_until_still
from tests.e2e.test_axe import DESK

TAB = "Is my derivative right?"
SECTION = "NaN, infinite and zero gradients, and how to write it safely"


@cache
def expected() -> dict[str, tuple[Look, ...]]:
    return looks("float32", "cpu")


def assert_shows(page: Page, key: str) -> None:
    case, (first, *_) = CASES[key], expected()[key]
    panel = page.get_by_role("tabpanel", name=TAB)
    expect(panel).to_contain_text(f"of {case.unsafe.__name__} comes out as {given(first.unsafe, 'float32')}")
    expect(panel).to_contain_text(f"def {case.safe.__name__}(")
    expect(page.get_by_role("radio", name=key, exact=True)).to_be_checked()


def test_a_case_is_picked_by_mouse_and_keyboard_and_is_in_the_link(visit):
    page = visit(link(TAB, "samples=60"), viewport=DESK)
    wait_until_still(page)
    page.get_by_text(SECTION).click()
    assert_shows(page, "where")
    page.get_by_role("radio", name="acos", exact=True).click()
    assert_shows(page, "acos")
    page.wait_for_function("location.search.includes('unsafe=true') && location.search.includes('case=acos')")
    page.get_by_role("radio", name="hessian", exact=True).focus()
    page.keyboard.press("Space")
    assert_shows(page, "hessian")
    page.wait_for_function("location.search.includes('case=hessian')")
    page.reload()
    assert_shows(page, "hessian")
    page.go_back()
    assert_shows(page, "acos")
