"""As much of safetensors as the trainer uses."""

from collections.abc import Mapping
from pathlib import Path

from torch import Tensor

def load_file(filename: Path) -> dict[str, Tensor]: ...
def save_file(tensors: Mapping[str, Tensor], filename: Path) -> None: ...
