"""As much of datasets as the trainer uses."""

from collections.abc import Mapping, Sequence

class Dataset:
    @staticmethod
    def from_list(rows: Sequence[Mapping[str, object]]) -> Dataset: ...
