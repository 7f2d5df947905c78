"""The controls and the link: the address has the choices, and one sentence says what is wrong."""

import re

import pytest

from lib.discrepancy.picks import first_component, sample_and_component
from lib.discrepancy.study import Discrepancy
from lib.experiment.choices import DEVICES
from lib.experiment.query import FIELDS, PRESETS, Experiment, layers_of
from lib.network.machine import has
from lib.page.controls import CHOICES, DEFAULT
from lib.page.link import layers_text
from lib.run.stream import Stream
from tests.page.visiting import claim, in_address, texts, tick, visit, watch


def last(chosen, _):
    """What was chosen in the run that has just ended."""
    return chosen[-1]


OF_TABS = {"function": "derivative", "x_from": "derivative", "gradient": "batch"}


@pytest.mark.parametrize("name", [name for name in CHOICES if name not in ("matmul", "device")])
def test_each_choice_of_a_row_is_that_of_the_experiment(name, chosen):
    tab = OF_TABS.get(name, "discrepancy")
    at = visit("samples=2", tab)
    for key in list(CHOICES[name][1])[-2:]:
        at.radio(key=name).set_value(key)
        assert getattr(last(chosen, tick(at)), name) == key and not at.error


def test_a_link_chooses_what_it_says_and_the_defaults_leave_the_address(chosen):
    query = (
        "inputs=3&hidden=4,6&outputs=7&dtype=float64&method=jacfwd&evaluation=batched"
        "&samples=50&seed=8&activation=tanh"
    )
    at = visit(query)
    assert chosen[-1] == Experiment.parse(query)
    assert at.query_params["layers"] in ("3 4 6 7", ["3 4 6 7"]) and "inputs" not in at.query_params
    at.radio(key="dtype").set_value("float32")
    assert last(chosen, tick(at)).dtype == "float32"


def test_a_function_and_its_derivative_are_typed_or_picked_and_the_last_of_both_counts(chosen):
    at = watch(visit("samples=50&formula=-x**-2&df=-1/(x*x)", "derivative"))
    assert "−x⁻²" in claim(at)
    at.text_input(key="df").set_value("1/x")
    at = watch(tick(at))
    assert chosen[-1].df == "1/x" and claim(at) == "1/x is not the derivative of 1/x."
    at.text_input(key="f").set_value("log(x)")
    at = watch(tick(at))
    assert chosen[-1].f == "log(x)" and "1/x agree" in claim(at)
    at.radio(key="function").set_value("tanh")
    assert last(chosen, tick(at)).differentiated == "tanh; 1/x"


def test_a_step_of_finite_differences_is_there_where_it_has_an_effect(chosen):
    assert not [box for box in visit("samples=2").number_input if box.key == "step"]
    visit("samples=2&method=finite-difference&step=-9")
    assert chosen[-1].step == -9


@pytest.mark.parametrize("tab", ["discrepancy", "pitfall", "batch", "derivative"])
def test_what_this_machine_cannot_run_is_one_sentence(tab):
    at = visit("samples=2&device=mps&dtype=float64", tab)
    assert sum("has no float64" in note.value for note in at.markdown) == 1 and not at.exception
    assert not at.title


def test_a_device_that_this_machine_lacks_is_offered_only_to_a_link_that_asks_for_it():
    lacking = [device for device in DEVICES if not has(device)]
    for device in lacking:
        at = visit(f"samples=2&device={device}")
        assert at.radio(key="device").value == device and not at.title
        assert sum("This machine has no" in note.value for note in at.markdown) == 1
    at = visit("samples=2")
    assert (
        not [option for option in at.radio(key="device").options if option in lacking] and at.title
    )


def test_a_preset_is_chosen_by_a_click(chosen):
    at = visit("seed=3&dtype=float16&hidden=4")
    for chip in PRESETS:
        at.pills(key="chips").set_value(chip)
        assert last(chosen, tick(at)) == PRESETS[chip]


@pytest.mark.parametrize(
    "text, widths", [("5-2", (5, 2)), ("3, 4,4 → 9", (3, 4, 4, 9)), (" 7 8 9 ", (7, 8, 9))]
)
def test_layer_sizes_are_read_whatever_separates_them(text, widths, chosen):
    at = visit("samples=2")
    at.text_input(key="layers").set_value(text)
    assert last(chosen, tick(at)).widths == widths
    assert layers_of(layers_text(chosen[-1])) == layers_of(text)


@pytest.mark.parametrize("text", ["5 x 2", "64 256 256 256 64"])
def test_layer_sizes_that_are_none_are_one_sentence_and_the_figures_go(text):
    at = watch(visit("samples=20&hidden=4"))
    at.text_input(key="layers").set_value(text)
    tick(at)
    said = [
        note.value for note in at.markdown if note.value.startswith("### :red[:material/error:")
    ]
    assert len(said) == 1 and not at.title


@pytest.mark.parametrize("query", ["dtype=float8", "f=import os"])
def test_a_link_to_no_experiment_is_told_once_and_shows_the_default(query, chosen):
    at = visit(query)
    (error,) = at.error
    assert error.value.startswith("This link does not describe an experiment: ")
    assert chosen[-1] == DEFAULT and not at.query_params.keys() & FIELDS.keys()
    assert not tick(at).error


EXPERIMENT = Experiment(samples=60)


def shown(at) -> tuple[int, int]:
    """The sample and the component of the drawing."""
    sample, component = re.search(r"Sample ([0-9,]+), component ([0-9]+),", texts(at)).groups()
    return int(sample.replace(",", "")), int(component)


@pytest.mark.parametrize(
    "pick, place",
    [
        ("trace_sample=7&trace_component=3", (7, 3)),
        ("trace_sample=59&trace_component=4", (59, 4)),
        ("trace_sample=x&trace_component=9", None),
        ("worst_by=ulps", None),
    ],
)
def test_what_is_picked_is_in_the_link(pick, place):
    tally = Stream(Discrepancy(EXPERIMENT)).finish()
    if place is None:
        of_worst = sample_and_component(EXPERIMENT, tally.max_ulps.place)
        place = of_worst if "worst" in pick else first_component(EXPERIMENT)
    at = watch(visit(f"samples=60&{pick}"))
    assert shown(at) == place
    assert in_address(at, "trace_sample") == (
        None if "x" in pick or "worst" in pick else str(place[0])
    )


def test_a_changed_experiment_drops_the_pick():
    at = watch(visit("samples=60&trace_sample=7&trace_component=3"))
    at.number_input(key="samples").set_value(70)
    assert shown(tick(at)) == (7, 3)  # more samples leave it
    at.radio(key="dtype").set_value("float64")
    assert shown(tick(at)) == first_component(Experiment(samples=70, dtype="float64"))
    assert in_address(at, "trace_sample") is None


def test_a_link_with_a_key_that_is_gone_opens_and_says_so_once(chosen):
    at = visit("g=exp(x)&seed=3")
    assert [info.value for info in at.info] == [
        "The link is of an older version; this one ignores g."
    ]
    assert chosen[-1] == Experiment(seed=3) and "g" not in at.query_params
    assert not tick(at).info
