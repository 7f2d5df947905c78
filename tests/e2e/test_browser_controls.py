"""The address is a link to the figures, whatever the visitor has typed."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from lib.experiment.query import Experiment

NETWORK = "Network: inputs → hidden → outputs"


def linked(page: Page) -> Experiment:
    """The experiment of the address, or an error where it is a link to none."""
    return Experiment.from_pairs(parse_qsl(urlsplit(page.url).query, keep_blank_values=True))


def type_into(page: Page, label: str, text: str) -> None:
    box = page.get_by_label(label, exact=True)
    box.fill(text)
    box.press("Enter")


@pytest.mark.parametrize(("text", "field"), [("3 → 256 → 256 → 256 → 64", "inputs, hidden and outputs")])
def test_what_is_no_experiment_gives_one_sentence_and_leaves_the_link_as_it_was(visit, text, field):
    page = visit("samples=50&hidden=256,256&inputs=3")
    expect(page.get_by_test_id("stProgress").first).to_contain_text("50 of 50 samples")
    type_into(page, NETWORK, text)
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_have_count(1)
    expect(alert).to_contain_text(field)
    expect(page.get_by_label(NETWORK, exact=True)).to_have_value(text)
    assert linked(page) == Experiment(samples=50, hidden=(256, 256), inputs=3)


def test_what_is_typed_is_in_the_address_and_back_returns(visit):
    page = visit("samples=50")
    expect(page.get_by_test_id("stProgress").first).to_contain_text("50 of 50 samples")
    type_into(page, NETWORK, "5, 4, 3, 2")
    page.wait_for_function("location.search.includes('hidden=4')")
    assert linked(page) == Experiment(samples=50, hidden=(4, 3))
    type_into(page, NETWORK, "5 10 2")
    page.wait_for_function("!location.search.includes('hidden')")
    type_into(page, NETWORK, "5-2")
    page.wait_for_function("location.search.includes('hidden=')")
    assert linked(page) == Experiment(samples=50, hidden=())
    page.go_back()
    page.wait_for_function("!location.search.includes('hidden')")
    expect(page.get_by_label(NETWORK, exact=True)).to_have_value("5 → 10 → 2")
