"""A paste without what a terminal and pytest add to it: colours, and the E at the beginning of a line."""

import re

_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]|\[[0-9;]{1,20}m")  # some copies lack the escape itself
_BREAK = re.compile(r"(?<=[\],])(?:\\n)+(?=[ \[])")  # the two characters of a tensor's line break within a repr
_FAILED = re.compile(r"^E(?:[ ]{1,7}|(?=\r?$))", re.MULTILINE)


def plain(text: str) -> str:
    """Return the text without colours, escaped line breaks, and the E that pytest prints before a check's lines."""
    return _FAILED.sub("", _BREAK.sub("", _COLOUR.sub("", text)))
