"""Numbers in sentences: read back, and shares as the page writes them."""

import re


def share(part, whole):
    """A share in per cent, which says none or all only where that is exact."""
    if not whole:
        return "–"
    found = 100 * part / whole
    return (
        "less than 1%"
        if 0 < found < 0.5
        else "more than 99%"
        if 99.5 <= found < 100
        else f"{found:.0f}%"
    )


_WORDS = {" million": "e6", " billion": "e9", " trillion": "e12", " × 10": "e", ",": "", "−": "-"}
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read(text):
    """The number that a text stands for."""
    for word, digits in _WORDS.items():
        text = text.replace(word, digits)
    text = re.sub("^10(?=[⁻⁰¹²³⁴⁵⁶⁷⁸⁹])", "1e", text)
    return float(text.translate(_LOWERED))
