"""The explanation in each section: why, and what to do about it, in a few sentences for readers new to floats.

What holds for one method, dtype or number of outputs need not hold for another. So each text is written for the
experiment, and if it mentions results, for the results.
"""

from collections.abc import Mapping
from dataclasses import dataclass

_DOCUMENTATION = "https://docs.pytorch.org/docs/stable/"


@dataclass(frozen=True)
class Why:
    """An explanation; `why` has at most one formula, and `api` links names to pages of PyTorch's documentation."""

    why: str
    do: str
    api: Mapping[str, str]

    @property
    def markdown(self) -> str:
        links = ", ".join(f"[{name}]({_DOCUMENTATION}{page})" for name, page in self.api.items())
        return f"**Why?** {self.why}\n\n**What to do:** {self.do} PyTorch's documentation: {links}."
