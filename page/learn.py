"""Why: beside each section, in a few sentences for a reader who is new to floats, and what to do about it."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

_DOCUMENTATION = "https://docs.pytorch.org/docs/stable/"


@dataclass(frozen=True)
class Why:
    """`why` has one formula at most; `api` is what it speaks of, by the name of the page in PyTorch's documentation."""

    why: str
    do: str
    api: Mapping[str, str]

    @property
    def markdown(self) -> str:
        links = ", ".join(f"[{name}]({_DOCUMENTATION}{page})" for name, page in self.api.items())
        return f"**Why?** {self.why}\n\n**What to do:** {self.do} PyTorch's documentation: {links}."


WHY = {
    "how-far-apart": Why(
        "Floats are a fixed set of numbers, and after every addition the sum is rounded to the nearest of them. So "
        "another order of adding may end on another float: (a + b) + c is not always a + (b + c). `backward()` adds up "
        "what the outputs send back on the way; a Jacobian keeps a row for each output, and the rows are added last.",
        "Nothing is broken. Expect a few last bits to differ, and do not compare gradients with `==`.",
        {
            "Tensor.backward": "generated/torch.Tensor.backward.html",
            "functional.jacobian": "generated/torch.autograd.functional.jacobian.html",
        },
    ),
    "which-is-right": Why(
        "Each of the two rounds at every step, so each is a little off, and by chance one is a little less so. How far "
        "rounding alone can carry is known beforehand: at most m roundings of u·S each, where u is half the distance "
        "from 1 to the next float, and S adds up the sizes of all terms.",
        "Trust neither beyond its last few bits. Who needs more computes in float64 and rounds once, at the end.",
        {"finfo": "type_info.html#torch.torch.finfo"},
    ),
    "where-from": Why(
        "`backward()` adds up what all outputs send back, and goes on with the sum. The Jacobian goes back once for "
        "each output, and adds up at the end. The terms are the same, the order is not: below is every operation of "
        "one component.",
        "Look for the first operation in which the two part. Up to there every bit is the same.",
        {"numerical accuracy": "notes/numerical_accuracy.html"},
    ),
    "remedies": Why(
        "Two results that were rounded on different ways can only agree by chance, or if both do the same additions in "
        "the same order.",
        "You need not do anything: neither value is more right than the other. Compare with a tolerance, as PyTorch's "
        "own tests do. Where equal bits are wanted, make both sides do the same additions, or round only once.",
        {
            "assert_close": "testing.html#torch.testing.assert_close",
            "gradcheck": "generated/torch.autograd.gradcheck.gradcheck.html",
        },
    ),
    "why-the-sum": Why(
        "Gradients flow from the outputs back to the leaf, and where paths meet they are added. All outputs were "
        "computed from the one x, so at x all rows are added; however often x is asked for, that sum is all it has.",
        "Go back once for each row, in a loop or with `is_grads_batched=True`; or give each output a leaf of its own "
        "*before* the forward pass: a copy made after it is not in the graph.",
        {"torch.autograd.grad": "generated/torch.autograd.grad.html"},
    ),
    "by-hand": Why(
        "Formulas that are equal on paper round at different steps, and so end on different floats. Autograd is not "
        "wrong: it computes one of them, for 1/x it is −(1/x)·(1/x), which rounds 1/x and then squares what is off.",
        "Do not test your formula for equality with autograd's; allow some ulps. And mind saturation, which is far "
        "larger than any order of operations: where tanh rounds to 1, 1 − tanh² is 0, and no digit of that is right.",
        {"how autograd works": "notes/autograd.html"},
    ),
    "check-your-own-numbers": Why(
        "What is printed is not what is stored: PyTorch prints four digits, and a float32 has about seven. So two "
        "numbers may look alike and differ, and a printed number stands for many floats.",
        "Print more digits before you compare, nine for float32 and seventeen for float64, or print the difference.",
        {"set_printoptions": "generated/torch.set_printoptions.html"},
    ),
}
"""By the anchor of the section's header."""


def show(section: str, more: str = "") -> None:
    st.markdown(f"{WHY[section].markdown}\n\n{more}")
