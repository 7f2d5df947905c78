"""Every why says what to do, and links to PyTorch's documentation."""

import re

import pytest

from lib.derivative.sentences import WHY as WHY_BY_HAND
from lib.derivative.unsafe import UNSAFE
from lib.discrepancy.named_sentences import WHY_REMEDIES
from lib.discrepancy.sentences import WHY_NEITHER_IS_RIGHT
from lib.display.why import Why
from lib.paste.decode_sentences import why_print_more
from lib.pitfall.sentences import WHY as WHY_THE_SUM

ALL = [
    WHY_NEITHER_IS_RIGHT,
    WHY_REMEDIES,
    WHY_THE_SUM,
    WHY_BY_HAND,
    why_print_more(),
    *(Why(row.why, row.do, row.api) for row in UNSAFE.values()),
]


@pytest.mark.parametrize("why", ALL)
def test_every_why_says_what_to_do_and_links_to_the_documentation(why):
    links = re.findall(r"\]\((https://docs\.pytorch\.org/docs/stable/[\w./#]+\.html[\w.#-]*)\)", why.markdown)
    assert len(links) == len(why.api) >= 1
    assert "**What to do:**" in why.markdown
