"""What no reader would send: malformed links, and states of controls that no browser has."""

from urllib.parse import urlencode

from streamlit.proto.Common_pb2 import DoubleArray, SInt64Array, StringArray
from streamlit.proto.WidgetStates_pb2 import WidgetState

from lib.experiment.query import FIELDS
from tests.visitor import events_of

# of other scripts, and marks
_DIGITS = ["٣", "५", "５", "Ⅴ", "²", "1\u200b0", "\u202e5"]
_MARKUP = [
    "<script>alert(1)</script>",
    "![x](https://example.org/x.png)",
    "[x](javascript:alert(1))",
    "`*_~$x$:red[x]",
]
_CODE = [
    "__import__('os')",
    "{{7*7}}",
    "'; DROP TABLE runs; --",
    "%s%n",
    "lambda: 0",
    "\x00\x07\r\n",
]
_TEXTS = [
    *"five|NaN|relu |Relu|ｒｅｌｕ|😀|9**9**9|1/0*x|#x|x\nx".split("|"),
    *("9" * 4500, "relu" * 1000, "(" * 150, "x+" * 99 + "x"),
    *_DIGITS,
    *_MARKUP,
    *_CODE,
]
_TOO_MUCH = [
    "inputs=64&hidden=256,256,256,256,256,256&outputs=64",
    "hidden=256,256,256&outputs=64",
    "hidden=256,256,256,256,256,256&outputs=32&samples=1000000000",
    "hidden=" + ",".join(["256"] * 1000),
    *("&".join(f"seed={n}" for n in range(count)) for count in (999, 5000)),
    "&".join(f"a{n}=1" for n in range(5000)),
    "x=" + "a" * 600_000,
    "seed=" + "%31" * 1300,
]
_MALFORMED = [
    *"= & seed seed&inputs seed==5 %zz=1 seed=%ED%A0%80 seed=1;inputs=2 seed=1#inputs=2".split(),
    *("seed%00=1", "SEED=1", "seed =1"),
]

QUERIES = [
    *(urlencode({name: text}) for name in FIELDS for text in _TEXTS),
    *(f"{name}=1&x=1&{name}=2" for name in FIELDS),
    *_TOO_MUCH,
    *_MALFORMED,
]
"""Malformed and greedy queries; some are harmless, such as those whose keys are not ours."""

GREEDY = [
    "inputs=64&hidden=256,256,256&outputs=36&method=jacfwd&dtype=float64",
    "hidden=256,256,256,256,256,256&outputs=17&evaluation=batched",
    "inputs=784&hidden=512&outputs=10&activation=gelu&evaluation=batched&method=finite-difference",
]
"""Experiments that are allowed, and are as much work as one can be."""

NO_EXPRESSIONS = [
    *(character * 10**6 for character in "x(9\u0445"),
    "-" * 10**6 + "x",
    *("(" * 200, "-" * 200, "x" + "**2" * 66, "9**9**9", "x**9**9**9"),
    *("lambda x: x", "f'{x}'", "(x := 1)", "[x for x in x]", "x.__class__"),
]
"""Texts in place of a function of x: greedy ones, and those that Python would run."""

VIEW_KEYS = frozenset(
    (
        "batch batch_component batch_sample batch_why case costs exact "
        "example_x explain first fixes formula formulas numbers numbers_dtype "
        "paste remedies small tab trace_component trace_sample unsafe"
    ).split()
)
"""Keys of the address that say what a visitor looks at."""

_VIEW_TEXTS = ["", "-1", "NaN", "inf", "1e999", "２", "9" * 400, "x" * 4000, _MARKUP[0]]
VIEWS = [urlencode(dict.fromkeys(sorted(VIEW_KEYS - {"tab"}), text)) for text in _VIEW_TEXTS]
VIEWS += [f"{view}&{view}" for view in VIEWS[:2]]
"""Links to an experiment, but to no part of the page that there is."""


def states(control):
    """A control in states of the kinds that its page has; most are not its own."""
    for text in ("", "x", "-1", "NaN", "9" * 400, "\x00", "<script>" * 20_000):
        yield WidgetState(id=control, string_value=text)
        yield WidgetState(id=control, json_value=text)
        yield WidgetState(id=control, json_trigger_value=text)
    for number in (float("nan"), float("inf"), 1e300, -3.5):
        yield WidgetState(id=control, double_value=number)
        yield WidgetState(id=control, double_array_value=DoubleArray(data=[number, 0]))
    for whole in (2**63 - 1, -(2**63), 7, -1):
        yield WidgetState(id=control, int_value=whole)
    for numbers in ([], [99, -5], list(range(10_000))):
        yield WidgetState(id=control, int_array_value=SInt64Array(data=numbers))
        yield WidgetState(id=control, string_array_value=StringArray(data=map(str, numbers)))
    yield WidgetState(id=control, bool_value=True)
    yield WidgetState(id=control, trigger_value=True)
    yield WidgetState(id=control)


def picks(drawing):
    """A drawing in which something is picked that it has not, in the form that a browser sends."""
    values = 'null true [1] {} Infinity NaN 2.5 -99 [0,1e999] [9,-1] "x"'.split()
    for value in [*values, "9" * 400]:
        events = [f'{{"event": "{event}", "value": {value}}}' for event in ("pick", "tick", "text")]
        yield WidgetState(id=events_of(drawing), json_trigger_value=f"[{', '.join(events)}]")


FRAMES = [b"", b"\x00", b"\xff" * 100, "text", b"\x0a\xff\xff\xff\x7f"]
"""Frames of the WebSocket that are no message of the protocol."""

_PARTS = [
    *"a:|a |1 |1\n|a 1 |(a|(1|((|[1]|[1] |x[1]|step |step 1|index |1:|1..|± |(1,2) |tensor(".split(
        "|"
    ),
    *"tensor([1],dtype=|dtype=float32 |dtype=float7 |<a|`|**|->|-|1 + |٣|…|...|a...|'|0x|1e".split(
        "|"
    ),
    *"nan |up to 1 |{|]|1,|(1 difference)|np.float32(|1 a|_|*1*|[2]: 1\n|1 (a) |size=(".split("|"),
    *"torch.Size([|1 / |1%|1.2.3 |−|( |(  [|\t|\r|\ud800|\x00".split("|"),
    *(f"{markup} 1 " for markup in _MARKUP),
    *_CODE,
    *_DIGITS,
]
PASTES = ["1" * 10**6, "[" * 10**6, *(part * (30_000 // len(part)) for part in _PARTS)]
PASTES += ["a: 0e9999999999\na: 1.5", "1e" + "0" * 5000, "torch.Size([nan, 2])"]
PASTES += [before + part * 300 for part in _PARTS for before in ("[", "1 ", "tensor(")]
"""Pasted numbers that are none, or far too many, or that lead a pattern astray."""
