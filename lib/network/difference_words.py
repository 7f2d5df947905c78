"""How the page speaks of finite differences, which only approximate the gradient unless nothing is truncated."""

from dataclasses import replace

from lib.network.words import Words

APPROXIMATION = Words(
    on_paper="On paper finite differences only approximate the gradient.",
    comment="the second only approximates the first",
    reading="The error of a finite difference depends on the step and on the size of the outputs, not on the "
    "size of the component or of its terms. The dashed line is for rounding: on it the number of floats equals "
    "the condition number S/|g|, the sum of the sizes of all terms over the size of their sum.",
    question="How far from backward() are finite differences",
    apart="finite differences only approximate the gradient",
    ladder="Finite differences have a truncation error besides, which is not proportional to eps.{with_eps}",
    side="the finite difference",
    in_short="differences",
    lean="This is not a lean between two ways of rounding: finite differences also have a truncation error and "
    "lose digits to cancellation.",
    nonfinite="x + h rounded to x, so the step was 0 and the quotient 0/0, or an intermediate value overflowed "
    "the range of the dtype",
    why={
        "apart": "A central difference has two errors. It truncates the Taylor series of the network, which "
        "costs about h², and it subtracts two rounded outputs that are nearly equal, which costs about u/h by "
        "cancellation. A long step suffers more from the first, a short one from the second.",
        "right": "`backward()` applies the chain rule, and its only errors are those of rounding. A "
        "finite difference rounds too, truncates the Taylor series, and loses digits to cancellation: even with "
        "the best step, usually a third of all digits.",
        "there": "A finite difference makes no backward pass: for each component it evaluates the network at two "
        "points and subtracts. So no operation of `backward()` has a counterpart in it.",
        "remedies": "No step makes finite differences and `backward()` round alike, and on paper the two are "
        "different numbers.",
    },
    do={
        "apart": "Use finite differences to check a gradient, in float64 and with a tolerance, as "
        "`gradcheck` does. To compute one, use autograd.",
        "right": "Trust `backward()`. Finite differences can confirm about two thirds of its digits: they "
        "are a check, not a reference.",
        "remedies": "Choose the step where truncation and cancellation balance: the section *Which step?* "
        "has the curve. Or compute in a wider dtype, or use autograd: the remedies below that replace the "
        "method leave at most rounding errors.",
    },
)
"""The words for finite differences of a network whose Taylor series is truncated."""

LINEAR = replace(
    APPROXIMATION,
    on_paper="On paper finite differences are equal to the gradient here, as {linear}.",
    comment="on paper they are equal, as {linear}",
    apart="finite differences lose digits to cancellation",
    ladder="{with_eps}",
    lean="This is not a lean between two ways of rounding one sum: finite differences lose digits to cancellation.",
    why=APPROXIMATION.why
    | {
        "apart": "A central difference subtracts two rounded outputs that are nearly equal, which costs about u/h by "
        "cancellation. Nothing is truncated, as {linear}: a longer step costs fewer digits.",
        "right": "`backward()` applies the chain rule, and its only errors are those of rounding. A finite difference "
        "rounds too, and loses digits to cancellation; nothing is truncated, as {linear}.",
        "remedies": "On paper the two are equal, as {linear}. But no step makes finite differences "
        "and `backward()` round alike.",
    },
    do=APPROXIMATION.do
    | {
        "right": "Trust `backward()`. Finite differences are a check, not a reference.",
        "remedies": "Choose a longer step: the section *Which step?* has the curve. Or compute in a "
        "wider dtype, or use autograd: the remedies below that replace the method leave at most rounding errors.",
    },
)
"""The words for finite differences if the sum of the outputs is linear in x, so nothing is truncated."""

BETWEEN_KINKS = replace(
    APPROXIMATION,
    on_paper="On paper finite differences are equal to the gradient here, unless the step crosses a kink: the network "
    "is linear in x between its kinks.",
    comment="on paper they are equal, unless the step crosses a kink",
    apart="finite differences lose digits to cancellation, and err where the step crosses a kink",
    ladder="Where the step crosses a kink, the error of finite differences is not proportional to eps.{with_eps}",
    lean="This is not a lean between two ways of rounding one sum: finite differences lose digits to cancellation, and "
    "err where the step crosses a kink.",
    why=APPROXIMATION.why
    | {
        "apart": "A central difference subtracts two rounded outputs that are nearly equal, which costs about u/h by "
        "cancellation. Between its kinks the network is linear in x, so nothing is truncated there. Where the step "
        "crosses a kink, the difference mixes the slopes of both sides: the longer the step, the more often.",
        "right": "`backward()` applies the chain rule, and its only errors are those of rounding. A finite difference "
        "rounds too, loses digits to cancellation, and mixes two slopes where its step crosses a kink.",
        "remedies": "No step makes finite differences and `backward()` round alike, and where a step crosses a kink "
        "the two are different numbers on paper.",
    },
    do=APPROXIMATION.do
    | {
        "right": LINEAR.do["right"],
        "remedies": "Choose a step long enough for cancellation and short enough for the kinks: the section *Which "
        "step?* has the curve. Or compute in a wider dtype, or use autograd: the remedies below that replace the "
        "method leave at most rounding errors.",
    },
)
"""The words for finite differences if the network is linear in x between its kinks."""
