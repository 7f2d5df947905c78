"""The page's own numbers: an example at once, what is pasted instead, and the sentence where that cannot be read."""

from streamlit.testing.v1 import AppTest

from lib.page.discrepancy import largest, longest, share_of_equal
from lib.page.numbers import EXAMPLES
from tests.server import ROOT
from tests.states import FOUND

PAGE = ROOT / "streamlit_app.py"
LEAST = "no float lies between the two"


def verdict(at: AppTest) -> str:
    assert not at.exception
    (said, *_) = [heading.value for heading in at.main.subheader]
    return said


def test_examples_pasted_numbers_and_bad_ones():
    at = AppTest.from_file(PAGE, default_timeout=60)
    at.query_params["tab"] = "Check your own"
    assert verdict(at.run()) == f"`9.3132e-10` is `2^-30`, exactly one ulp of `-0.0086`: {LEAST}."
    assert at.text_area(key="pasted_numbers").placeholder == EXAMPLES["a post's component"]

    for example in EXAMPLES:
        at.button_group(key="numbers").set_value(example)
        assert verdict(at.run()).endswith(".")
    assert "exactly one ulp of `0.0514`" in verdict(at)

    at.text_area(key="pasted_numbers").set_value("0.5 0.5039")
    at.button_group(key="numbers_dtype").set_value("bfloat16")
    assert verdict(at.run()) == f"`0.0039062` is `2^-8`, exactly one ulp of `0.5`: {LEAST}."

    at.text_area(key="pasted_numbers").set_value("2049 at index (0, 1)\ndtype=float16")
    at.run()
    named = "The paste names float16, so its numbers are read as that, whichever dtype was chosen."
    assert not at.exception and named in [caption.value for caption in at.main.caption]

    at.text_area(key="pasted_numbers").set_value("[1, ..., 2]")
    at.run()
    assert [error.value for error in at.error] == [
        r"Numbers are left out at ` ... `: print it all, after torch.set_printoptions(threshold=10\*\*6) or "
        r"np.set_printoptions(threshold=10\*\*6)."
    ]

    at.text_area(key="pasted_numbers").set_value("[1, `x`]")
    at.run()
    assert not at.exception and not any(LEAST in heading.value for heading in at.main.subheader)
    assert [error.value for error in at.error] == [
        "`` `x` `` is not a number: only lists of numbers and printed tensors or arrays can be read."
    ]


def test_where_nothing_is_finite_the_figures_are_dashes():
    nothing = FOUND["none finite"].tally()
    assert [share_of_equal(nothing), largest(nothing), longest(nothing)] == ["–"] * 3
    equal = FOUND["equal"].tally()
    assert [share_of_equal(equal), largest(equal), longest(equal)] == ["100%", "0", "0 ulp"]
