"""What the shape of a Jacobian alone says, pasted as `torch.Size([…])`: its dimensions, and how to get others."""

import re

from lib.paste.fingerprint import Finding

_SIZE = re.compile(r"\s{0,99}(?:torch\.)?Size\(\[([0-9, ]{0,99})\]\)\s{0,99}")

BATCH = """\
J = torch.func.vmap(torch.func.jacrev(f))(X)  # (batch, outputs, inputs)
# or, if the samples do not influence each other
J = torch.autograd.functional.jacobian(lambda X: f(X).sum(0), X)  # (outputs, batch, inputs)"""


def of_shape(text: str) -> Finding | None:
    """Return what a shape says if it is all that was pasted, else None."""
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
