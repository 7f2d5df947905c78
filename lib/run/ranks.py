"""The processes of one run, as `torchrun` starts them, and the blocks that each of them measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Ranks:
    """This process among those of the run: its `rank` of so many, and which one it is on its machine."""

    rank: int = 0
    count: int = 1
    local_rank: int = 0

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Ranks":
        """As torchrun tells its processes; without torchrun, the only one."""
        if "TORCHELASTIC_RUN_ID" not in environment:
            return cls()
        return cls(*(int(environment[name]) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK")))

    def share(self, left: Sequence[range], block_size: int) -> list[range]:
        """The part of the samples left that this rank measures: whole blocks, as many for each rank or one more.

        They are neighbours, so that what all ranks have left at any time is a few ranges, in the order of the ranks.
        """
        blocks = sum(len(_blocks(part, block_size)) for part in left)
        start, stop = (_begin(left, blocks * rank // self.count, block_size) for rank in (self.rank, self.rank + 1))
        shared = (range(max(part.start, start), min(part.stop, stop)) for part in left)
        return [part for part in shared if part]


class Ended(RuntimeError):
    """The run ended on all ranks, for a reason that one of them is to tell: `teller`."""

    def __init__(self, sentence: str, teller: int = 0) -> None:
        super().__init__(sentence)
        self.teller = teller


def _blocks(part: range, block_size: int) -> range:
    """The numbers of the blocks that these samples are in."""
    return range(part.start // block_size, -(-part.stop // block_size))


def _begin(left: Sequence[range], place: int, block_size: int) -> int:
    """The first sample of the block at this place among those that are left; after the last one, the end."""
    for part in left:
        blocks = _blocks(part, block_size)
        if place < len(blocks):
            return blocks[place] * block_size
        place -= len(blocks)
    return left[-1].stop if left else 0
