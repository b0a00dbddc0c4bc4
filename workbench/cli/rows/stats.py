"""`workbench stats`: count what files of training rows contain, and show which tokens of a row are trained."""

import sys
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workbench.chat.finding import Span
from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.paint import Paint, Tone, shown, terminal_paint, with_progress, write_json_line
from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES
from workbench.settings import read_settings
from workbench.trajectory.compress import estimate_tokens
from workbench.trajectory.formats.known import FORMATS, format_named
from workbench.trajectory.mask import MaskedText, Tokenizer, TrainedToken, mask_tokens
from workbench.trajectory.sets.stats import RowStats, distribution, share

if TYPE_CHECKING:
    from workbench.rollout.ports import Engine


_MOST: Final = 20
"""Tools and codes that are listed; the JSON has all."""


def stats_lines(stats: RowStats, *, is_estimate: bool) -> Iterator[str]:
    """A line a figure.

    Args:
        stats: What was counted.
        is_estimate: Whether tokens are a quarter of the characters, and no model's.
    """
    formats = ", ".join(f"{name} {count:,}" for name, count in stats.formats.most_common())
    unreadable = f", {stats.unreadable:,} unreadable" if stats.unreadable else ""
    yield _line("rows", f"{stats.rows:,}{unreadable}" + (f" ({formats})" if formats else ""))
    yield _line("tools", f"{len(stats.tools):,} declared, {len(stats.calls):,} called")
    yield _line("calls", f"{stats.calls.total():,} in {stats.entries:,} entries of the model")
    yield _line("no-call share", _percent(stats.without_call, stats.entries))
    yield _line("parallel share", _percent(stats.parallel, stats.entries))
    yield _line("turns a row", _spread(stats.turns))
    kind = "tokens a row, about" if is_estimate else "tokens a row"
    yield _line(kind, _spread(stats.lengths))
    if stats.longest:
        longest = stats.longest
        yield _line("longest", f"{longest.tokens:,} tokens, {shown(longest.file)}:{longest.row}")
    if stats.unmeasured:
        yield _line("unmeasured", f"{stats.unmeasured:,} rows cannot be written as one text")
    yield _line("trained text", _percent(stats.trained, stats.characters))
    yield _line("fixes", f"{stats.fixes.total():,}" if stats.fixes else "none is needed")
    yield from _listed("fix", stats.fixes)
    yield from _listed("call of", stats.calls)


def _line(name: str, figure: str) -> str:
    return f"{name:20} {figure}"


def _percent(count: int, of: int) -> str:
    return f"{share(count, of):.1%} ({count:,} of {of:,})"


def _spread(counts: Mapping[int, int]) -> str:
    found = distribution(counts)
    return ", ".join(f"{name} {number:,}" for name, number in found.items()) or "none"


def _listed(name: str, counts: Counter[str]) -> Iterator[str]:
    for word, count in counts.most_common(_MOST):
        yield f"{count:8,}  {name} {shown(word)}"
    if len(counts) > _MOST:
        yield f"{'':8}  and {len(counts) - _MOST:,} more"


BEGIN, END = "⟦", "⟧"
"""Around trained text where there is no colour."""


def mask_lines(masked: MaskedText, tokens: Sequence[TrainedToken], paint: Paint) -> Iterator[str]:
    """The text with its trained stretches marked, then how much that is."""
    pieces: list[str] = []
    position = 0
    for span in masked.trained:
        pieces.append(_painted(masked.text[position : span.start], Tone.QUIET, paint))
        trained = _painted(span.of(masked.text), Tone.CALL, paint)
        pieces.append(trained if paint.is_coloured else BEGIN + trained + END)
        position = span.end
    pieces.append(_painted(masked.text[position:], Tone.QUIET, paint))
    yield "".join(pieces)
    counted = sum(span.end - span.start for span in masked.trained)
    yield f"{counted:,} of {len(masked.text):,} characters are trained"
    if tokens:
        yield f"{sum(one.is_trained for one in tokens):,} of {len(tokens):,} tokens are trained"
        if straddling := _straddling(masked.trained, tokens):
            yield f"{straddling:,} tokens stand half inside a trained stretch, and are not trained"


def mask_json(masked: MaskedText, tokens: Sequence[TrainedToken]) -> JsonObject:
    """The same for a program: text, spans, and tokens where something makes them."""
    found: JsonObject = {"text": masked.text, "trained": [list(span) for span in masked.trained]}
    if not tokens:
        return found
    listed = [{"id": one.token.id, "span": list(one.token.span), "trained": one.is_trained} for one in tokens]
    return {**found, "tokens": listed}


def _painted(text: str, tone: Tone, paint: Paint) -> str:
    """Each line by itself: a colour should not run over the end of a line."""
    return "\n".join(paint(line, tone) for line in shown(text).split("\n"))


def _straddling(trained: Sequence[Span], tokens: Sequence[TrainedToken]) -> int:
    return sum(
        1
        for one in tokens
        if not one.is_trained
        and one.token.span.start < one.token.span.end
        and any(span.start < one.token.span.end and one.token.span.start < span.end for span in trained)
    )


QUARTER = "quarter"
"""Counts four characters as a token."""


def stats(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…|-", help="Rows: JSONL, gzip, JSON array, Parquet.")
    ],
    format_: Annotated[str, typer.Option("--format", help=f"auto, or one of {', '.join(FORMATS)}.")] = "auto",
    tokenizer: Annotated[
        str, typer.Option(help="quarter (of the characters), embedded, FILE.gguf or another model.")
    ] = QUARTER,
    mask: Annotated[
        int, typer.Option(metavar="ROW", min=0, help="Show this row of the file, trained text marked.")
    ] = 0,
    family: Annotated[
        str, typer.Option(help=f"With --mask: whose template writes it; {', '.join(FAMILIES)}.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what files of rows are made of; with --mask, which text of one row a trainer's loss counts."""
    if format_ != "auto":
        format_named(format_)
    if family and not mask:
        raise BadInput("--family", "it says how --mask writes the row", "name a row: --mask 1")
    with _engine(tokenizer) as engine:
        if mask:
            _show_mask(files, mask, format_, family, engine, as_json=as_json)
        else:
            _show_stats(files, format_, engine, as_json=as_json)


@contextmanager
def _engine(tokenizer: str) -> "Generator[Engine | None]":
    """The model that makes tokens; None for the rule of thumb."""
    if tokenizer == QUARTER:
        yield None
        return
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        engine = services.models.engine(tokenizer)
        if not engine.capabilities.has_tokenizer:
            raise BadInput(f"--tokenizer {tokenizer}", "it cannot say what its tokens are", "use a GGUF file")
        yield engine


def _tokenizer(engine: "Engine") -> Tokenizer:
    if isinstance(engine, Tokenizer):
        return engine
    raise BadInput("--tokenizer", f"{engine.name} does not say where its tokens stand", "use a GGUF file")


def _show_stats(files: list[str], read_as: str, engine: "Engine | None", *, as_json: bool) -> None:
    from workbench.library.datasets.compression import count_rows

    found = RowStats()
    count = engine.count_tokens if engine else estimate_tokens
    for _number in with_progress(count_rows(files, found, count, read_as=read_as), "rows"):
        pass
    if as_json:
        write_json_line(found.to_json())
        return
    for line in stats_lines(found, is_estimate=engine is None):
        print(line)


def _show_mask(
    files: list[str], number: int, read_as: str, family: str, engine: "Engine | None", *, as_json: bool
) -> None:
    from workbench.library.datasets.compression import find_row
    from workbench.trajectory.row_reading import read_trajectory
    from workbench.trajectory.sets.stats import preview

    if len(files) > 1:
        raise BadInput("--mask", "it shows a row of one file", "name one file")
    reading = read_trajectory(find_row(files[0], number, read_as=read_as))
    if reading.problems:
        raise BadInput(f"{files[0]}:{number}", reading.problems[0].message)
    masked = preview(reading.trajectory, family)
    tokens = mask_tokens(masked, _tokenizer(engine)) if engine else ()
    if as_json:
        write_json_line(mask_json(masked, tokens))
        return
    for line in mask_lines(masked, tokens, terminal_paint()):
        print(line)
    sys.stdout.flush()
