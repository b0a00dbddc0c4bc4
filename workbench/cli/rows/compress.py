"""`workbench compress`: shorten long conversations by summarising their middle."""

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
from workbench.cli.terminal.paint import with_progress
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
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.formats.shared.text_entries import TextEntry

if TYPE_CHECKING:
    from workbench.rollout.ports import Engine


_LONGEST: Final = 3000
"""Characters of an entry that a model is shown whole; beyond, its beginning and its end."""
_HEAD: Final = 1500
_TAIL: Final = 500
_TASK: Final = (
    "Sum up this part of a conversation between a person, an assistant and tools. The summary will stand in "
    "its place, so keep what later steps may need: what was done and called, what came back, names, values, "
    "decisions. Write in the language of the conversation, plainly, in about {tokens} tokens, and write "
    "nothing but the summary.\n\n{entries}"
)


def summarising(engine: Engine, settings: CompressionSettings, otherwise: Summarise) -> Summarise:
    """What asks `engine`. An answer that is empty or cut off counts as none; after the last attempt, and
    where the engine fails, `otherwise` is taken."""

    def summarise(entries: Sequence[TextEntry]) -> str:
        request = _request(entries, settings)
        for attempt in range(max(settings.max_retries, 1)):
            sampling = replace(request.sampling, seed=attempt)
            try:
                text = _ask(engine, replace(request, sampling=sampling))
            except EngineError as error:
                print(f"workbench: no summary by the model: {error}", file=sys.stderr)
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
    """What the engine wrote; empty where it was cut off."""
    pieces: list[str] = []
    for delta in engine.generate(request, is_cancelled=lambda: False):
        pieces.append(delta.text)
        if delta.finish_reason is FinishReason.LENGTH:
            return ""
    return "".join(pieces).strip()


@dataclass(slots=True)
class CompressionTotals:
    """Sums over all rows. *Source:* the names of hermes-agent's `compression_metrics.json`."""

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
        """As it stands in the file of figures."""
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
        """Write the file of figures.

        Raises:
            BadInput: It cannot be written.
        """
        try:
            path.write_text(json.dumps(self.to_json(), indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise BadInput(f"file {path}", str(error.strerror or error)) from error

    def line(self) -> str:
        """For a person."""
        return (
            f"{self.rows:,} rows, {self.compressed:,} compressed, {self.over_limit:,} still too long, "
            f"{self.left_out:,} left out; {self.tokens_before:,} tokens became {self.tokens_after:,}"
        )


LEFT_OUT: Final = 1
"""Exit code where rows were left out."""
QUARTER: Final = "quarter"
"""Counts four characters as a token."""


def compress(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Rows: JSONL, gzip, JSON array, Parquet.")],
    out: Annotated[str, typer.Option(help="File to write; FILE_compressed if not given.")] = "",
    tokens: Annotated[int | None, typer.Option(help="Most tokens of a row; 15250.")] = None,
    summary_tokens: Annotated[int | None, typer.Option(help="Tokens of a summary; 750.")] = None,
    last: Annotated[int | None, typer.Option(help="Entries at the end that stay; 4.")] = None,
    config: Annotated[
        str, typer.Option(metavar="YAML", help="Settings as hermes-agent's compressor has them.")
    ] = "",
    format_: Annotated[str, typer.Option("--format", help=f"auto, or one of {', '.join(FORMATS)}.")] = "auto",
    tokenizer: Annotated[str, typer.Option(help="quarter (of the characters), or a model.")] = QUARTER,
    model: Annotated[str, typer.Option(help="Summarises; without one, a summary is extracted.")] = "",
    metrics: Annotated[str, typer.Option(metavar="FILE", help="Figures of all rows, as JSON.")] = "",
) -> None:
    """Make long rows fit: a stretch of the middle becomes a summary, calls stay with their results."""
    from workbench.library.datasets.compression import Compression, compress_file

    settings = _settings(config, tokens, summary_tokens, last)
    target = out or _beside(file, settings.output_suffix)
    figures = CompressionTotals()
    with _tools(tokenizer, model, settings) as (count, summarise):
        wanted = Compression(settings, count, summarise, format_)
        for done in with_progress(compress_file(file, target, wanted), "rows"):
            figures.add(done)
            if done.row is None:
                print(f"{file}:{done.number}: left out: {done.problem}", file=sys.stderr)
    where = metrics or _metrics_file(target, settings)
    if where:
        figures.save(Path(where).expanduser())
    print(figures.line(), file=sys.stderr)
    if figures.left_out:
        raise typer.Exit(LEFT_OUT)


def _settings(
    config: str, tokens: int | None, summary_tokens: int | None, last: int | None
) -> CompressionSettings:
    """The file's settings, and what the options say instead."""
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


def _beside(file: str, suffix: str) -> str:
    """`rows.jsonl.gz` to `rows_compressed.jsonl.gz`."""
    if file == "-":
        raise BadInput("--out", "missing, and standard input has no name", "name a file, or - for output")
    path = Path(file)
    stem, dot, endings = path.name.partition(".")
    return str(path.with_name(stem + suffix + dot + endings))


def _metrics_file(target: str, settings: CompressionSettings) -> str:
    if target == "-" or not settings.enabled:
        return ""
    return str(Path(target).with_name(settings.output_file))


@contextmanager
def _tools(
    tokenizer: str, model: str, settings: CompressionSettings
) -> Generator[tuple[CountTokens, Summarise]]:
    """What counts and what sums up, with the models that they need."""
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
        # folded

        yield count, summarising(engine(model), settings, extract)


def _extracting(count: CountTokens, settings: CompressionSettings) -> Summarise:
    return lambda entries: extract_summary(entries, count, settings.summary_target_tokens)
