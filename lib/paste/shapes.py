"""What the shape of a Jacobian says, pasted alone as `torch.Size([…])`, and what a part of one says around `...`."""

import re

from lib.display.quantities import counted
from lib.paste.fingerprint import BATCH, Finding
from lib.paste.plain import plain

_ELIDED = re.compile(r"(?<=[ \t,])\.\.\.(?=[\s,\]])[ \t]{0,9},?")
_SIZE = re.compile(
    r"\s{0,99}(?:>>>[^\r\n]{0,100}\r?\n)?\s{0,99}(?:[\w.]{0,60}(?:shape|size)(?:\(\))?[ ]{0,9}[:=]?\s{0,9})?"
    r"(?:(?:torch\.)?Size\(\[(?P<size>[0-9, ]{0,99})\]\)|\((?P<tuple>[0-9]{1,20},[0-9, ]{0,78})\))\s{0,99}"
)


def of_shape(text: str, outputs: int | None = None, inputs: int | None = None) -> Finding | None:
    """Return what a shape says if it is all that was pasted, else None. `outputs` and `inputs` may be known.

    The finding is "fits" unless these numbers are known not to fit.
    """
    pasted = _SIZE.fullmatch(plain(text)) if len(text) <= 500 else None
    if pasted is None:
        return None
    shape = [int(size) for size in re.findall("[0-9]+", pasted["size"] or pasted["tuple"] or "")]
    say = {2: _of_matrix, 3: _of_stack, 4: _of_four}.get(len(shape))
    if say:
        return say(shape, " × ".join(map(str, shape)), outputs, inputs)
    said = "A Jacobian has the shape of the result, followed by that of the input"
    return Finding("fits", f"{said}: a gradient, of one output, has the shape of the input alone.")


def _fits(known: tuple[int | None, ...], rows: int, columns: int) -> bool:
    return known[0] in (None, rows) and known[1] in (None, columns)


def _of_matrix(shape: list[int], written: str, *known: int | None) -> Finding:
    rows, columns = shape
    fits = [_fits(known, rows, columns), _fits(known, columns, rows)]
    if fits == [False, True]:
        said = f"A Jacobian has a row per output and a column per input: {written} is transposed."
        return Finding("transposed", said, "J = J.mT")
    if fits == [False, False]:
        return Finding("shape", f"Neither {written} nor its transpose has a row per output and a column per input.")
    return Finding("fits", f"A Jacobian of {written} has a row per output, {rows}, and a column per input, {columns}.")


def _of_stack(shape: list[int], written: str, *known: int | None) -> Finding:
    first, middle, last = shape
    readings = {
        f"of {counted(first, 'sample')}: (batch, outputs, inputs), as from vmap(jacrev(f))(X)": (middle, last),
        f"of {counted(middle, 'sample')}: (outputs, batch, inputs), as of outputs summed over the batch": (first, last),
        f"of a function of {middle} × {last} matrices": (first, middle * last),
        f"of a function that gives {first} × {middle} matrices": (first * middle, last),
    }
    *others, last_one = [reading for reading, counts in readings.items() if _fits(known, *counts)] or [""]
    if not last_one:
        return Finding("shape", f"{_no_place(written)} of a batch or of matrices.")
    which = f"may be {'; '.join(others)}; or {last_one}" if others else f"is {last_one}"
    return Finding("fits", f"A Jacobian of {written} {which}.")


def _of_four(shape: list[int], written: str, *known: int | None) -> Finding:
    batch, outputs, other, inputs = shape
    of_matrix = _fits(known, batch * outputs, other * inputs)
    if batch == other > 1 and _fits(known, outputs, inputs):
        return Finding(
            "fits",
            f"A Jacobian of {written} may be that of a whole batch of {batch} samples: {outputs} outputs and {inputs} "
            "inputs each, with a block for every pair of samples, all zero between different samples unless one "
            "influences another, as in batch normalisation.",
            BATCH,
        )
    if of_matrix:
        said = f"that of a function from matrices of {other} × {inputs} to matrices of {batch} × {outputs}"
        be = "may be" if None in known else "is"
        return Finding("fits", f"A Jacobian of {written} {be} {said}: their shapes follow each other.")
    return Finding("shape", f"{_no_place(written)} of a whole batch or of matrices.")


def _no_place(written: str) -> str:
    return f"The outputs and inputs that you know have no place in {written}, be it the Jacobian"


def without_gaps(text: str) -> tuple[str, bool]:
    """Return a printed matrix without the `...` that stand for numbers left out, and whether there are any."""
    there = _ELIDED.sub("", text)
    return there, there != text


def of_part(found: list[Finding]) -> list[Finding]:
    """Keep of the findings in a part of a matrix what holds whatever is left out, and say what does not."""
    there = [finding for finding in found if finding.name in ("nan rows", "infinite rows")]
    for finding in found:
        if finding.name in ("sum", "zeros"):
            said = f"In what stands there, {finding.sentence[0].lower()}{finding.sentence[1:]}"
            there.append(Finding(finding.name, said, finding.fix))
    return there or [
        Finding(
            "part",
            "What stands there shows no equal rows or columns, no NaN and no infinity, and not only zeros: a part can "
            "tell no more.",
        )
    ]
