"""Figures of rows for a person."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from workbench.cli.terminal.paint import shown
from workbench.trajectory.sets.stats import RowStats, share, spread

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
    found = spread(counts)
    return ", ".join(f"{name} {number:,}" for name, number in found.items()) or "none"


def _listed(name: str, counts: Counter[str]) -> Iterator[str]:
    for word, count in counts.most_common(_MOST):
        yield f"{count:8,}  {name} {shown(word)}"
    if len(counts) > _MOST:
        yield f"{'':8}  and {len(counts) - _MOST:,} more"
