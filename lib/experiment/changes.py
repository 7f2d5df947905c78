"""What a former experiment was, in few words: those of its choices that the present one does not share."""

from lib.experiment.expressions import on_paper
from lib.experiment.query import FIELDS, Experiment

_SHAPE = ("inputs", "hidden", "outputs")
_MOST_WORDS = 3  # choices that a name holds before it says that there are more


def what_it_was(former: Experiment, present: Experiment) -> str:
    """Return the name of a former experiment beside the present one, such as "dtype float64" or "5 → 20 → 2, seed 3".

    The name is empty if they are equal.
    """
    changed = [name for name in FIELDS if getattr(former, name) != getattr(present, name)]
    words = [" → ".join(map(str, former.widths))] if set(changed) & set(_SHAPE) else []
    words += [f"{name.replace('_', ' ')} {_value(former, name)}" for name in changed if name not in _SHAPE]
    return ", ".join(words[:_MOST_WORDS]) + (", …" if len(words) > _MOST_WORDS else "")


def _value(former: Experiment, name: str) -> str:
    value = getattr(former, name)
    if isinstance(value, int):
        return f"{value:,}"
    row = FIELDS[name].table.get(value)
    return row.label if row else on_paper(former.text(name)) or "as usual"
