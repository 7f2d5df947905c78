"""Why does the batch change it? The page shows what the library gives, of the batch size and the component picked."""

import json
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from lib.batch.example import Place, example
from lib.batch.find_example import another, first_example
from lib.batch.opening import opening
from lib.batch.sentences import BUG, EXAMPLE, HEADLINE, REASON, REMEDY, RIGHT, Facts
from lib.batch.study import Batch, BatchTally
from lib.display.sentences import said
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.page.visiting import chosen, claim, picture, progress, tick, visit, watch

TAB = "Why does the batch change it?"


def visit_batch(query: str) -> AppTest:
    """The tab of the batches, when its run is finished and its example is there."""
    at = watch(visit(f"{query}&{urlencode({'tab': TAB})}"), "Batch")
    for _ in range(100):
        if picture(at, "batch")["example"]:
            return at
        tick(at)
    return pytest.fail("no example")


def finished(experiment: Experiment) -> BatchTally:
    return Stream(Batch(experiment)).finish()


def as_sent(data: object) -> object:
    return json.loads(json.dumps(data))


def markdown(at: AppTest) -> set[str]:
    return {text.value for text in at.markdown}


def assert_shows(at: AppTest, experiment: Experiment, place: Place, tally: BatchTally | None = None) -> None:
    """The picture, and the line below it, are those of a component."""
    one = example(experiment, place)
    assert picture(at, "batch")["example"] == as_sent(opening(tally or EMPTY, place.size, one)["example"])
    assert said(EXAMPLE, one) in markdown(at)


EMPTY = BatchTally()


@pytest.mark.parametrize("query", ["samples=64", "samples=64&dtype=bfloat16", "samples=70&activation=tanh&batch=16"])
def test_the_figures_are_those_of_the_study(query):
    experiment = Experiment.parse(query)
    at = visit_batch(query)
    tally, size = finished(experiment), 16 if "batch=16" in query else 4
    assert not at.error and progress(at) == (experiment.samples, experiment.samples)
    facts = Facts.of(tally, experiment, size)
    assert claim(at) == said(HEADLINE, facts)
    assert said(REASON, facts) in markdown(at)
    data = picture(at, "batch")
    assert data == as_sent(opening(tally, size, example(experiment, first_example(experiment, size))))
    assert data["stairs"]["picked"] == size
    assert_shows(at, experiment, first_example(experiment, size))
    for card in BUG, RIGHT, REMEDY:
        assert any(text.endswith(f"?** {said(card, facts)}") for text in markdown(at)), said(card, facts)


def test_the_sections_open_and_closed_ones_draw_nothing():
    closed = visit_batch("samples=64")
    assert not closed.table and not closed.dataframe
    at = visit_batch("samples=64&batch_closer=true&batch_conditions=true&batch_orders=true&batch_why=true")
    for _ in range(100):
        if at.dataframe:
            break
        tick(at)
    assert len(at.dataframe) == 1 and len(at.table) >= 2


def test_a_link_shows_its_batch_size_and_its_component():
    at = visit_batch("samples=64&batch=8&batch_sample=11&batch_component=gradient-3")
    assert_shows(at, Experiment(samples=64), Place(8, 11, "gradient", 3))
    assert at.query_params["batch_sample"] == "11" and at.query_params["batch_component"] == "gradient-3"


@pytest.mark.parametrize(
    "pick",
    [
        "batch_sample=64&batch_component=output-1",
        "batch_sample=3&batch_component=output-2",
        "batch_sample=3&batch_component=gradient-5",
        "batch_sample=3&batch_component=output-999999999999",
        "batch_sample=99999999999999999999999&batch_component=output-1",
        "batch_sample=3&batch_component=loss-1",
        "batch_sample=3&batch_component=output-1%0A",
        "batch_sample=3",
        "batch_sample=x&batch_component=%3Cb%3E",
    ],
)
def test_a_pick_of_nothing_shows_the_example(pick):
    at = visit_batch(f"samples=64&{pick}")
    assert not at.error
    assert_shows(at, Experiment(samples=64), first_example(Experiment(samples=64), 4))
    assert not {"batch_sample", "batch_component"} & set(at.query_params)


@pytest.mark.parametrize("size", ["5", "99999999999999999999", "four"])
def test_a_batch_size_that_is_none_is_the_default(size):
    at = visit_batch(f"samples=64&batch={size}")
    assert not at.exception
    assert_shows(at, Experiment(samples=64), first_example(Experiment(samples=64), 4))


def test_the_control_of_the_gradient_brings_that_of_the_method_whose_steps_are_not_followed():
    at = visit_batch("samples=64&batch_sample=1&batch_component=gradient-2")
    assert not [control for control in at.selectbox if control.key == "method"]
    at.selectbox(key="gradient").set_value("method")
    at = watch(tick(at), "Batch")
    assert at.selectbox(key="method").value == "functional"
    assert chosen(at) == Experiment(samples=64, gradient="method")
    at = visit_batch("samples=64&gradient=method&method=jacrev&batch_sample=1&batch_component=gradient-2")
    data = picture(at, "batch")["example"]
    assert "jacrev" in data["reason"] and "are not followed here" in data["reason"]
    assert [side["tree"] for side in data["sides"]] == [None, None]


def test_another_component_is_the_next_that_changes_and_a_new_experiment_drops_it():
    experiment = Experiment(samples=64, hidden=(40,))
    at = visit_batch(experiment.query)
    first = first_example(experiment, 4)
    second = another(experiment, first)
    at.button(key="another in a batch").click()
    for _ in range(100):
        tick(at)
        if "batch_sample" in at.query_params or second == first:
            break
    assert_shows(at, experiment, second)
    at.selectbox(key="activation").set_value("tanh")
    at = tick(watch(tick(at), "Batch"))
    assert "batch_sample" not in at.query_params
