"""The receipt and the model card of a training run."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import file_digest
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal

from workbench import __version__
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.training.gguf_adapter import TunedWeights

Precision = Literal["f32", "bf16"]
"""Of the numbers that are worked with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
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
    seed: int = 0
    """Of the adapter's first numbers and of the order of rows."""
    precision: Precision = "f32"
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


TEMPLATE: Final = "hermes-fc"
"""*Source:* Hermes-FC, receipt of a trainer."""
PAPERS: Final = ("arXiv:2409.00920", "arXiv:2305.15334")
"""ToolACE and Gorilla. *Source:* as `TEMPLATE`."""
RECEIPT: Final = "receipt.json"
"""Its file's name."""
_PACKAGES: Final = ("torch", "transformers", "trl", "peft", "gguf")


def function_calling(rows: JsonObject, max_length: int, examples: int) -> JsonObject:
    """The block of Hermes-FC's receipt.

    Args:
        rows: The receipt of the rows, as `workbench receipt` makes it.
        max_length: Tokens of an example at most.
        examples: So many were trained on.
    """
    issues = as_object(rows.get("issues"))
    return {
        "template": TEMPLATE,
        "papers": list(PAPERS),
        "n_tools_declared": rows.get("tools_declared"),
        "n_tool_calls_in_train": rows.get("calls"),
        "validator_issues": sum(count for count in issues.values() if isinstance(count, int)),
        "max_seq_length": max_length,
        "train_examples": examples,
        "tool_schema_hash": rows.get("tools_fingerprint"),
    }


def receipt_of(
    terms: TrainOptions,
    tuned: TunedWeights,
    rows: JsonObject,
    *,
    base: str,
    base_sha256: str,
    files: Sequence[Path],
    start: JsonObject | None,
) -> JsonObject:
    """All that is needed to repeat a run, and what it came to.

    Args:
        terms: As it was told.
        tuned: What it came to.
        rows: The receipt of the rows.
        base: Name of the base.
        base_sha256: Of its file; empty where it is a folder.
        files: What came out.
        start: What it went on from, as `start_receipt` tells; None where it began anew.
    """
    settings: JsonObject = {
        key: value
        for key, value in asdict(terms).items()
        if key not in ("out", "base", "start", "threads", "save_steps")
    }
    curve: list[JsonValue] = [[step, round(loss, 4)] for step, loss in tuned.curve]
    return {
        "function_calling": function_calling(rows, terms.max_length, tuned.examples),
        "base": {"name": base, "sha256": base_sha256 or None},
        "start": start,
        "settings": settings,
        "steps": tuned.steps,
        "steps_planned": tuned.steps_planned,
        "texts": tuned.texts,
        "tokens": tuned.tokens,
        "tokens_trained": tuned.tokens_trained,
        "left_out_for_length": tuned.too_long,
        "loss_by_step": curve,
        "rows": rows,
        "files": [file_facts(path) for path in files],
        "versions": {"workbench": __version__, **{name: version(name) for name in _PACKAGES}},
    }


def card_of(receipt: JsonObject, *, title: str) -> str:
    """The model card, from the receipt alone."""
    block, settings = as_object(receipt.get("function_calling")), as_object(receipt.get("settings"))
    base, rows = as_object(receipt.get("base")), as_object(receipt.get("rows"))
    curve = receipt.get("loss_by_step")
    last = curve[-1] if isinstance(curve, list) and curve else ["–", "–"]
    loss = last[1] if isinstance(last, list) else "–"
    rank = settings.get("lora_rank")
    how = f"a LoRA adapter of rank {rank} on all projections" if rank else "a fine-tune of all weights"
    lines = (
        "---",
        f"license: {settings.get('licence')}",
        "library_name: peft" if rank else "library_name: transformers",
        "tags: [function-calling, tool-use, hermes]",
        "---",
        f"# {title}",
        "",
        f"It is {how} for `{base.get('name')}`, which teaches it to call tools in Hermes' format: "
        "`<tool_call>` blocks of JSON behind the specs in the system text.",
        "",
        f"- Rows: {rows.get('rows')}, with {block.get('n_tool_calls_in_train')} calls of "
        f"{block.get('n_tools_declared')} tools; the validator found {block.get('validator_issues')} issues.",
        f"- Steps: {receipt.get('steps')} of {receipt.get('steps_planned')}; {block.get('train_examples')} "
        f"examples in {receipt.get('texts')} texts, {settings.get('batch')} a step; "
        f"the last loss was {loss}.",
        *_start_line(as_object(receipt.get("start"))),
        "- Loss on what the model writes alone, prefaces and thoughts included.",
        "",
        "`receipt.json` beside this file holds all settings, versions, hashes and the whole curve.",
        "",
    )
    return "\n".join(lines)


def _start_line(start: JsonObject) -> tuple[str, ...]:
    if not start:
        return ()
    told, digest = as_object(start.get("receipt")), str(start.get("sha256"))[:12]
    steps = f", of {told.get('steps')} steps of its own" if told else ""
    return (f"- It goes on from `{start.get('name')}` ({digest}…){steps}.",)


def file_facts(path: Path) -> JsonObject:
    """Name, SHA-256 (hex) and size of a file."""
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "sha256": digest, "size_bytes": path.stat().st_size}
