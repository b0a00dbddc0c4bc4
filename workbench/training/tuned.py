"""What a training run came to."""

from collections.abc import Mapping
from typing import NamedTuple

from workbench.training.gguf_adapter import Numbers


class Tuned(NamedTuple):
    """Weights, and how they came about."""

    steps: int
    """So many were done."""
    steps_planned: int
    """So many were wanted."""
    tokens: int
    """Of all texts, prompts included."""
    tokens_trained: int
    """Of these, those that the loss counts."""
    examples: int
    """So many were trained on."""
    texts: int
    """In so many texts; examples under one system text share one."""
    too_long: int
    """So many were left out for their length."""
    curve: list[tuple[int, float]]
    """Loss by step, as it was logged."""
    weights: Mapping[str, Numbers]
    """Of the adapter, by names of peft; empty where all weights were trained."""

    @property
    def is_whole(self) -> bool:
        """False where it was stopped before its end."""
        return self.steps >= self.steps_planned
