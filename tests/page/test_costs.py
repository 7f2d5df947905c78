"""The costs are measured when they are opened, and can be stopped."""

from urllib.parse import urlencode

import pandas as pd

from lib.experiment.query import Experiment
from lib.pitfall import cost_tables
from lib.pitfall.cost_sentences import cost_claim
from lib.pitfall.costs import Costs, subject, summary
from tests.cases import EVERY_METHOD
from tests.page.visiting import PITFALL, drawn, tick, visit, visit_pitfall, watch


def test_the_costs_can_be_stopped_and_go_on(runs):
    at = visit(f"samples=10&costs=true&{urlencode({'tab': PITFALL})}")
    run = runs.get(Costs, subject(Experiment()))
    at.toggle(key="pause Costs").set_value(True)
    tick(at)
    while run.at_work:
        run.wait(60)
    turns = run.tally.turns
    assert at.get("progress")[-1].proto.text.endswith("turns · paused")
    tick(tick(at))
    assert not run.at_work and run.tally.turns == turns < Costs.total(subject(Experiment()))
    at.toggle(key="pause Costs").set_value(False)
    watch(tick(at), "Costs")
    assert run.tally.turns == Costs.total(subject(Experiment()))


def test_the_costs_are_measured_when_they_are_opened(monkeypatch, runs):
    monkeypatch.setattr("lib.pitfall.costs.ROUNDS", 2)
    monkeypatch.setattr("lib.pitfall.costs.sizes", lambda experiment: [1, 2])
    monkeypatch.setattr("lib.page.costs.sizes", lambda experiment: [1, 2])
    at = visit_pitfall("samples=10")
    assert "time" not in {text.value.split()[0] for text in at.caption} and "costs" not in drawn(at)
    at = watch(visit(f"samples=10&costs=true&{urlencode({'tab': PITFALL})}"), "Costs")
    run = runs.get(Costs, subject(Experiment()))
    costs = summary(run.tally)
    assert len(costs) == 2 * len(EVERY_METHOD)
    for name, table in cost_tables.tables(costs, [1, 2]).items():
        pd.testing.assert_frame_equal(drawn(at)[name], table, obj=name)
    assert cost_claim(costs, Experiment()) in {text.value for text in at.subheader}
    (again,) = (button for button in at.button if button.label == "Measure again")
    again.click()
    tick(at)
    assert runs.get(Costs, subject(Experiment())) is not run
