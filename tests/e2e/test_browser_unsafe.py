"""NaN, infinite and zero gradients in a real browser: a case is picked, is in the link, and fits a phone."""

from functools import cache

from playwright.sync_api import Page, expect

from lib.derivative.unsafe import Look, looks
from lib.derivative.unsafe_cases import CASES
from lib.derivative.unsafe_tables import given
from tests.e2e.looking import link, wait_until_still, widths
from tests.e2e.test_axe import DESK, findings_in_every_look

TAB = "Is my derivative right?"
SECTION = "NaN, infinite and zero gradients, and how to write it safely"


@cache
def expected() -> dict[str, tuple[Look, ...]]:
    return looks("float32", "cpu")


def visit_case(visit, key: str = "") -> Page:
    page = visit(link(TAB, f"samples=60&unsafe=true{f'&case={key}' if key else ''}"))
    wait_until_still(page)
    return page


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


TOO_WIDE = """() => [...document.querySelectorAll('html, [data-testid=stMain], details[open] :is(table, pre)')]
  .filter(part => part.scrollWidth > part.clientWidth + 1).map(part => part.className)"""


def test_no_case_is_wider_than_the_page(visit):
    page = visit_case(visit)
    for key in CASES:
        page.get_by_role("radio", name=key, exact=True).click()
        assert_shows(page, key)
        assert [page.evaluate(TOO_WIDE) for _ in widths(page)] == [[], []]


def test_axe_finds_nothing_in_the_section(visit):
    page = visit_case(visit, "hessian")
    assert_shows(page, "hessian")
    assert findings_in_every_look(page) == []


def test_a_link_to_no_case_shows_the_first(visit):
    assert_shows(visit_case(visit, "%3Cscript%3E"), "where")
