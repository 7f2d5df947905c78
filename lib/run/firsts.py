"""The first example of each kind of component: a part of a tally from which the page picks what it shows."""

from dataclasses import dataclass, field

import numpy as np

from lib.run.tally import Place


def _none() -> np.ndarray:
    return np.empty(0, np.int64)


@dataclass(frozen=True)
class Firsts:
    """The first place of each integer key, in the order of places; all arrays are int64 and of the same length.

    `keys` are increasing. `blocks`, `indices` and `components` are the fields of their places.
    """

    keys: np.ndarray = field(default_factory=_none)
    blocks: np.ndarray = field(default_factory=_none)
    indices: np.ndarray = field(default_factory=_none)
    components: np.ndarray = field(default_factory=_none)

    @classmethod
    def of(
        cls, keys: np.ndarray, seen: np.ndarray, block: int, first_index: int, counted: np.ndarray | None = None
    ) -> "Firsts":
        """Find the first place of each key, given the int64 keys of consecutive samples of a block.

        keys has shape (samples, components), and so has `counted`, bool, which says which of them count; None: all.
        `seen` are the keys that occur among those, increasing, as a histogram of them holds.
        """
        if seen.size == 0:
            return cls()
        places = None if counted is None else np.flatnonzero(counted)
        taken = keys.ravel() if places is None else keys.ravel()[places]
        low, high = int(seen[0]), int(seen[-1])
        if seen.size <= 256 and high - low < 4 * taken.size + 1024:
            # Then each key gets a byte, since the search for a byte is far faster than sorting.
            byte_of = np.zeros(high - low + 1, np.uint8)
            byte_of[seen - low] = np.arange(seen.size)
            text = byte_of[taken - low].tobytes()
            first = np.array([text.find(byte) for byte in range(seen.size)])
        else:
            first = np.unique(taken, return_index=True)[1]
        sample, component = np.divmod(first if places is None else places[first], keys.shape[1])
        return cls(seen, np.full_like(seen, block), sample + first_index, component)

    def __add__(self, other: "Firsts") -> "Firsts":
        columns = [
            np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("components", "indices", "blocks", "keys")
        ]
        order = np.lexsort(columns)  # by keys, and by places among equal keys
        keys = columns[-1][order]
        order = order[np.diff(keys, prepend=keys[:1] - 1) > 0]
        components, indices, blocks, keys = (column[order] for column in columns)
        return Firsts(keys, blocks, indices, components)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Firsts) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in self.__dataclass_fields__
        )

    def __getitem__(self, key: int) -> Place | None:
        """Return the first place of a key, None if it was never seen."""
        return self.of_any(np.array([key]))

    def of_any(self, keys: np.ndarray) -> Place | None:
        """Return the first place of all these keys, None if none of them was ever seen."""
        chosen = np.isin(self.keys, keys)
        columns = (column[chosen].tolist() for column in (self.blocks, self.indices, self.components))
        return min((Place(*place) for place in zip(*columns, strict=True)), default=None)

    @property
    def nbytes(self) -> int:
        return 4 * self.keys.nbytes
