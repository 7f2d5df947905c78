"""A link of an older version opens; what it asks for and is no longer there is told in one line."""

import pytest

from lib.experiment.query import FIELDS, Experiment
from lib.experiment.views import RETIRED, VIEW_KEYS, retired
from lib.takeaway import arguments


def test_the_keys_of_fields_of_views_and_of_older_links_are_different():
    assert not FIELDS.keys() & VIEW_KEYS and not RETIRED & (FIELDS.keys() | VIEW_KEYS)


@pytest.mark.parametrize("key", sorted(RETIRED))
def test_a_link_with_a_retired_key_opens_and_says_so(key):
    assert Experiment.parse(f"seed=3&{key}=true&tab=x") == Experiment(seed=3)
    assert retired(["seed", key]) == f"The link is of an older version; this one ignores {key}."


def test_nothing_is_said_of_a_link_of_today():
    assert retired([*FIELDS, *VIEW_KEYS, "utm_source"]) == ""


def test_the_command_line_says_it_on_stderr(capsys):
    assert arguments.parse(["g=exp(x)&seed=3"])[1] == Experiment(seed=3)
    assert capsys.readouterr() == ("", "The link is of an older version; this one ignores g.\n")
