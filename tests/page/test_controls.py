"""The controls and the link: the address has the choices, and one sentence says what is wrong."""

import re
from urllib.parse import parse_qsl, urlencode

import pytest

from lib.discrepancy.picks import first_component
from lib.experiment.choices import DEVICES
from lib.experiment.presets import PRESETS
from lib.experiment.query import FIELDS, Experiment
from lib.experiment.studies import STUDIES
from lib.network.machine import has
from lib.page.controls import DEFAULT
from tests.page.visiting import TABS, claim, in_address, texts, tick, visit, watch

CHOICES = {name for name, field in FIELDS.items() if field.table}
OF_TABS = {"derivative": {"function", "x_from"}, "batch": {"gradient"}}
OF_THIS_MACHINE = {"matmul", "device"}
OF_TABS["discrepancy"] = CHOICES - OF_THIS_MACHINE - set().union(*OF_TABS.values())


@pytest.mark.parametrize("tab, names", OF_TABS.items())
def test_each_choice_is_that_of_the_experiment(tab, names, chosen):
    at = visit("samples=2", tab)
    for name in sorted(names):
        last = list(FIELDS[name].table)[-1]
        at.radio(key=name).set_value(last)
        tick(at)
        assert getattr(chosen[-1], name) == last


def test_a_link_chooses_what_it_says(chosen):
    """Defaults leave the address."""
    query = (
        "inputs=3&hidden=4,6&outputs=7&dtype=float64&method=finite-difference&step=-9"
        "&evaluation=batched&samples=50&seed=8&activation=tanh"
    )
    at = visit(query, opened=False)
    assert chosen[-1] == Experiment.parse(query)
    assert not [box for box in at.number_input if box.key == "step"]
    at = visit(query)
    assert chosen[-1] == Experiment.parse(query)
    assert [box.value for box in at.number_input if box.key == "step"] == [-9]
    assert chosen[-1] == Experiment.parse(query)
    assert in_address(at, "layers") == "3 4 6 7" and "inputs" not in at.query_params
    at.radio(key="method").set_value(Experiment.method)
    at.text_input(key="layers").set_value("5-10 → 2")
    tick(at)
    assert chosen[-1].widths == Experiment().widths and chosen[-1].dtype == "float64"
    assert "method" not in at.query_params
    assert not [box for box in at.number_input if box.key == "step"], "which has no effect"


def test_functions_are_typed_or_picked(chosen):
    """And so are their derivatives. The last of both counts."""
    at = watch(visit("samples=50&formula=-x**-2&df=-1/(x*x)", "derivative"))
    assert "−x⁻²" in claim(at)
    at.text_input(key="df").set_value("1/x")
    at = watch(tick(at))
    assert chosen[-1].df == "1/x" and claim(at) == "1/x is not the derivative of 1/x."
    at.text_input(key="f").set_value("log(x)")
    at = watch(tick(at))
    assert chosen[-1].f == "log(x)" and "1/x agree" in claim(at)
    at.radio(key="function").set_value("tanh")
    tick(at)
    assert chosen[-1].differentiated == "tanh; 1/x"


@pytest.mark.parametrize(
    "query, fault",
    [
        ("device=mps&dtype=float64", "has no float64"),
        ("layers=5 x 2", "is not allowed"),
        ("layers=64 256 256 256 64", "is not allowed"),
        *((f"device={name}", "This machine has no") for name in DEVICES if not has(name)),
    ],
)
def test_what_cannot_run_is_one_sentence(query, fault):
    """And there are no figures."""
    if query.startswith("layers="):
        at = watch(visit("samples=20"))
        at.text_input(key="layers").set_value(query.removeprefix("layers="))
    else:
        at = visit(query)
    faults = [note.value for note in tick(at).markdown if ":material/error:" in note.value]
    assert len(faults) == 1 and fault in faults[0] and not at.header


def test_a_device_that_this_machine_lacks_is_not_offered():
    devices = visit("samples=2").radio(key="device").options
    assert devices == [name for name in DEVICES if has(name)]


def test_a_preset_is_a_link(chosen):
    at = visit("seed=3&dtype=float16&hidden=4", "pitfall")
    html = " ".join(part.proto.body for part in at.get("html"))
    links = re.findall(r'href="\?([^"]+)" target="_self"[^>]*>(?:<b>)?([^<]+)', html)
    assert [name for _, name in links] == list(PRESETS)
    for query, name in links:
        pairs = [pair for pair in parse_qsl(query) if pair != ("tab", TABS["pitfall"])]
        html = visit(urlencode(pairs), "pitfall").get("html")[0].proto.body
        assert chosen[-1] == STUDIES["pitfall"].of(PRESETS[name])
        assert re.findall("<b>(.+?)</b>", html) == [name]


@pytest.mark.parametrize("query", ["dtype=float8", "f=import os", "layers=", "samples=&seed=4"])
def test_a_link_to_no_experiment_is_told_once(query, chosen):
    """And the default is shown."""
    at = visit(query)
    (error,) = at.error
    assert error.value.startswith("This link cannot be read: ")
    assert chosen[-1] == DEFAULT and not at.query_params.keys() & FIELDS.keys()
    assert not tick(at).error


def shown(at) -> tuple[int, int]:
    """The sample and the component of the drawing."""
    sample, component = re.search(r"Sample ([0-9,]+), component ([0-9]+),", texts(at)).groups()
    return int(sample.replace(",", "")), int(component)


@pytest.mark.parametrize("asked, place", [("59 4", (59, 4)), ("60 9", None)])
def test_what_is_picked_belongs_to_its_experiment(asked, place):
    """It is in the link."""
    sample, component = asked.split()
    at = watch(visit(f"samples=60&trace_sample={sample}&trace_component={component}"))
    assert shown(at) == (place or first_component(Experiment(samples=60)))
    at.number_input(key="samples").set_value(70)
    assert shown(tick(at)) == (place or first_component(Experiment(samples=70)))
    at.radio(key="dtype").set_value("float64")
    assert shown(tick(at)) == first_component(Experiment(samples=70, dtype="float64"))
    assert in_address(at, "trace_sample") is None


@pytest.mark.parametrize(
    "tab, query, seen",
    [
        ("batch", "samples=20&batch=64", "batch of 64"),
        ("derivative", "samples=20&formula=-(1/x)/x", "−(1/x)/x"),
        ("discrepancy", "samples=20&trace_sample=7&trace_component=3", "Sample 7, component 3"),
    ],
)
def test_a_link_shows_what_was_seen(tab, query, seen):
    at = visit(query, tab)
    assert seen in "\n".join([claim(at), texts(at)])


def test_a_formula_of_another_function_is_not_named():
    at = visit("samples=20&function=tanh&formula=-1/x**2", "derivative")
    assert at.selectbox(key="formula").value is None
    assert "1/x" not in " ".join([claim(at), texts(at)])
