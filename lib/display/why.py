"""Why, and what to do about it: beside each section, in a few sentences for a reader who is new to floats.

What holds for one method, dtype or number of outputs need not hold for another. So each text is made for what was
chosen, and where it speaks of what was found, for that.
"""

from collections.abc import Mapping
from dataclasses import dataclass

_DOCUMENTATION = "https://docs.pytorch.org/docs/stable/"


@dataclass(frozen=True)
class Why:
    """`why` has one formula at most; `api` is what it speaks of, by the name of the page in PyTorch's documentation."""

    why: str
    do: str
    api: Mapping[str, str]

    @property
    def markdown(self) -> str:
        links = ", ".join(f"[{name}]({_DOCUMENTATION}{page})" for name, page in self.api.items())
        return f"**Why?** {self.why}\n\n**What to do:** {self.do} PyTorch's documentation: {links}."
