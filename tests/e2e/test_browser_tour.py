"""The tour, followed in a browser: each step opens its tab, sets the controls and says what to look at."""

import re
from urllib.parse import parse_qsl

from playwright.sync_api import expect

from lib.page.tour import TOUR


def test_the_tour_leads_to_every_step(visit):
    page = visit()
    page.get_by_text("New here? A tour in seven steps").click()
    for number, (name, step) in enumerate(TOUR.items()):
        if number:  # at the first step the page is from the beginning
            page.get_by_role("radio", name=name).or_(page.get_by_role("button", name=name)).click()
        link = page.get_by_role("link", name="A link to this step")
        expect(link).to_have_attribute("href", re.compile(re.escape(step.link) + "$"))
        expect(page.get_by_role("tab", name=step.view["tab"])).to_have_attribute("aria-selected", "true")
        (anchor,) = re.findall(r"#([a-z-]+)", step.sentence)
        expect(page.locator(f"#{anchor}")).to_be_visible()
        query = dict(parse_qsl(page.url.partition("?")[2]))
        assert step.experiment.pairs() == {key: query[key] for key in query if key not in ("tab", "tour", "remedies")}
