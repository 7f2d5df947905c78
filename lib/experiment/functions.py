"""The functions of the derivative study: those of the table, and a visitor's own, which is a row like them.

The name of a visitor's function is its text, and so is that of a derivative by hand. `derivative.formulas` evaluates
the functions in PyTorch and in ball arithmetic.
"""

from dataclasses import replace
from functools import lru_cache

from lib.experiment.expressions import Operation, Variable, on_paper
from lib.experiment.listed_functions import LISTED, Function
from lib.experiment.parser import read
from lib.experiment.textbook import derivative, text

_AND = "; "  # between a function and its derivative; neither has it
BY_RULES = "rules"
"""The name of a derivative by the rules of a textbook, where that is long."""

_LONG = 32  # characters of a formula, beyond which it is called so
_SHORT = 32  # a function of more characters is called f


def named(function: str, df: str) -> str:
    """The name of a function, a listed one or the text of a visitor's own, with a derivative by hand if there is
    one."""
    return _AND.join(filter(None, (function, df)))


def fault(f: str) -> str:
    """Why a visitor's text cannot be differentiated, as the end of a sentence; nothing if it can be."""
    differentiated = [read(f)]
    for part in differentiated:  # it grows
        match part:
            case Variable():
                return ""
            case Operation("ones_like"):
                pass
            case Operation("where", (_, this, that)):
                differentiated += this, that
            case Operation(_, operands):
                differentiated += operands
    return "autograd needs an x to differentiate, which is more than a condition of where"


@lru_cache(maxsize=256)
def rules(f: str) -> str:
    """The derivative of a visitor's text by the rules of a textbook."""
    return text(derivative(read(f)))


@lru_cache(maxsize=256)
def _own(name: str) -> Function:
    """The row of a function with a visitor's texts. Raises ValueError if one cannot be read."""
    function, _, df = name.partition(_AND)
    row = LISTED.get(function) or _of_text(function)
    return replace(row, formulas=tuple(dict.fromkeys(filter(None, (df, *row.formulas)))))


def _of_text(f: str) -> Function:
    by_rules = rules(f)
    long = len(by_rules) > _LONG
    return Function(
        on_paper(f) if len(f) <= _SHORT else "f",
        "your own function",
        f,
        "every x in its domain but for kinks and edges, which ball arithmetic finds",
        (BY_RULES if long else by_rules,),
        autograd="",
        exact="",
        where=f"{BY_RULES} = {by_rules}" if long else "",
    )


class _Functions(dict[str, Function]):
    """The listed functions by name; any other name is that of a row with a visitor's texts."""

    def __missing__(self, name: str) -> Function:
        return _own(name)


FUNCTIONS = _Functions(LISTED)
