"""Every why says what to do, and links to PyTorch's documentation."""

import re

import pytest

from lib.derivative.sentences import why_by_hand
from lib.derivative.unsafe import looks
from lib.derivative.unsafe_cases import CASES
from lib.derivative.unsafe_sentences import unsafe_why
from lib.discrepancy.named_sentences import WHY_REMEDIES
from lib.discrepancy.sentences import WHY_NEITHER_IS_RIGHT
from lib.experiment.query import Experiment
from lib.paste.decode_sentences import why_print_more
from lib.pitfall.sentences import WHY as WHY_THE_SUM

POST = Experiment()


ALL = [
    WHY_NEITHER_IS_RIGHT,
    WHY_REMEDIES,
    WHY_THE_SUM,
    why_by_hand(POST),
    why_print_more(),
    *(unsafe_why(CASES[key], found) for key, found in looks("float32", "cpu").items()),
]


@pytest.mark.parametrize("why", ALL)
def test_every_why_says_what_to_do_and_links_to_the_documentation(why):
    links = re.findall(r"\]\((https://docs\.pytorch\.org/docs/stable/[\w./#]+\.html[\w.#-]*)\)", why.markdown)
    assert len(links) == len(why.api) >= 1
    assert "**What to do:**" in why.markdown
