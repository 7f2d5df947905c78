"""A run's progress in a file, so that it can be stopped and go on: the tally, and the samples that are left.

The file is replaced as a whole: whatever kills the run leaves a complete one, the new or the one before. It is JSON,
read by its types. It belongs to one run: the same experiment, the same code, and all else that last bits depend on.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from lib.run.tally import Tally
from lib.run.tally_json import from_json, to_json

Identity = dict[str, str]
"""All that a run's bits depend on, by name: runs of the same identity give the same bits."""


@dataclass(frozen=True)
class Progress:
    """How far a run is: the numbers of the samples `left`, as ranges in order, the tally of all others, and the seconds
    that these took."""

    left: tuple[range, ...]
    tally: Tally
    seconds: float = 0.0

    @property
    def samples_left(self) -> int:
        return sum(map(len, self.left))

    def follows(self, beginning: "Progress") -> bool:
        """Whether a run that began so can have come to this."""
        (all_,) = beginning.left
        ends = [all_.start, *(end for part in self.left for end in (part.start, part.stop)), all_.stop]
        ordered = ends == sorted(ends) and all(self.left)
        of_its_study = type(self.tally) is type(beginning.tally)
        return ordered and of_its_study and self.tally.samples + self.samples_left == len(all_)


class Checkpoint:
    """The file at `path` of the run of this identity."""

    def __init__(self, path: str, identity: Identity) -> None:
        self._path = Path(path).resolve()  # a link stays a link
        self._identity = identity

    def read(self, beginning: Progress) -> Progress:
        """The progress in the file, or where there is no file the beginning of the run.

        Raises RuntimeError with one sentence if the file is something else or of another run, and leaves it as it is.
        """
        name = self._path.name
        try:
            written = json.loads(self._path.read_text("utf-8"))
            theirs = from_json(written["identity"], Identity)
            if what := difference(theirs, self._identity):
                raise RuntimeError(
                    f"{name} is the checkpoint of another run and was left as it is: its {what} is "
                    f"{theirs.get(what)!r}, here it is {self._identity.get(what)!r}."
                )
            progress = from_json(written["progress"], Progress)
            if not progress.follows(beginning):
                raise ValueError("the samples are not those of the run")
        except FileNotFoundError:
            return beginning
        except (ValueError, TypeError, KeyError) as error:
            raise RuntimeError(f"{name} is no checkpoint, or a damaged one, and was left as it is.") from error
        return progress

    def write(self, progress: Progress) -> None:
        """Replaces the file."""
        text = json.dumps({"identity": to_json(self._identity), "progress": to_json(progress)})
        new = self._path.with_name(f"{self._path.name}.part")
        with open(new, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())  # on the disk before it takes the name, or a power cut could leave an empty file
        os.replace(new, self._path)


def difference(one: Identity, other: Identity) -> str | None:
    """The name of the first thing in which two identities differ."""
    return next((name for name in one | other if one.get(name) != other.get(name)), None)


def code_digest() -> str:
    """A digest of the modules of `lib`: another one may count otherwise."""
    root = Path(__file__).parents[1]
    sources = [path.relative_to(root).as_posix().encode() + path.read_bytes() for path in sorted(root.rglob("*.py"))]
    return hashlib.sha256(b"".join(sources)).hexdigest()[:16]
