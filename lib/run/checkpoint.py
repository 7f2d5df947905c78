"""A file with a run's progress, so that the run can be stopped and resumed.

The file holds the tally and the samples that are left. It is replaced as a whole, so a run that is
killed at any moment leaves a complete file, the new one or the previous one. It is JSON, checked
against types as it is read. It belongs to one run: the same experiment, the same code, and
everything else that the last bits depend on.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from lib.run.tally import Tally
from lib.run.tally_json import from_json, to_json

Identity = dict[str, str]
"""Everything that a run's bits depend on, by name."""


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    `left` are the numbers of the samples that are left, as ranges in order; `tally` is the tally of
    all other samples, and `seconds` is the time that these took.
    """

    left: tuple[range, ...]
    tally: Tally
    seconds: float = 0.0

    @property
    def samples_left(self) -> int:
        return sum(map(len, self.left))

    def can_continue(self, beginning: "Progress") -> bool:
        """Return whether a run that began with `beginning` can have reached this progress."""
        (samples,) = beginning.left
        ends = [samples.start]
        for part in self.left:
            ends += [part.start, part.stop]
        ends.append(samples.stop)
        # In order, and no range is empty.
        is_ordered = ends == sorted(ends) and all(self.left)
        is_of_study = type(self.tally) is type(beginning.tally)
        return is_ordered and is_of_study and self.tally.samples + self.samples_left == len(samples)


class Checkpoint:
    """The checkpoint file at `path` for the run with this identity."""

    def __init__(self, path: str, identity: Identity) -> None:
        self._path = Path(path)
        self._identity = identity

    def read(self, beginning: Progress) -> Progress:
        """Return the progress in the file, or the beginning of the run if there is no file.

        Raises:
            RuntimeError: with one sentence, if the file is not a checkpoint or belongs to another
                run. The file is left as it is.
        """
        name = self._path.name
        try:
            written = json.loads(self._path.read_text("utf-8"))
            identity = from_json(written["identity"], Identity)
            if what := difference(identity, self._identity):
                raise RuntimeError(
                    f"{name} is the checkpoint of another run and was left unchanged: its {what} "
                    f"is {identity.get(what)!r}, and here it is {self._identity.get(what)!r}."
                )
            progress = from_json(written["progress"], Progress)
            if not progress.can_continue(beginning):
                raise ValueError("the samples are not those of the run")
        except FileNotFoundError:
            return beginning
        except (ValueError, TypeError, KeyError) as error:
            reason = f"{name} is damaged or not a checkpoint, and was left unchanged."
            raise RuntimeError(reason) from error
        return progress

    def write(self, progress: Progress) -> None:
        """Replace the file."""
        text = json.dumps({"identity": to_json(self._identity), "progress": to_json(progress)})
        new = self._path.with_name(f"{self._path.name}.part")
        with open(new, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            # On the disk before it gets its name: otherwise a power cut could leave an empty file.
            os.fsync(file.fileno())
        os.replace(new, self._path)


def difference(first: Identity, second: Identity) -> str | None:
    """Return the name of an entry in which two identities differ, or None if they are equal."""
    return next((name for name in first | second if first.get(name) != second.get(name)), None)


def code_digest() -> str:
    """Return a digest of the modules of `lib`: other code may produce other counts."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]
