"""The tab of the reader's own numbers, in a browser."""

from playwright.sync_api import expect

from tests.e2e.looking import link


def test_a_link_opens_an_example_and_pasted_numbers_take_its_place(visit):
    page = visit(link("Check your own", "numbers=two+floats"))
    panel = page.get_by_role("tabpanel", name="Check your own")
    expect(panel.get_by_role("heading", name="7.4506e-09 is 2^-27, exactly one ulp of 0.1")).to_be_visible()
    pasted = panel.get_by_role("textbox", name="Your numbers")
    pasted.fill("tensor([0.0514, 0.5000], device='cuda:0')\ntensor([0.0514, 0.5000])\n3.7253e-09 0.0000e+00")
    pasted.press("Control+Enter")
    expect(panel.get_by_role("heading", name="Of 2 components, 1 is the same float32")).to_be_visible()
    expect(panel.get_by_role("table")).to_contain_text("2^-28 = 3.7253e-09")
    assert "pasted" not in page.url
