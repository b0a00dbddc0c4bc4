"""How a model is trained."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Precision = Literal["f32", "bf16"]
"""Of the numbers that are worked with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainTerms:
    """Everything that the result depends on, beside base and rows."""

    base: str
    """Folder or repository of Hugging Face's form, or a GGUF file that transformers can read."""
    out: Path
    """Folder for checkpoints and for what comes out."""
    start: Path | None = None
    """GGUF of an adapter that the run goes on from; None begins with one that changes nothing."""
    lora_rank: int = 16
    """Rank of the adapter on all projections; 0 trains all weights."""
    learning_rate: float = 4e-4
    """At its highest, behind the warm-up; it falls to nothing as a cosine."""
    epochs: float = 1.0
    """How often all rows are seen."""
    max_steps: int = 0
    """An end before that; 0 for none."""
    max_length: int = 2048
    """Tokens of a text: an example, or several under one system text. A longer example is left out and told."""
    batch: int = 4
    """Texts a step."""
    seed: int = 0
    """Of the adapter's first numbers and of the order of rows."""
    precision: Precision = "f32"
    """Of the numbers that are worked with."""
    threads: int = 0
    """Of the processor; 0 leaves it to PyTorch."""
    save_steps: int = 50
    """A checkpoint every so many steps."""
    family: str = ""
    """In whose framing rows stand; empty takes each row's own."""
    licence: str = "apache-2.0"
    """For the card."""

    @property
    def is_lora(self) -> bool:
        """Whether an adapter is trained and the base left as it is."""
        return self.lora_rank > 0

    @property
    def lora_alpha(self) -> int:
        """The adapter's scale times its rank."""
        return 2 * self.lora_rank
