"""`workbench compress`: shorten long conversations by summarizing their middle."""

import json
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
import yaml

from workbench.chat.json_value import JsonObject
from workbench.chat.message import Conversation, Message, Role
from workbench.cli.rows.row_engine import ROW_FILES, FormatOption
from workbench.cli.terminal.paint import count_of, with_progress
from workbench.cli.terminal.sources import read_text
from workbench.errors import BadInput, EngineError
from workbench.hermes.marks import TURN_CLOSE
from workbench.hermes.render import render
from workbench.library.datasets.compression import RowCompressed
from workbench.rollout.ports import Engine, FinishReason, GenerationRequest
from workbench.rollout.sampling import Sampling
from workbench.settings import read_settings as read_environment
from workbench.trajectory.compress import (
    CompressionSettings,
    CountTokens,
    Summarise,
    estimate_tokens,
    extract_summary,
    read_settings,
)
from workbench.trajectory.formats.shared.text_entries import TextEntry

if TYPE_CHECKING:
    from workbench.rollout.ports import Engine


_LONGEST: Final = 3000
"""Longest entry, in characters, that the model gets in full; of longer ones it gets the beginning and the end."""
_HEAD: Final = 1500
_TAIL: Final = 500
_TASK: Final = (
    "Sum up this part of a conversation between a person, an assistant and tools. The summary will stand in "
    "its place, so keep what later steps may need: what was done and called, what came back, names, values, "
    "decisions. Write in the language of the conversation, plainly, in about {tokens} tokens, and write "
    "nothing but the summary.\n\n{entries}"
)


def summarising(engine: Engine, settings: CompressionSettings, otherwise: Summarise) -> Summarise:
    """Return a function that summarizes with `engine`.

    Args:
        otherwise: Summarizes if the engine fails, or if every attempt gives an empty or cut-off answer.
    """

    def summarise(entries: Sequence[TextEntry]) -> str:
        request = _request(entries, settings)
        for attempt in range(max(settings.max_retries, 1)):
            sampling = replace(request.sampling, seed=attempt)
            try:
                text = _ask(engine, replace(request, sampling=sampling))
            except EngineError as error:
                print(f"workbench: the model gave no summary: {error}", file=sys.stderr)
                break
            if text:
                return text
        return otherwise(entries)

    return summarise


def _request(entries: Sequence[TextEntry], settings: CompressionSettings) -> GenerationRequest:
    shown = "\n\n".join(
        f"[{place} {entry.role}]\n{_shown(entry.text)}" for place, entry in enumerate(entries)
    )
    task = _TASK.format(tokens=settings.summary_target_tokens, entries=shown)
    conversation = Conversation(messages=(Message(role=Role.USER, text=task),))
    prompt = render(conversation, family="hermes-3", has_contract=True, neutralise=True)
    sampling = Sampling(temperature=settings.temperature, max_tokens=2 * settings.summary_target_tokens)
    return GenerationRequest(prompt=prompt.text, sampling=sampling, stop=(TURN_CLOSE,))


def _shown(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_HEAD]}\n[…]\n{text[-_TAIL:]}"


def _ask(engine: Engine, request: GenerationRequest) -> str:
    """Return what the engine wrote; empty if it was cut off."""
    pieces: list[str] = []
    for delta in engine.generate(request, is_cancelled=lambda: False):
        pieces.append(delta.text)
        if delta.finish_reason is FinishReason.LENGTH:
            return ""
    return "".join(pieces).strip()


@dataclass(slots=True)
class CompressionTotals:
    """Sums over all rows.

    *Source:* the names in hermes-agent's `compression_metrics.json`, https://github.com/NousResearch/hermes-agent.
    """

    rows: int = 0
    compressed: int = 0
    left_out: int = 0
    over_limit: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    turns_before: int = 0
    turns_after: int = 0

    def add(self, done: RowCompressed) -> None:
        """Count one row."""
        self.rows += 1
        self.left_out += done.row is None
        if done.metrics is None:
            return
        self.compressed += done.metrics.was_compressed
        self.over_limit += done.metrics.still_over_limit
        self.tokens_before += done.metrics.original_tokens
        self.tokens_after += done.metrics.compressed_tokens
        self.turns_before += done.metrics.original_turns
        self.turns_after += done.metrics.compressed_turns

    def to_json(self) -> JsonObject:
        """Return the content of the metrics file."""
        ratio = self.tokens_after / self.tokens_before if self.tokens_before else 1.0
        return {
            "summary": {
                "total_trajectories": self.rows,
                "trajectories_compressed": self.compressed,
                "trajectories_left_out": self.left_out,
                "trajectories_still_over_limit": self.over_limit,
            },
            "tokens": {
                "total_before": self.tokens_before,
                "total_after": self.tokens_after,
                "total_saved": self.tokens_before - self.tokens_after,
                "overall_compression_ratio": round(ratio, 4),
            },
            "turns": {
                "total_before": self.turns_before,
                "total_after": self.turns_after,
                "total_removed": self.turns_before - self.turns_after,
            },
        }

    def save(self, path: Path) -> None:
        """Write the metrics file.

        Raises:
            BadInput: The file cannot be written.
        """
        try:
            path.write_text(json.dumps(self.to_json(), indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise BadInput(f"file {path}", str(error.strerror or error)) from error

    def line(self) -> str:
        """Return the summary as one line for a person."""
        return (
            f"{count_of(self.rows, 'row')}, {self.compressed:,} compressed, {self.over_limit:,} still too long, "
            f"{self.left_out:,} skipped; {self.tokens_before:,} tokens became {self.tokens_after:,}"
        )


LEFT_OUT: Final = 1
"""Exit code if rows were skipped."""
QUARTER: Final = "quarter"
"""The estimate of one token for every four characters."""


def compress(
    file: Annotated[str, typer.Argument(metavar="FILE", help=f"{ROW_FILES}, or - for standard input")],
    out: Annotated[
        str,
        typer.Option(
            metavar="FILE", help="File to write", show_default="the name of FILE with _compressed appended"
        ),
    ] = "",
    tokens: Annotated[
        int | None, typer.Option(help="Maximum number of tokens of a row", show_default="15250")
    ] = None,
    summary_tokens: Annotated[
        int | None, typer.Option(help="Length of a summary, in tokens", show_default="750")
    ] = None,
    last: Annotated[
        int | None, typer.Option(help="Number of entries at the end that stay as they are", show_default="4")
    ] = None,
    config: Annotated[
        str, typer.Option(metavar="FILE", help="Settings in the format of hermes-agent's compressor (YAML)")
    ] = "",
    format_: FormatOption = "auto",
    tokenizer: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="Model whose tokenizer counts tokens, or quarter: one token for four characters",
        ),
    ] = QUARTER,
    model: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="Model that writes the summaries; if omitted, they are extracted from the text",
        ),
    ] = "",
    metrics: Annotated[str, typer.Option(metavar="FILE", help="Write the metrics to this JSON file")] = "",
) -> None:
    """Shorten long rows by summarizing their middle.

    Tool calls stay together with their results. Exit code 1 if rows were skipped.
    """
    from workbench.library.datasets.compression import Compression, compress_file

    settings = _settings(config, tokens, summary_tokens, last)
    target = out or _default_target(file, settings.output_suffix)
    totals = CompressionTotals()
    with _counting_and_summarising(tokenizer, model, settings) as (count, summarise):
        compression = Compression(settings, count, summarise, format_)
        for done in with_progress(compress_file(file, target, compression), "rows"):
            totals.add(done)
            if done.row is None:
                print(f"{file}:{done.number}: skipped: {done.problem}", file=sys.stderr)
    metrics_file = metrics or _metrics_file(target, settings)
    if metrics_file:
        totals.save(Path(metrics_file).expanduser())
    print(totals.line(), file=sys.stderr)
    if totals.left_out:
        raise typer.Exit(LEFT_OUT)


def _settings(
    config: str, tokens: int | None, summary_tokens: int | None, last: int | None
) -> CompressionSettings:
    """Return the settings of the file `config`, overridden by the options that are not None."""
    settings = CompressionSettings()
    if config:
        try:
            settings = read_settings(yaml.safe_load(read_text(config)))
        except yaml.YAMLError as error:
            raise BadInput(f"--config {config}", f"not YAML: {str(error).splitlines()[0]}") from error
    return replace(
        settings,
        target_max_tokens=settings.target_max_tokens if tokens is None else tokens,
        summary_target_tokens=settings.summary_target_tokens if summary_tokens is None else summary_tokens,
        last_n_turns=settings.last_n_turns if last is None else last,
    )


def _default_target(file: str, suffix: str) -> str:
    """Return the name with the suffix: `rows_compressed.jsonl.gz` for `rows.jsonl.gz`."""
    if file == "-":
        raise BadInput("--out", "required with standard input", "give a file, or - for standard output")
    path = Path(file)
    stem, dot, endings = path.name.partition(".")
    return str(path.with_name(stem + suffix + dot + endings))


def _metrics_file(target: str, settings: CompressionSettings) -> str:
    if target == "-" or not settings.enabled:
        return ""
    return str(Path(target).with_name(settings.output_file))


@contextmanager
def _counting_and_summarising(
    tokenizer: str, model: str, settings: CompressionSettings
) -> Generator[tuple[CountTokens, Summarise]]:
    """Yield the functions that count tokens and summarize, with their models loaded."""
    if tokenizer == QUARTER and not model:
        yield estimate_tokens, _extracting(estimate_tokens, settings)
        return
    from workbench.wiring import open_services

    with open_services(read_environment()) as services:
        engine: Callable[[str], Engine] = services.models.engine
        count = estimate_tokens if tokenizer == QUARTER else engine(tokenizer).count_tokens
        extract = _extracting(count, settings)
        if not model:
            yield count, extract
            return
        yield count, summarising(engine(model), settings, extract)


def _extracting(count: CountTokens, settings: CompressionSettings) -> Summarise:
    return lambda entries: extract_summary(entries, count, settings.summary_target_tokens)
