"""Last Bit, the page: read from top to bottom in the order in which it appears. `streamlit run streamlit_app.py`."""

import gc
from dataclasses import replace
from uuid import uuid4

import streamlit as st

from lib import charts, machine
from lib.choices import ACTIVATIONS, DEVICES, DISTRIBUTIONS, DTYPES, EVALUATIONS, METHODS, OUTPUT_ACTIVATIONS, Choice
from lib.experiment import FIELDS, PRESETS, Experiment, QueryError
from lib.runs import Runs
from lib.sentences import claim, conditions, distance, finiteness, percent, progress, refusal
from lib.studies.discrepancy import Discrepancy, DiscrepancyTally
from lib.studies.discrepancy_tables import printout, tables

state = st.session_state

ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0f766e"/>
<path d="M8 11h3v10H8zm6.500 0h3v10h-3z" fill="#fff" opacity=".5"/><path d="M21 9h3v14h-3z" fill="#fff"/></svg>"""


@st.cache_resource(show_spinner=False)
def shared_runs() -> Runs:
    """The store that all sessions of this process share."""
    gc.collect()
    gc.freeze()  # what is loaded by now stays: no later collection need look at it
    return Runs()


def check_link() -> None:
    """Takes a malformed link out of the address before a control can read from it; the fault is shown further down."""
    pairs = [(key, text) for key in st.query_params for text in st.query_params.get_all(key)]
    try:
        Experiment.from_pairs(pairs)
    except QueryError as error:
        state.link_fault = refusal(error)
        for key in FIELDS.keys() & st.query_params.keys():
            del st.query_params[key]
        st.rerun()


def apply_preset() -> None:
    """Sets the controls to a preset that was clicked, which is one that the last run did not mark.

    Not in a callback: a tick of the live part may carry the click and run it first, and the run of the click, which
    brings the controls as they were, would then undo it.
    """
    clicked = state.get(f"preset {state.marks}")
    if clicked and clicked != state.marked:
        for name, value in PRESETS[clicked].to_dict().items():
            state[name] = PRESETS[clicked].text(name) if name == "hidden" else value


def mark_preset(experiment: Experiment) -> None:
    """Marks the preset that the experiment is, if any. Another mark is another widget: what the browser says of the
    one before, which it may do until it hears of the new one, is then no click."""
    state.marked = next((name for name, preset in PRESETS.items() if preset == experiment), None)
    if state.marked != state.get(f"preset {state.marks}"):
        state.marks += 1


def drop_spaces() -> None:
    state.hidden = state.hidden.replace(" ", "")


st.set_page_config("Last Bit", ICON, layout="wide")
if "viewer" not in state:
    state.update(viewer=uuid4().hex, paused=False, link_fault=None, marked=None, marks=0)
    check_link()
apply_preset()


# The sidebar: what is computed. Every control is bound to the key of the query that it is named after.

DEFAULT = Experiment()


def choose(name: str, label: str, table: dict[str, Choice]) -> None:
    about = "\n".join(f"- **{key}**: {row.about}" for key, row in table.items())
    keys = list(table)
    default = getattr(DEFAULT, name)
    if len(keys) <= 3:
        st.segmented_control(label, keys, default=default, required=True, key=name, help=about, bind="query-params")
    else:
        st.selectbox(label, keys, keys.index(default), key=name, help=about, bind="query-params")


def whole_number(name: str, label: str, about: str) -> None:
    field = FIELDS[name]
    about = f"{about}: {field.allowed}."
    st.number_input(
        label, field.low, field.high, getattr(DEFAULT, name), step=1, key=name, help=about, bind="query-params"
    )


with st.sidebar:
    st.subheader("Network")
    whole_number("inputs", "Inputs", "Components of a sample, and of its gradient")
    st.text_input(
        "Hidden layers",
        DEFAULT.text("hidden"),
        key="hidden",
        help=f"Widths: {FIELDS['hidden'].allowed}.",
        placeholder="none",
        on_change=drop_spaces,
        bind="query-params",
    )
    whole_number("outputs", "Outputs", "Rows of the Jacobian")
    choose("activation", "Activation", ACTIVATIONS)
    choose("output_activation", "Output activation", OUTPUT_ACTIVATIONS)
    st.subheader("Numbers")
    choose("dtype", "dtype", DTYPES)
    choose("device", "Device", DEVICES)
    st.subheader("Comparison")
    choose("method", "Jacobian method", METHODS)
    choose("evaluation", "Evaluation", EVALUATIONS)
    choose("distribution", "Distribution of the inputs", DISTRIBUTIONS)
    whole_number("samples", "Samples", "Random input points")
    whole_number("seed", "Seed", "Of the weights and of the samples")

try:
    experiment = Experiment.from_pairs((name, str(state[name])) for name in FIELDS)
    control_fault = None
except QueryError as error:
    experiment = state.get("experiment", DEFAULT)
    control_fault = f"{refusal(error)} The figures are still those of the experiment before."
if experiment != state.get("experiment"):
    state.update(experiment=experiment, paused=False)
mark_preset(experiment)


# The main column.

st.title("Last Bit", anchor=False)
st.markdown(
    "Why do `Tensor.backward()` and `torch.autograd.functional.jacobian()` disagree in the last bits? Both compute the "
    "same gradient of the same network: they add up the same terms, but in another order, and floating-point numbers "
    "are rounded after every addition. Watch how far that carries."
)
# While a run that marks another preset goes on, Streamlit keeps the widget before below the new one: hidden.
st.html("<style>[class*=st-key-preset] + [class*=st-key-preset] {display: none}</style>")
st.pills("Experiments worth seeing", list(PRESETS), default=state.marked, key=f"preset {state.marks}")
if control_fault or experiment != DEFAULT:
    state.link_fault = None
if state.link_fault:
    st.error(f"This link is no experiment: {state.link_fault} You see the first post's experiment instead.")
if control_fault:
    st.error(control_fault)
if lack := machine.lacks(experiment):
    st.warning(f"{lack} The figures below were computed on the CPU instead.")
    experiment = replace(experiment, device="cpu")


FIRST_SLICE = 0.05  # seconds: short, so that the charts are drawn with something in them from the start

READING = """
- On paper both vectors are the same gradient (unless the method is *single-call* or *finite-difference*). `backward()`
  adds up the outputs' shares on its way through the network; a Jacobian keeps one row per output, and the rows are
  added last.
- After every addition the result is rounded to the nearest float. Another order, other roundings: so the last bits
  differ, about as often up as down.
- The rounding goes with the size of the terms that are added, not of their sum. Where the terms nearly cancel, a small
  component keeps their large error: it lies far above the dashed line, which is about one ulp, and many floats apart.
"""


def draw_chart(key: str, chart: charts.Chart, data: dict, alt: str, takeaway: str | None) -> None:
    """`takeaway` has figures and goes into the alt text; None while they change, since the browser would then draw the
    chart anew on each tick."""
    datasets = {name: data[name] for name in chart.tables}
    alt = f"{alt}: {takeaway}." if takeaway else f"{alt}."
    st.vega_lite_chart({**chart.spec, "datasets": datasets}, key=key, alt=alt)


def toggle_pause() -> None:
    state.paused = not state.paused


def live(experiment: Experiment, declared: tuple[bool, bool, float]) -> None:
    """Everything that changes while samples arrive: each tick asks for a slice of work and draws what there is.

    `declared` is what this fragment's period was chosen for; when that has changed, the page declares it anew.
    """
    run = runs.get(Discrepancy, experiment)
    period, seconds = runs.pace(state.viewer)
    if not state.paused:
        run.kick(seconds)
    finished, tally = run.finished, run.tally
    st.subheader(claim(tally, experiment), anchor=False)
    button, bar = st.columns([1, 5], vertical_alignment="center")
    word = "Resume" if state.paused else "Pause"
    button.button(word, on_click=toggle_pause, disabled=finished, width="stretch", key="pause")
    bar.progress(tally.samples / experiment.samples, progress(tally.samples, experiment, run.rate, state.paused))
    st.caption(conditions(experiment))
    if run.error:
        st.error(run.error)
        st.button("Try again", on_click=runs.forget, args=(Discrepancy, experiment))
    draw_section_1(tally, experiment, settled=finished or state.paused)
    if declared != (finished, state.paused, period):
        st.rerun()


def draw_section_1(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    data = tables(tally, experiment)
    finite = tally.components - tally.nonfinite
    equal = percent(tally.equal, finite)
    largest = f"{tally.max_abs.value:.2e}"

    st.header("How far apart are they?", anchor="how-far-apart", divider="gray")
    with st.container(horizontal=True):
        st.metric("Equal components", equal, help="Both values have the same bits.", width=165)
        st.metric("Equal samples", f"{tally.samples_equal:,}", help="All their components are equal.", width=165)
        st.metric("Largest difference", largest, help="Of backward() and the summed Jacobian, absolute.", width=165)
        st.metric("Longest distance", distance(tally.max_ulps.value), help="In steps from float to float.", width=165)

    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**How many floats apart?**")
        st.caption("One ulp is one step from a float to the next. In the middle, grey: the same bits.")
        takeaway = f"{equal} of the components are equal" if settled else None
        draw_chart("ulps", charts.ULPS, data, "Histogram of the distances in ulps", takeaway)
    with right:
        st.markdown("**How large, next to the component?**")
        st.caption("Each cell is a factor of two wide and high; the grey row at the bottom is a difference of zero.")
        takeaway = f"the largest difference is {largest}" if settled else None
        draw_chart(
            "cells", charts.CELLS, data, "Heat map of the difference against the size of the component", takeaway
        )

    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Does it settle?**")
        st.caption("Share of equal components among the first samples. The axis is logarithmic.")
        takeaway = f"{equal} after {tally.samples:,} samples" if settled else None
        draw_chart("arrivals", charts.ARRIVALS, data, "Curve of the share of equal components", takeaway)
    with right:
        st.markdown("**How to read this**")
        st.markdown(READING)

    st.markdown("**The first five samples, as PyTorch prints them**")
    st.code(printout(tally, experiment), language=None)
    st.caption(finiteness(tally))


runs = shared_runs()
run = runs.get(Discrepancy, experiment)
if run.tally.samples == 0 and not state.paused:
    run.kick(FIRST_SLICE)
    run.wait(1.0)
period, _ = runs.pace(state.viewer)
declared = run.finished, state.paused, period
st.fragment(live, run_every=None if run.finished or state.paused else period)(experiment, declared)
