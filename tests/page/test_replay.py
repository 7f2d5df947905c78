"""The section *All operations*: the component of the picture, and any other that is named, operation by operation."""

from lib.discrepancy.examples import first_example
from lib.experiment.query import Experiment
from lib.replay.replay import replay
from lib.replay.sentences import first_divergence_claim
from lib.replay.tables import rows
from tests.known_orders import replayed
from tests.page.visiting import figures, tick, visit, watch

EXPERIMENT = Experiment(samples=60)


def assert_replays(at, sample: int, component: int) -> None:
    found = replayed(replay(EXPERIMENT, sample, component))
    assert any(text.value == f"**{first_divergence_claim(found)}**" for text in at.markdown)
    shown = [frame.value for frame in at.dataframe]
    assert all(any(table.equals(other) for other in shown) for table in rows(found).values())
    assert (at.number_input(key="sample shown").value, at.number_input(key="component shown").value) == (
        sample,
        component,
    )


def test_the_component_of_the_picture_is_replayed_and_so_is_one_that_is_named():
    at = watch(visit("samples=60&operations=true"))
    assert_replays(at, *first_example(EXPERIMENT))
    at.number_input(key="sample shown").set_value(3)
    at.number_input(key="component shown").set_value(1)
    assert_replays(tick(at), 3, 1)


def test_the_worst_by_a_measure_is_replayed():
    place = figures(EXPERIMENT).max_ulps.place
    assert_replays(watch(visit("samples=60&operations=true&worst_by=ulps")), place.index, place.component)
