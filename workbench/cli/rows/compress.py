"""`workbench compress`: long conversations made to fit, the middle summed up."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
import yaml

from workbench.cli.rows.compress_figures import Figures
from workbench.cli.terminal.progress import with_progress
from workbench.cli.terminal.sources import read_text
from workbench.errors import BadInput
from workbench.settings import read_settings as read_environment
from workbench.trajectory.compress.compress import CountTokens, Summarise, extract_summary, quarter_tokens
from workbench.trajectory.compress.settings import CompressionSettings, read_settings
from workbench.trajectory.formats.known import FORMATS

if TYPE_CHECKING:
    from workbench.rollout.ports import Engine

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
    figures = Figures()
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
        yield quarter_tokens, _extracting(quarter_tokens, settings)
        return
    from workbench.wiring import open_services

    with open_services(read_environment()) as services:
        engine: Callable[[str], Engine] = services.models.engine
        count = quarter_tokens if tokenizer == QUARTER else engine(tokenizer).count_tokens
        extract = _extracting(count, settings)
        if not model:
            yield count, extract
            return
        from workbench.cli.rows.model_summary import summarising

        yield count, summarising(engine(model), settings, extract)


def _extracting(count: CountTokens, settings: CompressionSettings) -> Summarise:
    return lambda entries: extract_summary(entries, count, settings.summary_target_tokens)
