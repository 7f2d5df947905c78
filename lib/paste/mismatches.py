"""What failed checks of torch, NumPy and pytest tell of instead of values: shapes, lengths, keys, dtypes.

Their numbers are sizes and counts. Each row of the table is a pattern and the sentence that answers it.
"""

import re

from lib.paste.tokenizer import PasteError

_SIZES = r"(?:torch\.Size\(\[[0-9, ]{0,60}\]\)|\([0-9]{1,12},[0-9, ]{0,60}\))"
_WHOLE = r"-?[0-9]{1,20}(?![\w.])"
_NOT_COMPARED = "says the message, and their values were not compared"

MISMATCHES = {
    r"Impossible to compare \w{1,20} with different (?:sizes|shapes)"
    r"|\(shapes \([^()]{0,60}\), \([^()]{0,60}\) mismatch\)|attribute 'shape' do not match": (
        "The two differ in shape, says the message: only vectors of one length can be compared."
    ),
    rf"assert {_SIZES} [=!]= {_SIZES}": (
        "The check compares shapes, or other whole numbers in parentheses, which are exact: paste values."
    ),
    rf"assert {_WHOLE} [=!<>]=? {_WHOLE}(?! ±)": (
        "The check compares whole numbers, such as lengths, which are exact: paste values."
    ),
    r"The length of the sequences mismatch: ": "The two differ in length, says the message: only vectors of one length "
    "can be compared.",
    r"The keys of the mappings do not match:": f"The two have different keys, {_NOT_COMPARED}.",
    r"The values for attribute 'dtype' do not match: ": f"The two differ in dtype, {_NOT_COMPARED}: convert one of "
    "them first.",
    r"The values for attribute 'device' do not match: ": f"The two differ in device, {_NOT_COMPARED}: move one of them "
    "first.",
    r"The values for attribute 'layout' do not match: ": f"The two differ in layout, {_NOT_COMPARED}.",
    r"The values for attribute 'stride\(\)' do not match: ": f"The two differ in stride, {_NOT_COMPARED}.",
    r"The values for attribute '\w{1,40}(?:\(\))?' do not match: "
    r"|DTensor (?:placements|device meshes) do not match: ": (f"The two differ in an attribute, {_NOT_COMPARED}."),
    r"The number of (?:sparse dimensions|specified values) in sparse \w{1,10} tensors does not match: ": (
        f"The two sparse tensors hold different numbers of values or dimensions, {_NOT_COMPARED}."
    ),
    r"The \(d\)types do not match: |No comparison pair was able to handle inputs of type "
    r"|Unknown (?:boolean|number) type |Expected a torch\.Tensor or a torch\.dtype, but got ": (
        f"The two differ in type, or cannot be compared, {_NOT_COMPARED}."
    ),
    r"None mismatch: |Booleans mismatch: ": f"One of the two is None, True or False, {_NOT_COMPARED}.",
    r"are not 'equal'!": "The two differ in their bits, says the message, which holds no values: paste them.",
    r"Both 'rtol' and 'atol' must be either specified or omitted|are not supported for bitwise comparison of low"
    r"|Unsupported tensor layout |resulted in the unexpected exception above": (
        "The check itself failed before it compared values, says the message: mend its arguments first."
    ),
}
"""Patterns of what messages say of no value, with the sentence that answers each."""

_EACH = {re.compile(pattern): sentence for pattern, sentence in MISMATCHES.items()}


def refuse_mismatch(text: str) -> None:
    """Raise `PasteError` if the text is the message of a failed check that tells of no values."""
    for pattern, sentence in _EACH.items():
        if pattern.search(text):
            raise PasteError(sentence)
