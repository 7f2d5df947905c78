"""The link, the presets and the sidebar: whatever is sent or set, the page is at one experiment."""

import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ButtonGroup

from lib.experiment.query import FIELDS, PRESETS, Experiment
from lib.network import machine
from tests.page.visiting import (
    BY_HAND,
    PAGE,
    assert_shows,
    chosen,
    claim,
    figures,
    metrics,
    progress,
    tick,
    visit,
    watch,
)


def presets(at: AppTest) -> ButtonGroup:
    (pills,) = at.pills
    return pills


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_every_control(name):
    at = visit("inputs=3&hidden=&activation=tanh&device=mps&distribution=normal&seed=5&samples=20")
    presets(at).set_value(name)
    tick(at)
    assert chosen(at) == PRESETS[name]
    assert progress(at)[1] == PRESETS[name].samples


def test_a_preset_is_marked_when_its_experiment_is_set_by_hand():
    at = visit("samples=20")
    assert presets(at).value is None
    at.number_input(key="samples").set_value(2000)
    assert presets(tick(at)).value == "the post"


HOSTILE = {
    "unknown dtype": ("dtype=float8", "dtype"),
    "unknown key in a table": ("activation=__class__", "activation"),
    "table of the wrong field": ("activation=softmax", "activation"),
    "too small": ("samples=0", "samples"),
    "too large": (f"seed={2**31}", "seed"),
    "negative": ("inputs=-5", "inputs"),
    "a fraction": ("inputs=2.5", "inputs"),
    "in scientific notation": ("samples=1e3", "samples"),
    "a thousand digits": ("seed=" + "9" * 1000, "seed"),
    "digits of another script": ("samples=٣٠", "samples"),
    "letters of another width": ("dtype=ｆｌｏａｔ３２", "dtype"),
    "not a number": ("outputs=nan", "outputs"),
    "a script": ("method=<script>alert(1)</script>", "method"),
    "a path": ("device=../../etc/passwd", "device"),
    "a control character": ("distribution=normal%00", "distribution"),
    "empty number": ("samples=", "samples"),
    "empty choice": ("evaluation=", "evaluation"),
    "a comma alone": ("hidden=,", "hidden"),
    "too many widths": ("hidden=1,1,1,1,1,1,1", "hidden"),
    "too wide": ("hidden=257", "hidden"),
    "too costly": ("hidden=256,256,256&outputs=64", "hidden"),
    "a step beyond": ("step=17", "step"),
    "a key twice": ("samples=10&samples=20", "samples"),
    "the same value twice": ("output_activation=relu&output_activation=relu", "output_activation"),
    "a bad field among good ones": ("dtype=float64&samples=100&method=magic&seed=3", "method"),
}


@pytest.mark.parametrize("query, field", HOSTILE.values(), ids=HOSTILE)
def test_a_malformed_link_gives_one_sentence_and_the_first_experiment(query, field):
    at = visit(urlencode(parse_qsl(query, keep_blank_values=True)))
    (error,) = at.error
    assert re.search(rf"\b{field}\b", error.value)
    assert len(error.value) < 400 and "\n" not in error.value
    assert chosen(at) == Experiment() and progress(at)[1] == 2000 and claim(at)
    assert not FIELDS.keys() & at.query_params.keys()


def test_the_sentence_about_a_link_goes_with_the_next_experiment():
    at = visit("dtype=float8")
    at.number_input(key="samples").set_value(30)
    assert not tick(at).error
    assert progress(at)[1] == 30


def test_unknown_keys_of_a_link_are_ignored():
    at = watch(visit("utm_source=letter&utm_source=again&samples=30&fbclid=<b>"))
    assert not at.error
    assert_shows(at, figures(Experiment(samples=30)), Experiment(samples=30))


def test_other_controls_go_on_while_one_is_invalid():
    """The figures, and with them the link, are of what the controls say otherwise, on the last possible network."""
    at = watch(visit("samples=40&hidden=4,3"))
    at.text_input(key="hidden").set_value("10,abc")
    at.number_input(key="seed").set_value(7)
    (error,) = tick(at).error
    assert "The network is still 5→4→3→2." in error.value
    experiment = Experiment(samples=40, hidden=(4, 3), seed=7)
    assert_shows(watch(at), figures(experiment), experiment)


@pytest.mark.parametrize("text", ["10;5", "0", "ten", "1,,2", "9" * 30, "256,256,256,256,256,256,256"])
def test_an_invalid_control_gives_a_sentence_and_keeps_the_figures(text):
    at = watch(visit("dtype=float64&samples=40"))
    before = claim(at), metrics(at)
    at.text_input(key="hidden").set_value(text)
    (error,) = tick(at).error
    assert error.value.startswith("hidden = ")
    assert (claim(at), metrics(at)) == before
    at.text_input(key="hidden").set_value("4, 3")
    assert not tick(at).error
    experiment = Experiment(dtype="float64", samples=40, hidden=(4, 3))
    assert_shows(watch(at), figures(experiment), experiment)


@pytest.mark.parametrize(
    "query, lack", [("device=cuda", "CUDA"), ("device=mps", "MPS"), ("device=mps&dtype=float64", "float64")]
)
def test_a_missing_device_is_noted_and_the_cpu_computes(monkeypatch, query, lack):
    for device in "cuda", "mps":
        monkeypatch.setitem(machine._AVAILABLE, device, lambda: False)
    experiment = Experiment.parse(f"{query}&samples=40")
    at = watch(visit(experiment.query))
    (note,) = at.warning
    assert lack in note.value and "CPU" in note.value
    assert chosen(at) == experiment
    on_cpu = replace(experiment, device="cpu")
    assert_shows(at, figures(on_cpu), on_cpu)


@pytest.mark.parametrize("query", ["device=cpu&matmul=tf32", "device=cuda&matmul=tf32", "device=mps&matmul=tf32"])
def test_how_a_card_rounds_is_chosen_for_a_card_alone_and_stays_in_the_link(query):
    at = visit(f"{query}&samples=5")
    (control,) = (group for group in at.get("button_group") if group.label == "Matrix products on CUDA")
    assert control.disabled == ("cuda" not in query)
    assert chosen(at) == Experiment.parse(f"{query}&samples=5")


@pytest.mark.parametrize("query", ["method=finite-difference&step=-9", "method=finite-difference", "step=-9"])
def test_the_step_is_chosen_for_finite_differences_alone_and_stays_in_the_link(query):
    at = visit(f"{query}&samples=5")
    assert at.number_input(key="step").disabled == ("method" not in query)
    assert chosen(at) == Experiment.parse(f"{query}&samples=5")


def test_controls_that_streamlit_has_lost_are_set_by_the_address_again():
    """As when a run ends before it comes to them: no control has a state, and what the address says was put there."""
    at = AppTest.from_file(str(PAGE), default_timeout=60)
    experiment = Experiment(inputs=7, hidden=(4, 3), outputs=3, samples=5)
    at.query_params.update(experiment.pairs())
    at.session_state["first"] = {"inputs": 5, "hidden": "10", "outputs": 2}
    at.session_state["put"] = {name: experiment.text(name) for name in ("inputs", "hidden", "outputs")}
    assert chosen(at.run()) == experiment


@pytest.mark.parametrize("experiment", [Experiment(samples=5), Experiment(inputs=7, hidden=(4, 3), outputs=3)])
def test_the_controls_start_from_the_link_by_default(experiment):
    """A value that is set as a state is sent once, and a browser may drop that run for the next one."""
    at = visit(experiment.query)
    numbers = {name: at.number_input(key=name).proto.default for name in ("inputs", "outputs")}
    assert numbers == {"inputs": experiment.inputs, "outputs": experiment.outputs}
    assert at.text_input(key="hidden").proto.default == experiment.text("hidden")


def test_links_of_old_open_the_tab_of_the_derivative():
    at = visit(f"samples=10&{urlencode({'tab': 'Why is 1/x off?'})}")
    assert at.session_state["tab"] == BY_HAND and any(header.value == "A derivative by hand" for header in at.header)
