"""What a matrix reveals about how it was computed: the fingerprints that common mistakes leave on a Jacobian.

A fingerprint is a row of the table `FINGERPRINTS`: where it shows, what it means, and the lines of code that fix it. A
fingerprint is no proof: the sentences say what else leaves the same traces. Rows and samples count from 0, as in code.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lib.display.quantities import listed
from lib.paste.matrix import PastedMatrix


@dataclass(frozen=True)
class Finding:
    """A fingerprint found: its name, a sentence that says what it means, and Python lines that fix it, or ""."""

    name: str
    sentence: str
    fix: str = ""


@dataclass(frozen=True)
class Fingerprint:
    """A fingerprint. `where` returns a mask of shape (samples, rows), or one truth value for the whole matrix."""

    name: str
    where: Callable[[PastedMatrix], np.ndarray | bool]
    sentence: str
    fix: str = ""

    def finding(self, pasted: PastedMatrix) -> Finding | None:
        where = self.where(pasted)
        if not np.any(where):
            return None
        samples, height, width = pasted.samples.shape
        words = {"height": height, "width": width, "batch": len(pasted.matrix)}
        words |= {"size": "{} × {}".format(*pasted.laid_out.shape[1:]), "function": _function(pasted)}
        if isinstance(where, bool):
            return Finding(self.name, self.sentence.format(**words), self.fix)
        shows = np.flatnonzero(where.any(1))
        said = self.sentence.format(**words, rows=_rows(where[shows[0]]))
        if pasted.transposed:
            said = f"After transposing, {said[0].lower()}{said[1:]}"
        if samples > 1:
            first = f"first in sample {shows[0]} (counted from 0)"
            said = f"In {len(shows)} of {samples} samples, {first}: {said[0].lower()}{said[1:]}"
        return Finding(self.name, said, self.fix)


def findings(matrix: np.ndarray, outputs: int | None = None, inputs: int | None = None) -> list[Finding]:
    """Return the fingerprints in a matrix of 2 to 4 dimensions, the most important first, or the finding "none".

    The shape is checked against `outputs` and `inputs` if they are known. Three dimensions are (batch, outputs, inputs)
    or (outputs, batch, inputs), four are (batch, outputs, batch, inputs), unless the function takes or gives matrices.
    """
    pasted = PastedMatrix(matrix, outputs, inputs)
    found = [finding for fingerprint in FINGERPRINTS if (finding := fingerprint.finding(pasted))]
    if all(finding.name == "shape" for finding in found):
        shape = "no transposed shape, " if (outputs, inputs) != (None, None) and not found else ""
        none = NONE.format(shape=shape)
        found.append(Finding("none", f"Apart from its shape, {none[0].lower()}{none[1:]}" if found else none))
    return found


def _function(pasted: PastedMatrix) -> str:
    """Describe the function whose Jacobian the matrix is supposed to be."""
    counts = {"output": pasted.outputs, "input": pasted.inputs}
    said = [f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items() if count is not None]
    return f"a function of {listed(said)}" if said else "a function"


def _rows(rows: np.ndarray) -> str:
    """List row numbers in words, only the first few if there are many."""
    if rows.all() and len(rows) > 1:
        return f"all {len(rows)} rows"
    numbers = [str(number) for number in np.flatnonzero(rows)]
    if len(numbers) > 9:
        numbers[8:] = [f"{len(numbers) - 8} more"]
    return f"row{'s' if len(numbers) > 1 else ''} {listed(numbers)} (counted from 0)"


def _equal_rows(pasted: PastedMatrix) -> np.ndarray:
    return _equal(pasted.samples, axis=1) & (pasted.samples.shape[1] > 1)


def _equal_columns(pasted: PastedMatrix) -> np.ndarray:
    return _equal(pasted.samples, axis=2) & (min(pasted.samples.shape[1:]) > 1) & ~_equal_rows(pasted)


def _equal_numbers(pasted: PastedMatrix) -> np.ndarray:
    one_row = pasted.samples.shape[1] == 1 < pasted.samples.shape[2] and pasted.outputs != 1
    return _equal(pasted.samples, axis=2) & one_row


def _equal(samples: np.ndarray, axis: int) -> np.ndarray:
    """Return the mask of the rows of samples that are the same along the axis, finite, and not all zero."""
    same = (samples == samples.take([0], axis)) & np.isfinite(samples)
    return _throughout(same.all(2)) & (samples != 0).any((1, 2))[:, None]


def _zeros(pasted: PastedMatrix) -> np.ndarray:
    return _throughout((pasted.samples == 0).all(2))


def _zero_rows(pasted: PastedMatrix) -> np.ndarray:
    return (pasted.samples == 0).all(2) & ~_zeros(pasted)


def _throughout(rows: np.ndarray) -> np.ndarray:
    """Keep in the mask only the samples all of whose rows are in it."""
    return rows & rows.all(1, keepdims=True)


ONE_JACOBIAN = """\
J = torch.autograd.functional.jacobian(f, x)
# or one grad call per row
J = torch.stack([torch.autograd.grad(y_i, x, retain_graph=True)[0] for y_i in f(x)])
# or one call for all rows that keeps them apart
y = f(x)
J = torch.autograd.grad(y, x, torch.eye(len(y)).to(y), is_grads_batched=True)[0]"""

STRICT = "J = torch.autograd.functional.jacobian(f, x, strict=True)  # an error where f(x) does not depend on x"

ANOMALY = """\
with torch.autograd.detect_anomaly():  # the error names the operation whose derivative is NaN
    J = torch.autograd.functional.jacobian(f, x)"""

BATCH = """\
J = torch.func.vmap(torch.func.jacrev(f))(X)  # (batch, outputs, inputs)
# or, if the samples do not influence each other
J = torch.autograd.functional.jacobian(lambda X: f(X).sum(0), X)  # (outputs, batch, inputs)"""

DIAGONAL = f"""\
J = J.diagonal(dim1=0, dim2=2).movedim(-1, 0)  # (batch, outputs, inputs)
# or without the zeros
{BATCH}"""

PITFALL = "what a single torch.autograd.grad call with repeated inputs gives, where each row is the sum of all rows"

NONE = (
    "No known fault shows: no equal rows or columns, no row of zeros, no NaN or infinity, {shape}no "
    "whole batch; that does not prove the numbers right."
)

FINGERPRINTS = (
    Fingerprint(
        "sum",
        _equal_rows,
        f"All {{height}} rows are equal: that is {PITFALL}, unless the outputs really are one and the same function.",
        ONE_JACOBIAN,
    ),
    Fingerprint(
        "sum",
        _equal_columns,
        f"All {{width}} columns are equal: that is {PITFALL}, when its rows are stacked as columns (along the last "
        "dimension), unless the function really depends on the sum of its inputs only.",
        ONE_JACOBIAN,
    ),
    Fingerprint(
        "sum",
        _equal_numbers,
        f"All {{width}} numbers of the only row are equal: if x is a single number, that is {PITFALL}; of a "
        "gradient, it means that the function depends on the sum of its inputs only.",
        ONE_JACOBIAN,
    ),
    Fingerprint(
        "zeros",
        _zeros,
        "All numbers are zero: perhaps the function ignores its argument, detach(), item(), numpy() or torch.tensor(…) "
        "cuts the graph, grad gets copies of x made after the forward pass, all rows of a softmax are summed, or all "
        "ReLUs are off or all sigmoids flat.",
        STRICT,
    ),
    Fingerprint(
        "nan rows",
        lambda pasted: np.isnan(pasted.samples).any(2),
        "There is NaN in {rows}: possible causes are 0/0, inf − inf, 0 · inf (the square root of a square at 0) and "
        "the square root of a negative number; torch.where does not keep NaN out, since both of its branches are "
        "differentiated and 0 · NaN is NaN.",
        ANOMALY,
    ),
    Fingerprint(
        "infinite rows",
        lambda pasted: np.isinf(pasted.samples).any(2),
        "There are infinities in {rows}: possible causes are a division by 0, a square root or logarithm at 0, and "
        "numbers beyond the range of the dtype, which ends at 65,504 in float16.",
    ),
    Fingerprint(
        "batch",
        lambda pasted: pasted.of_batch and not pasted.mixed,
        "If this is the Jacobian of a whole batch of {batch}, its samples do not influence each other: all blocks "
        "between different samples are zero, and the diagonal blocks, one per sample, are the Jacobians you want; a "
        "function of a single matrix that treats each row by itself leaves the same zeros.",
        DIAGONAL,
    ),
    Fingerprint(
        "batch mixed",
        lambda pasted: pasted.of_batch and pasted.mixed,
        "If this is the Jacobian of a whole batch of {batch}, its samples influence each other, as in batch "
        "normalisation: blocks between different samples are not zero, so no sample has a Jacobian of its own.",
    ),
    Fingerprint(
        "transposed",
        lambda pasted: pasted.transposed,
        "The matrix is transposed: it is {size}, and the Jacobian of {function} has a row per output and a column per "
        "input.",
        "J = J.mT",
    ),
    Fingerprint(
        "zero rows",
        _zero_rows,
        "There are only zeros in {rows}: no input changes that output here; that need not be wrong, as a ReLU may be "
        "off or a sigmoid flat.",
    ),
    Fingerprint(
        "one row",
        lambda pasted: pasted.samples.shape[1] == 1 and pasted.outputs == 1,
        "There is only one row, which is its own sum, so there is no telling whether rows were summed.",
    ),
    Fingerprint(
        "one row",
        lambda pasted: pasted.samples.shape[1] == 1 and pasted.outputs != 1,
        "There is only one row: of a function of one output, that is the whole Jacobian, and of more outputs it looks "
        "like the sum of all rows, as backward(torch.ones_like(y)) leaves it in x.grad; these calls give a matrix.",
        ONE_JACOBIAN,
    ),
    Fingerprint(
        "shape",
        lambda pasted: not pasted.fits(*pasted.samples.shape[1:]),
        "The matrix is {size}: neither it nor its transpose has a row per output and a column per input of {function}.",
    ),
)
