"""The link, the presets and the strips of controls: whatever is sent or set, the page is at one experiment."""

import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ButtonGroup

from lib.experiment.query import FIELDS, PRESETS, Experiment
from lib.network import machine
from lib.page.address import CONTROLS, shown_by
from lib.page.frame import MORE
from lib.run.store import Runs
from tests.page.visiting import (
    BY_HAND,
    GRADIENTS,
    OWN,
    PITFALL,
    assert_shows,
    chosen,
    claim,
    figures,
    go_back,
    metrics,
    progress,
    tick,
    visit,
    watch,
)

NETWORK_MORE = set(MORE) - {"matmul", "step"}


@pytest.fixture(scope="module")
def store() -> Runs:
    return Runs()


@pytest.fixture(autouse=True)
def runs(store: Runs, monkeypatch) -> Runs:
    """One store for all tests of this file, as on a server: most show the first experiment, which is measured once."""
    st.cache_resource.clear()
    monkeypatch.setattr("lib.run.store.Runs", lambda: store)
    return store


def presets(at: AppTest) -> ButtonGroup:
    (pills,) = at.pills
    return pills


def linked(at: AppTest) -> dict[str, str]:
    """The fields of an experiment in the address."""
    return {key: "".join(at.query_params[key]) for key in FIELDS if key in at.query_params}


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
    at.text_input(key="network").set_value("5, 10, abc, 2")
    at.number_input(key="seed").set_value(7)
    (error,) = tick(at).error
    assert "The network is still 5 → 4 → 3 → 2." in error.value
    experiment = Experiment(samples=40, hidden=(4, 3), seed=7)
    assert_shows(watch(at), figures(experiment), experiment)


INVALID = {
    "5 → 0 → 2": "hidden = '0' is not allowed",
    "5 → ten → 2": "hidden = 'ten' is not allowed",
    "5 → 10.5 → 2": "hidden = '10.5' is not allowed",
    "65 → 2": "inputs = '65' is not allowed",
    "5 → 65": "outputs = '65' is not allowed",
    f"5 → {'9' * 30} → 2": "hidden = '999",
    "5 → " + 7 * "256 → " + "2": "hidden = '256,256",
    "64 → 256 → 256 → 256 → 64": "inputs, hidden and outputs make 164,672 parameters × 64 outputs",
    "10": "The network needs its inputs and its outputs at least",
    "": "The network needs its inputs and its outputs at least",
    "<b>": "inputs = '<b' is not allowed",
}


@pytest.mark.parametrize("text", INVALID)
def test_an_invalid_network_gives_a_sentence_and_keeps_the_figures(text):
    at = watch(visit("dtype=float64&samples=40"))
    before = claim(at), metrics(at)
    at.text_input(key="network").set_value(text)
    (error,) = tick(at).error
    assert re.sub(r"`+ (.*?) `+", r"'\1'", error.value).startswith(INVALID[text])
    assert (claim(at), metrics(at)) == before
    assert at.session_state["network"] == text
    at.text_input(key="network").set_value("5 4-3, 2")
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


def keys(at: AppTest) -> set[str | None]:
    """The keys of all controls that are drawn."""
    kinds = at.selectbox, at.number_input, at.text_input
    return {control.key for kind in kinds for control in kind}


@pytest.mark.parametrize("query", ["device=cpu&matmul=tf32", "device=cuda&matmul=tf32", "device=mps&matmul=tf32"])
def test_how_a_card_rounds_is_chosen_for_a_card_alone_and_stays_in_the_link(query):
    at = visit(f"{query}&samples=5")
    assert ("matmul" in keys(at)) == ("cuda" in query)
    assert chosen(at) == Experiment.parse(f"{query}&samples=5")


@pytest.mark.parametrize("query", ["method=finite-difference&step=-9", "method=finite-difference", "step=-9"])
def test_the_step_is_chosen_for_finite_differences_alone_and_stays_in_the_link(query):
    at = visit(f"{query}&samples=5")
    assert ("step" in keys(at)) == ("method" in query)
    assert chosen(at) == Experiment.parse(f"{query}&samples=5")


@pytest.mark.parametrize("text", ["4 3 2", "4,3,2", "4-3-2", "4->3->2", " 4 → 3 → 2 ", "4; 3; 2"])
def test_a_network_may_be_typed_in_any_way(text):
    at = visit("samples=5")
    at.text_input(key="network").set_value(text)
    assert chosen(tick(at)) == Experiment(samples=5, inputs=4, hidden=(3,), outputs=2)
    assert at.text_input(key="network").value == "4 → 3 → 2"


DRAWN = {
    GRADIENTS: {"network", "activation", "output_activation", "dtype", "device", "method", *NETWORK_MORE},
    PITFALL: {"network", "activation", "output_activation", "dtype", "device", "method", *NETWORK_MORE},
    BY_HAND: {"function", "dtype", "device", "x_from", "samples", "seed"},
    OWN: set(),
}
"""The controls of each tab, as far as they have an effect with the default experiment."""


@pytest.mark.parametrize("tab", DRAWN)
def test_a_tab_draws_its_own_controls_and_a_link_keeps_the_others(tab):
    query = "hidden=4&activation=tanh&method=rows&function=exp&x_from=uniform&samples=5"
    at = visit(f"{query}&{urlencode({'tab': tab})}")
    assert keys(at) & set(CONTROLS) == DRAWN[tab]
    assert at.session_state["chosen"] == Experiment.parse(query)
    assert linked(at) == Experiment.parse(query).pairs()


def test_a_control_keeps_its_value_while_another_tab_is_open():
    at = visit("samples=5")
    at.text_input(key="network").set_value("3 → 2")
    at.selectbox(key="method").set_value("jacrev")
    at.selectbox(key="dtype").set_value("float64")
    experiment = Experiment(samples=5, inputs=3, hidden=(), method="jacrev", dtype="float64")
    assert chosen(tick(at)) == experiment
    for tab in (OWN, BY_HAND, PITFALL, GRADIENTS):
        at.session_state["tab"] = tab
        tick(at)
        assert at.session_state["chosen"] == experiment, tab
    assert at.selectbox(key="method").value == "jacrev" and at.text_input(key="network").value == "3 → 2"
    at.session_state["tab"] = BY_HAND
    tick(at).selectbox(key="dtype").set_value("bfloat16")
    tick(at).session_state["tab"] = GRADIENTS
    assert chosen(tick(at)) == replace(experiment, dtype="bfloat16")


def test_an_address_that_the_visitor_went_back_to_sets_the_controls(monkeypatch):
    at = visit("samples=5&dtype=float64")
    at.selectbox(key="dtype").set_value("bfloat16")
    assert chosen(tick(at)) == Experiment(samples=5, dtype="bfloat16")
    assert chosen(go_back(at, "samples=6&hidden=4,3", monkeypatch)) == Experiment(samples=6, hidden=(4, 3))
    assert at.text_input(key="network").value == "5 → 4 → 3 → 2"


def test_an_address_that_is_no_link_changes_nothing(monkeypatch):
    at = visit("samples=5&dtype=float64")
    assert chosen(go_back(at, "samples=none&dtype=float64", monkeypatch)) == Experiment(samples=5, dtype="float64")
    assert linked(at) == {"samples": "5", "dtype": "float64"}


def test_an_address_that_is_late_changes_nothing(monkeypatch):
    """A browser may ask for a run before the address of the last one has reached it."""
    at = visit("samples=5&trace_sample=3&tour=true&stop=2")
    at.selectbox(key="dtype").set_value("bfloat16")
    expected = chosen(tick(at)), linked(at), at.session_state["pick"], at.session_state["stop"]
    at.query_params.clear()
    at.query_params.update({"samples": "6", "trace_sample": "2", "tour": "true", "stop": "1"})
    assert (chosen(tick(at)), linked(at), at.session_state["pick"], at.session_state["stop"]) == expected


@pytest.mark.parametrize("experiment", [Experiment(samples=5), Experiment(inputs=7, hidden=(4, 3), outputs=3)])
def test_the_controls_start_from_the_link_by_default(experiment):
    """A value that is set as a state is sent once, and a browser may drop that run for the next one."""
    at = visit(experiment.query)
    assert at.text_input(key="network").proto.default == shown_by("network", experiment)
    assert at.number_input(key="samples").proto.default == experiment.samples


def test_links_of_old_open_the_tab_of_the_derivative():
    at = visit(f"samples=10&{urlencode({'tab': 'Why is 1/x off?'})}")
    assert at.session_state["tab"] == BY_HAND and claim(at).startswith("Autograd and −1/x²")
