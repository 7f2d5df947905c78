"""Last Bit, the page: read from top to bottom in the order in which it appears. `streamlit run streamlit_app.py`."""

import gc
from dataclasses import replace
from uuid import uuid4

import streamlit as st

from lib import charts, machine
from lib.choices import ACTIVATIONS, DEVICES, DISTRIBUTIONS, DTYPES, EVALUATIONS, METHODS, OUTPUT_ACTIVATIONS, Choice
from lib.experiment import FIELDS, PRESETS, Experiment, QueryError
from lib.runs import Run, Runs
from lib.studies.discrepancy import Discrepancy, DiscrepancyTally
from lib.studies.discrepancy_tables import printout, tables

state = st.session_state


@st.cache_resource(show_spinner=False)
def shared_runs() -> Runs:
    """The store that all sessions of this process share."""
    gc.collect()
    gc.freeze()  # what is loaded by now stays: no later collection need look at it
    return Runs()


# The address and the controls say the same: whichever changed last is the experiment.


def read_address() -> str | None:
    """Sets the controls to the experiment of the address; gives the sentence if it is none, then to the defaults."""
    fault = None
    try:
        pairs = [(key, text) for key in st.query_params for text in st.query_params.get_all(key)]
        experiment = Experiment.from_pairs(pairs)
    except QueryError as error:
        experiment, fault = Experiment(), str(error)
    show_in_controls(experiment)
    return fault


def show_in_controls(experiment: Experiment) -> None:
    state.update(experiment.to_dict() | {"hidden": experiment.text("hidden")})


def choose_preset() -> None:
    if state.preset:
        show_in_controls(PRESETS[state.preset])


def address() -> dict[str, list[str]]:
    return {key: st.query_params.get_all(key) for key in FIELDS if key in st.query_params}


def write_address(experiment: Experiment) -> None:
    wanted = experiment.pairs()
    for key in address().keys() - wanted.keys():
        del st.query_params[key]
    for key in wanted:
        if st.query_params.get(key) != wanted[key]:
            st.query_params[key] = wanted[key]
    state.address = address()


st.set_page_config("Last Bit", ":material/exposure_neg_1:", layout="wide")
if "viewer" not in state:
    state.viewer = uuid4().hex
    state.paused = False
if "address" not in state or state.address != address():
    state.link_fault = read_address()


# The sidebar: what is computed.


def choose(name: str, label: str, table: dict[str, Choice], widget=st.selectbox, **options) -> None:
    about = "\n".join(f"- **{row.label}**: {row.about}" for row in table.values())
    widget(label, list(table), format_func=lambda key: table[key].label, key=name, help=about, **options)


def whole_number(name: str, label: str, about: str) -> None:
    field = FIELDS[name]
    st.number_input(label, field.low, field.high, step=1, key=name, help=f"{about}: {field.allowed}.", required=True)


with st.sidebar:
    st.subheader("Network")
    whole_number("inputs", "Inputs", "Components of a sample, and of its gradient")
    st.text_input("Hidden layers", key="hidden", help=f"Widths: {FIELDS['hidden'].allowed}.", placeholder="none")
    whole_number("outputs", "Outputs", "Rows of the Jacobian")
    choose("activation", "Activation", ACTIVATIONS)
    choose("output_activation", "Output activation", OUTPUT_ACTIVATIONS)
    st.subheader("Numbers")
    choose("dtype", "dtype", DTYPES)
    choose("device", "Device", DEVICES, st.segmented_control, required=True)
    st.subheader("Comparison")
    choose("method", "Jacobian method", METHODS)
    choose("evaluation", "Evaluation", EVALUATIONS, st.segmented_control, required=True)
    choose("distribution", "Inputs drawn", DISTRIBUTIONS, st.segmented_control, required=True)
    whole_number("samples", "Samples", "Random input points")
    whole_number("seed", "Seed", "Of the weights and of the samples")

try:
    chosen = {name: state[name] for name in FIELDS} | {"hidden": FIELDS["hidden"].parse(state.hidden.replace(" ", ""))}
    state.experiment, control_fault = Experiment(**chosen), None
    write_address(state.experiment)
except QueryError as error:
    control_fault = f"{error} The figures are still those of the experiment before."
experiment: Experiment = state.setdefault("experiment", Experiment())
state.preset = next((name for name, preset in PRESETS.items() if preset == experiment), None)


# The main column.

st.title("Last Bit", anchor=False)
st.markdown(
    "Why do `Tensor.backward()` and `torch.autograd.functional.jacobian()` disagree in the last bits? Both compute the "
    "same gradient of the same network: they add up the same terms, but in another order, and floating-point numbers "
    "are rounded after every addition. Watch how far that carries."
)
st.pills("Experiments worth seeing", list(PRESETS), key="preset", on_change=choose_preset)
if state.link_fault:
    st.error(f"This link is no experiment: {state.link_fault} You see the first post's experiment instead.")
    state.link_fault = None
if control_fault:
    st.error(control_fault)
if lack := machine.lacks(experiment):
    st.warning(f"{lack} The figures below were computed on the CPU instead.")
    experiment = replace(experiment, device="cpu")


def percent(part: int, whole: int) -> str:
    """A share of a whole that is never rounded to none or to all of it."""
    share = part / max(whole, 1)
    return f"{share:.0%}" if part in (0, whole) or 0.005 <= share < 0.995 else f"{share:.3%}"


def claim(tally: DiscrepancyTally, experiment: Experiment) -> str:
    """The claim of the page in one sentence, with the figures as they stand."""
    compared = f"`backward()` and `{METHODS[experiment.method].call}.sum(0)`"
    finite = tally.components - tally.nonfinite
    if finite == 0:
        return f"{compared}: no figures yet." if tally.samples == 0 else f"{compared} gave no finite component."
    if tally.equal == finite:
        return f"{compared} gave the same bits in all of {finite:,} gradient components."
    return (
        f"{compared} gave different bits in {percent(finite - tally.equal, finite)} of {finite:,} gradient components, "
        f"and never differed by more than {tally.max_abs.value:.1e}."
    )


def progress(run: Run) -> str:
    done = f"{run.tally.samples:,} of {run.experiment.samples:,} samples"
    if run.finished or run.rate == 0:
        return done
    left = (run.experiment.samples - run.tally.samples) / run.rate
    pace = "paused" if state.paused else f"{run.rate:,.0f} samples/s · {duration(left)} left"
    return f"{done} · {pace}"


def duration(seconds: float) -> str:
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def draw_chart(chart: charts.Chart, data: dict, alt: str, key: str) -> None:
    datasets = {name: data[name] for name in chart.tables}
    st.vega_lite_chart({**chart.spec, "datasets": datasets}, key=key, alt=alt)


def toggle_pause() -> None:
    state.paused = not state.paused


def live(experiment: Experiment, declared: tuple) -> None:
    """Everything that changes while samples arrive: one tick asks for a slice of work and draws what there is."""
    run = runs.get(Discrepancy, experiment)
    period, seconds = runs.pace(state.viewer)
    if not state.paused:
        run.kick(seconds)
    finished, tally = run.finished, run.tally
    st.subheader(claim(tally, experiment), anchor=False)
    button, bar = st.columns([1, 5], vertical_alignment="center")
    button.button(
        "Resume" if state.paused else "Pause", on_click=toggle_pause, disabled=finished, width="stretch", key="pause"
    )
    bar.progress(tally.samples / experiment.samples, text=progress(run))
    if run.error:
        st.error(run.error)
    draw_section_1(tally, experiment)
    if declared != (finished, state.paused, period):
        st.rerun()


def draw_section_1(tally: DiscrepancyTally, experiment: Experiment) -> None:
    data = tables(tally, experiment)
    st.header("How far apart are they?", anchor="how-far-apart", divider="gray")
    finite = tally.components - tally.nonfinite
    figures = st.columns(4)
    figures[0].metric("Equal components", percent(tally.equal, finite), help="The two values have the same bits.")
    figures[1].metric("Samples equal throughout", f"{tally.samples_equal:,}", help="All components have the same bits.")
    figures[2].metric("Largest difference", f"{tally.max_abs.value:.2e}")
    figures[3].metric("Largest distance", f"{tally.max_ulps.value:,} ulp", help="Floats from one value to the other.")
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**How many floats apart**")
        st.caption("One ulp is the step from a float to the next. At 0 the bits are the same.")
        draw_chart(charts.ULPS, data, f"Histogram: {percent(tally.equal, finite)} of components are equal.", "ulps")
    with right:
        st.markdown("**Difference against size**")
        st.caption("Each cell is a factor of two wide and high.")
        draw_chart(charts.CELLS, data, "Heat map", "cells")
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Share of equal components, as samples arrive**")
        draw_chart(charts.ARRIVALS, data, "Curve", "arrivals")
    with right:
        st.markdown("**The first five samples, as PyTorch prints them**")
        st.code(printout(tally, experiment), language=None)


runs = shared_runs()
run = runs.get(Discrepancy, experiment)
period, seconds = runs.pace(state.viewer)
if not state.paused:
    run.kick(seconds)
    if run.tally.samples == 0:
        run.wait(0.2)
idle = run.finished or state.paused
declared = run.finished, state.paused, period
st.fragment(live, run_every=None if idle else period)(experiment, declared)
