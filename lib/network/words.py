"""What the page needs to say of a method that returns rows, sums or approximations."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Words:
    """How the page speaks of all methods that return the same thing. Texts may contain the number of `{outputs}`.

    `on_paper` says how the two vectors are related in exact arithmetic, `comment` says the same in a script, and
    `reading` explains how to read their difference against the component. `question` asks how the two compare, for the
    method `{label}`. `equal` and `apart` explain why the values are equal or differ, if that needs a reason. `side`
    names the side that is not `backward()`, and `in_short` names it where there is little room. `lean` replaces the
    statement about which side is closer. `ladder` says why the difference need not be proportional to eps, and
    `nonfinite` why a component may be infinite or NaN. `why` and `do` replace the explanations that are written for a
    Jacobian, by question: why the two are "apart", which is "right", where the difference comes from ("there"), and
    which "remedies" exist.
    """

    on_paper: str
    comment: str
    reading: str
    question: str
    equal: str = ""
    apart: str = ""
    side: str = "the Jacobian"
    in_short: str = "jacobian"
    lean: str = ""
    ladder: str = ""
    nonfinite: str = "an intermediate value overflowed the range of the dtype"
    why: dict[str, str] = field(default_factory=dict)
    do: dict[str, str] = field(default_factory=dict)
