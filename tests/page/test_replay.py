"""Section 3: the component with the largest discrepancy, operation by operation."""

from lib.experiment.query import Experiment
from lib.replay.replay import replay
from lib.replay.sentences import first_divergence_claim
from lib.replay.tables import rows
from tests.known_orders import replayed
from tests.page.visiting import figures, tick, visit, watch


def test_the_largest_discrepancy_is_replayed():
    experiment = Experiment(samples=60)
    at = watch(visit("samples=60"))
    place = figures(experiment).max_abs.place
    found = replayed(replay(experiment, place.index, place.component))
    assert any(text.value == f"**{first_divergence_claim(found)}**" for text in at.markdown)
    shown = [frame.value for frame in at.dataframe]
    assert all(any(table.equals(other) for other in shown) for table in rows(found).values())
    at.number_input(key="trace_sample").set_value(3)
    at.number_input(key="trace_component").set_value(1)
    tick(at)
    assert any("omponent 1 of sample 3" in text.value for text in at.markdown)
