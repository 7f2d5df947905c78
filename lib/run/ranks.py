"""The processes of a run, started by `torchrun`, and the blocks that each of them measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Rank:
    """This process is `number` of `count` in the run, and `local` on its machine, from 0."""

    number: int = 0
    count: int = 1
    local: int = 0

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Rank":
        """Read the place from the variables that torchrun sets.

        Without torchrun this is the only process.
        """
        if "TORCHELASTIC_RUN_ID" not in environment:
            return cls()
        return cls(*(int(environment[name]) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK")))

    def share(self, left: Sequence[range], block_size: int) -> list[range]:
        """Return the samples that this rank measures out of those left, in whole blocks.

        Any two ranks have equally many blocks, or one has one more. A rank's blocks are
        consecutive, so at any time the samples that all ranks have left are a few ranges, in the
        order of ranks.
        """
        blocks = sum(len(_blocks(part, block_size)) for part in left)
        start = _begin(left, blocks * self.number // self.count, block_size)
        stop = _begin(left, blocks * (self.number + 1) // self.count, block_size)
        shares = (range(max(part.start, start), min(part.stop, stop)) for part in left)
        return [share for share in shares if share]


class Ended(RuntimeError):
    """Another rank is out of reach, so the run ended early."""


def _blocks(part: range, block_size: int) -> range:
    """The numbers of the blocks that contain these samples."""
    return range(part.start // block_size, -(-part.stop // block_size))


def _begin(left: Sequence[range], place: int, block_size: int) -> int:
    """The first sample of the block at this place among those left; their end if there is none."""
    for part in left:
        blocks = _blocks(part, block_size)
        if place < len(blocks):
            return blocks[place] * block_size
        place -= len(blocks)
    return left[-1].stop if left else 0
