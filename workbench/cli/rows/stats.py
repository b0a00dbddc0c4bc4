"""`workbench stats`: show statistics of training rows, and the text of a row that is trained on."""

import sys
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workbench.chat.finding import Span
from workbench.chat.json_value import JsonObject
from workbench.cli.rows.row_engine import ROW_FILES, FormatOption
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import Paint, Tone, count_of, terminal_paint, with_progress, write_json_line
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES
from workbench.settings import read_settings
from workbench.trajectory.compress import estimate_tokens
from workbench.trajectory.formats.known import format_named
from workbench.trajectory.mask import MaskedText, Tokenizer, TrainedToken, mask_tokens
from workbench.trajectory.sets.stats import RowStats, describe_distribution, rows_over, share

if TYPE_CHECKING:
    from workbench.rollout.ports import Engine


UNREADABLE: Final = 1
"""Exit code if rows could not be read, or if there are none."""
_MOST: Final = 20
"""Maximum number of tools and codes listed. The JSON has all of them."""


def stats_lines(stats: RowStats, *, is_estimate: bool, max_length: int = 0) -> Iterator[str]:
    """Yield the statistics, one figure per line.

    Args:
        is_estimate: Whether tokens were estimated from characters, without a tokenizer.
        max_length: How many tokens a trainer takes of a row; 0 if that was not asked for.
    """
    formats = ", ".join(f"{name} {count:,}" for name, count in stats.formats.most_common())
    unreadable = f", {stats.unreadable:,} unreadable" if stats.unreadable else ""
    yield _line("rows", f"{stats.rows:,}{unreadable}" + (f" ({formats})" if formats else ""))
    yield _line("tools", f"{len(stats.tools):,} declared, {len(stats.calls):,} called")
    yield _line("calls", f"{stats.calls.total():,} in {count_of(stats.entries, 'assistant message')}")
    yield _line("without calls", _percent(stats.without_call, stats.entries))
    yield _line("with parallel calls", _percent(stats.parallel, stats.entries))
    yield _line("calls per row", _spread(stats.row_calls))
    yield _line("turns per row", _spread(stats.turns))
    label = "tokens per row (est.)" if is_estimate else "tokens per row"
    yield _line(label, _spread(stats.lengths))
    if stats.longest:
        longest = stats.longest
        yield _line("longest", f"{longest.tokens:,} tokens, {shown(longest.file)}:{longest.row}")
    if max_length:
        cut = rows_over(stats.lengths, max_length)
        yield _line(f"cut at {max_length:,}", _percent(cut, stats.lengths.total()))
    if stats.unmeasured:
        yield _line("not measured", f"{count_of(stats.unmeasured, 'row')} cannot be written as one text")
    yield _line("characters trained on", _percent(stats.trained, stats.characters))
    shares = (f"{role} {share(count, stats.roles.total()):.1%}" for role, count in stats.roles.most_common())
    yield _line("characters by role", ", ".join(shares) or "none")
    yield _line("enum values", _enum_values(stats))
    yield _line("fixes", f"{stats.fixes.total():,}" if stats.fixes else "none")
    yield from _listed("fix", stats.fixes)
    yield from _listed("calls of", stats.calls)


def _enum_values(stats: RowStats) -> str:
    counts = [count for values in stats.enums.parameters.values() for count in values.values()]
    unused = sum(count == 0 for count in counts)
    return f"{len(counts):,} in {count_of(len(stats.enums.parameters), 'parameter')}, {unused:,} never used"


def _line(name: str, figure: str) -> str:
    return f"{name:21} {figure}"


def _percent(count: int, total: int) -> str:
    return f"{share(count, total):.1%} ({count:,} of {total:,})"


def _spread(counts: Mapping[int, int]) -> str:
    found = describe_distribution(counts)
    return ", ".join(f"{name} {number:,}" for name, number in found.items()) or "none"


def _listed(name: str, counts: Counter[str]) -> Iterator[str]:
    for word, count in counts.most_common(_MOST):
        yield f"{count:8,}  {name} {shown(word)}"
    if len(counts) > _MOST:
        yield f"{'':8}  and {len(counts) - _MOST:,} more"


BEGIN, END = "⟦", "⟧"
"""Mark the text that is trained on if there are no colours."""


def mask_lines(masked: MaskedText, tokens: Sequence[TrainedToken], paint: Paint) -> Iterator[str]:
    """Yield the text with the trained spans marked, then their share."""
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
    yield f"{counted:,} of {len(masked.text):,} characters are trained on"
    if tokens:
        yield f"{sum(token.is_trained for token in tokens):,} of {len(tokens):,} tokens are trained on"
        if straddling := _straddling(masked.trained, tokens):
            yield f"not trained on, because only a part is inside a trained span: {count_of(straddling, 'token')}"


def mask_json(masked: MaskedText, tokens: Sequence[TrainedToken]) -> JsonObject:
    """Return the text, the trained spans, and the tokens if there are any, as JSON."""
    found: JsonObject = {"text": masked.text, "trained": [list(span) for span in masked.trained]}
    if not tokens:
        return found
    listed = [
        {"id": entry.token.id, "span": list(entry.token.span), "trained": entry.is_trained}
        for entry in tokens
    ]
    return {**found, "tokens": listed}


def _painted(text: str, tone: Tone, paint: Paint) -> str:
    """Colour each line separately: a colour should not run over the end of a line."""
    return "\n".join(paint(line, tone) for line in shown(text).split("\n"))


def _straddling(trained: Sequence[Span], tokens: Sequence[TrainedToken]) -> int:
    """Count the tokens that are not trained on although they overlap a trained span."""
    spans = [entry.token.span for entry in tokens if not entry.is_trained]
    return sum(
        1
        for token in spans
        if token.start < token.end
        and any(span.start < token.end and token.start < span.end for span in trained)
    )


QUARTER = "quarter"
"""The estimate of one token for every four characters."""


def stats(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help=f"{ROW_FILES}, or - for standard input")],
    format_: FormatOption = "auto",
    tokenizer: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="Model whose tokenizer counts tokens, such as embedded or FILE.gguf, "
            "or quarter: one token for four characters",
        ),
    ] = QUARTER,
    max_length: Annotated[
        int, typer.Option(metavar="TOKENS", min=0, help="Also count the rows with more tokens than this")
    ] = 0,
    mask: Annotated[
        int,
        typer.Option(metavar="ROW", min=0, help="Show this row with the text that is trained on marked"),
    ] = 0,
    family: Annotated[
        str,
        typer.Option(
            metavar="FAMILY", help=f"Template family that renders the row of --mask: {', '.join(FAMILIES)}"
        ),
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Show statistics of training rows, or the text trained on.

    With --mask, shows which text of one row counts for the loss of a trainer. Exit code 1 if rows cannot be read, or
    if there are none.
    """
    if format_ != "auto":
        format_named(format_)
    if family and not mask:
        raise BadInput("--family", "can be used only with --mask", "add a row number: --mask 1")
    with _engine(tokenizer) as engine:
        if mask:
            _show_mask(files, mask, format_, family, engine, as_json=as_json)
        else:
            _show_stats(files, format_, engine, max_length, as_json=as_json)


@contextmanager
def _engine(tokenizer: str) -> "Generator[Engine | None]":
    """Yield the model whose tokenizer is used, or None for the estimate."""
    if tokenizer == QUARTER:
        yield None
        return
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        engine = services.models.engine(tokenizer)
        if not engine.capabilities.has_tokenizer:
            raise BadInput(f"--tokenizer {tokenizer}", "this model has no tokenizer", "use a GGUF file")
        yield engine


def _tokenizer(engine: "Engine") -> Tokenizer:
    if isinstance(engine, Tokenizer):
        return engine
    raise BadInput(
        "--tokenizer", f"{engine.name} does not report the positions of its tokens", "use a GGUF file"
    )


def _show_stats(
    files: list[str], read_as: str, engine: "Engine | None", max_length: int, *, as_json: bool
) -> None:
    from workbench.library.datasets.compression import count_rows

    found = RowStats()
    count = engine.count_tokens if engine else estimate_tokens
    for _number in with_progress(count_rows(files, found, count, read_as=read_as), "rows"):
        pass
    if as_json:
        cut: JsonObject = {"cut_rows": rows_over(found.lengths, max_length)} if max_length else {}
        write_json_line({**found.to_json(), **cut})
    else:
        for line in stats_lines(found, is_estimate=engine is None, max_length=max_length):
            print(line)
    if found.unreadable or not found.rows:
        raise typer.Exit(UNREADABLE)


def _show_mask(
    files: list[str], number: int, read_as: str, family: str, engine: "Engine | None", *, as_json: bool
) -> None:
    from workbench.library.datasets.compression import find_row
    from workbench.trajectory.row_reading import read_trajectory
    from workbench.trajectory.sets.stats import preview

    if len(files) > 1:
        raise BadInput("--mask", "shows a row of one file", "give only one file")
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
