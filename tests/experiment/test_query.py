"""What the trust boundary lets through, and the one sentence that it answers otherwise."""

from urllib.parse import parse_qsl, quote_plus, urlencode

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lib.experiment.presets import PRESETS
from lib.experiment.query import FIELDS, Experiment, QueryError

DEFAULTS = dict(
    parse_qsl(
        "inputs=5&hidden=10&outputs=2&activation=relu&output_activation=sigmoid&dtype=float32"
        "&device=cpu&method=functional&evaluation=per-sample&distribution=uniform&samples=5000"
        "&seed=0&function=reciprocal&x_from=normal&networks=one&matmul=default&step="
        "&gradient=backward&f=&df=",
        keep_blank_values=True,
    )
)
RANGES = {"inputs": (1, 4096), "outputs": (1, 256), "samples": (1, 10**9), "seed": (0, 2**31 - 1)}
NAMES = {
    "activation": "identity relu leaky_relu elu gelu silu softplus tanh sigmoid",
    "output_activation": "identity relu leaky_relu elu gelu silu softplus tanh sigmoid softmax",
    "dtype": "float64 float32 bfloat16 float16",
    "device": "cpu cuda mps",
    "method": "functional functional-vectorized functional-forward jacrev jacfwd rows "
    "batched-grad copies summed-output single-call finite-difference",
    "evaluation": "per-sample batched",
    "distribution": "uniform normal",
    "function": "reciprocal ones-over-x sqrt exp log tanh sigmoid softplus gelu abs relu square",
    "x_from": "normal uniform log-uniform",
    "networks": "one each-block",
    "matmul": "default tf32 full",
    "gradient": "backward method",
}
"""The contract in the words of links that people have already sent, not read from the tables."""

OWN = ["", "x*tanh(softplus(x))", "where(x > 0, torch.log(x), -x)", "1/(1 + exp(-x))", "x**-0.5 "]
"""Texts of visitors' functions."""

chosen_fields = st.fixed_dictionaries(
    {},
    optional={
        **{field: st.integers(low, high) for field, (low, high) in RANGES.items()},
        "hidden": st.lists(st.integers(1, 300) | st.integers(1, 4096), max_size=6).map(tuple),
        **{field: st.sampled_from(names.split()) for field, names in NAMES.items()},
        "step": st.none() | st.integers(-60, 16),
        "f": st.sampled_from(OWN),
        "df": st.sampled_from(OWN),
    },
)
"""Any values within the bounds of their fields, for any of the fields."""


def costs(inputs=5, hidden=(10,), outputs=2, **_):
    """What the shape of a network costs, and the most that is allowed."""
    widths = [inputs, *hidden, outputs]
    parameters = sum((a + 1) * b for a, b in zip(widths, widths[1:], strict=False))
    return {
        "parameters × outputs": (parameters * outputs, 6_000_000),
        "parameters × inputs": (parameters * inputs, 400_000_000),
        "widest layer × outputs": (max(widths) * outputs, 65_536),
    }


def fault(make, *arguments, **fields):
    """The message of the QueryError, which is one sentence on one short line but for its quote."""
    with pytest.raises(QueryError) as caught:
        make(*arguments, **fields)
    message = str(caught.value)
    assert message.isprintable() and message.endswith(".") and len(message) < 350
    assert ". " not in message.replace(caught.value.shown, "")
    return message


def test_the_empty_query_is_the_first_post():
    first = Experiment()
    assert Experiment.parse("") == first == next(iter(PRESETS.values()))
    assert [(name, first.text(name)) for name in first.to_dict()] == [*DEFAULTS.items()]
    assert list(FIELDS) == list(DEFAULTS)


@pytest.mark.parametrize("field", RANGES)
def test_a_range_allows_its_ends_and_nothing_beyond(field):
    low, high = RANGES[field]
    others = {"inputs": "hidden=&outputs=1", "outputs": "hidden=&inputs=1"}
    for value in (low, high):
        query = f"{field}={value}&{others.get(field, 'evaluation=batched')}"
        assert getattr(Experiment.parse(query), field) == value
    allowed = f"is not allowed: it must be a whole number from {low} to {high}."
    for value in (low - 1, high + 1):
        assert fault(Experiment.parse, f"{field}={value}") == f"{field} = '{value}' {allowed}"
        assert fault(Experiment, **{field: value}) == f"{field} = {value} {allowed}"


@pytest.mark.parametrize("field", NAMES)
def test_a_choice_allows_its_names_and_nothing_else(field):
    names = NAMES[field].split()
    for text in ("", names[0].upper(), names[0] + " ", "0"):
        message = fault(Experiment.parse, f"{field}={quote_plus(text)}")
        allowed = f"it must be one of {', '.join(names)}."
        assert message == f"{field} = '{text}' is not allowed: {allowed}"


REFUSED = {
    "hidden": "0|4097|1,1,1,1,1,1,1|5,|5;5|5, 5",
    "step": "-61|17|0.5|--1|-|None",
    "seed": " 5|+5|-5|5.0|1_000|5\n|٥|²",
    "layers": "7 x 3|7||0 3|5 4097 2|5 10 257|1 1 1 1 1 1 1 1 1|5 -1 2",
}


@pytest.mark.parametrize("field", REFUSED)
def test_other_texts_are_refused(field):
    for text in REFUSED[field].split("|"):
        message = fault(Experiment.parse, urlencode({field: text}))
        assert message.startswith(f"{field} = {text!r} is not allowed: ")


@settings(max_examples=200)
@given(chosen_fields)
@example({"inputs": 257, "hidden": (1,), "outputs": 256})
@example({"hidden": (201, 230, 156), "outputs": 64})
@example({"hidden": (208, 167, 248), "outputs": 64})
@example({"inputs": 4096, "hidden": (23,), "outputs": 1})
@example({"inputs": 4096, "hidden": (24,), "outputs": 1})
@example({"inputs": 256, "hidden": (1,), "outputs": 256})
def test_an_experiment_is_what_its_query_says(chosen):
    """Only costs bound it."""
    over = [(name, *cost) for name, cost in costs(**chosen).items() if cost[0] > cost[1]]
    if over:
        name, cost, most = over[0]
        product = f"inputs, hidden and outputs make {name} = {cost:,}"
        allowed = f"which is not allowed: it must be at most {most:,}."
        assert fault(Experiment, **chosen) == f"{product}, {allowed}"
        return
    experiment = Experiment(**chosen)
    pairs = parse_qsl(experiment.query, keep_blank_values=True)
    assert pairs == list(experiment.pairs().items())
    changed = [key for key, value in DEFAULTS.items() if experiment.text(key) != value]
    assert [key for key, _ in pairs] == changed
    assert Experiment.parse(experiment.query) == Experiment.from_pairs(pairs) == experiment
    assert Experiment(**experiment.to_dict()) == experiment and hash(experiment)


def test_a_query_may_be_a_link_which_may_have_other_keys():
    for query in (
        *("?seed=003&inputs=5", "%73eed=%33&hidden=10", "?seed=3&imputs=4"),
        *("HTTP://[::1]:8501?seed=3", "http://localhost/?seed=3#" + "x" * (4096 - 25)),
        "https://example.org/?utm_source=x&tab=y&seed=3&utm_source=z&g=1",
    ):
        assert Experiment.parse(query) == Experiment(seed=3)


@pytest.mark.parametrize(
    "query, message",
    [
        (
            "seed=1&%73eed=1",
            "seed = '1' is a second value for this key: each key may appear only once.",
        ),
        ("layers=7+3&inputs=7", "inputs = '7' is a second value for this key"),
        ("seed", "The query 'seed' is not key=value pairs joined by &."),
        ("sede=1", "'sede' is not a key of the query: the closest one is seed."),
        ("http://[::1?seed=3", "The address 'http://[::1?seed=3' is not a URL."),
        ("http://a\u2100b/?seed=1", "The address "),
        ("hidden=\ud800", "hidden = "),
        ("seed=" + "1" * 4092, "The query has 4,097 characters; at most 4,096 are allowed."),
        ("dtype=" + "x" * 99, f"dtype = '{'x' * 56}… is not allowed: it must be one of float64, "),
    ],
)
def test_a_faulty_query_is_told_what_is_wrong(query, message):
    assert fault(Experiment.parse, query).startswith(message)


def test_the_constructor_refuses_wrong_types():
    for field, value in (
        *(("inputs", 5.0), ("outputs", None), ("seed", True), ("hidden", [10])),
        *(("hidden", (4, None)), ("method", ["functional"]), ("seed", 10**5000)),
    ):
        message = fault(Experiment, **{field: value})
        assert message.startswith(f"{field} = ") and " is not allowed: it must be " in message


def test_layer_sizes_are_three_fields():
    for text in ("7 8 9 3", "7,8,9,3", "7 → 8 → 9 → 3", "7-8-9-3", "7 -> 8->9; 3"):
        query = urlencode({"layers": text, "seed": 3})
        assert Experiment.parse(query) == Experiment(inputs=7, hidden=(8, 9), outputs=3, seed=3)
