"""What the shape of a Jacobian says, pasted alone as `torch.Size([…])`, and what a part of one says around `...`."""

import re

from lib.paste.fingerprint import BATCH, Finding

_ELIDED = re.compile(r"(?<=[ \t,])\.\.\.(?=[\s,\]])[ \t]{0,9},?")
_SIZE = re.compile(r"\s{0,99}(?:torch\.)?Size\(\[([0-9, ]{0,99})\]\)\s{0,99}")


def of_shape(text: str, outputs: int | None = None, inputs: int | None = None) -> Finding | None:
    """Return what a shape says if it is all that was pasted, else None. `outputs` and `inputs` may be known."""
    pasted = _SIZE.fullmatch(text[:300])
    if pasted is None or len(text) > 300:
        return None
    shape = [int(size) for size in re.findall("[0-9]{1,18}", pasted[1])]
    written = " × ".join(map(str, shape))
    if len(shape) == 4 and shape[0] == shape[2] > 1:
        batch, outputs, _, inputs = shape
        return Finding(
            "shape",
            f"A Jacobian of {written} may be that of a whole batch of {batch} samples: {outputs} outputs and {inputs} "
            "inputs each, with a block for every pair of samples, all zero between different samples unless one "
            "influences another, as in batch normalisation.",
            BATCH,
        )
    rows, columns = shape if len(shape) == 2 else (None, None)
    fits = [(outputs in (None, one) and inputs in (None, other)) for one, other in ((rows, columns), (columns, rows))]
    if rows and fits == [False, True]:
        said = f"A Jacobian has a row per output and a column per input: {written} is transposed."
        return Finding("transposed", said, "J = J.mT")
    if rows and fits == [False, False]:
        return Finding("shape", f"Neither {written} nor its transpose has a row per output and a column per input.")
    if len(shape) == 2:
        said = f"A Jacobian of {written} has a row per output, {shape[0]}, and a column per input, {shape[1]}."
    elif len(shape) == 3:
        said = (
            f"A Jacobian of {written} is of a batch: (batch, outputs, inputs) from vmap(jacrev(f))(X), or "
            "(outputs, batch, inputs) if the outputs were summed over the batch first."
        )
    else:
        said = (
            "A Jacobian has the shape of the result, followed by that of the input: a gradient, of one output, has the "
            "shape of the input alone."
        )
    return Finding("shape", said)


def without_gaps(text: str) -> tuple[str, bool]:
    """Return a printed matrix without the `...` that stand for numbers left out, and whether there are any."""
    there = _ELIDED.sub("", text)
    return there, there != text


def of_part(found: list[Finding]) -> list[Finding]:
    """Keep of the findings in a part of a matrix what holds whatever is left out, and say what does not."""
    there = [finding for finding in found if finding.name in ("nan rows", "infinite rows")]
    equal = [finding for finding in found if finding.name == "sum"]
    if equal:
        said = equal[0].sentence
        there.append(Finding("sum", f"In what stands there, {said[0].lower()}{said[1:]}", equal[0].fix))
    return there or [
        Finding(
            "part", "What stands there shows no equal rows or columns, no NaN and no infinity: a part can tell no more."
        )
    ]
