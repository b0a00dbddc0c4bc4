"""`workbench synth`: generate training rows for tool calling."""

import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from itertools import count as count_from
from typing import TYPE_CHECKING, Annotated, Final, Protocol, TypedDict

import typer

from workbench.cli.ray_options import AddressOption, WorkEngine, WorkEngineOption, check_address
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import count_of, with_progress, write_json_line
from workbench.cli.terminal.sources import load_contract
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.training.synth.words import WordSplit

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from workbench.chat.json_value import JsonObject
    from workbench.training.synth.conversations import ContractShare, RowSource
    from workbench.trajectory.validate.duplicates import RowFingerprint

_BATCH: Final = 256
"""Rows that a worker of Ray draws at once."""


class RowGenerator(StrEnum):
    """Where tools and sentences come from."""

    FORMAL = "formal"
    """Word lists and templates. Tools may have invented names."""
    EVERYDAY = "everyday"
    """Families of everyday tools, with sentences that people wrote."""


class RowDrawing(Protocol):
    """Draws the rows of a command."""

    def __call__(self, source: "RowSource", *, without: "Sequence[RowFingerprint]") -> "Iterator[JsonObject]":
        """Yield the rows, none of which is like one of `without`."""
        ...


class RowSplit(StrEnum):
    """The splits of both generators."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


class _Common(TypedDict):
    """The options that both generators have."""

    contracts: "tuple[ContractShare, ...]"
    most_tools: int
    most_exchanges: int
    together: int


def synth(
    count: Annotated[int, typer.Option(min=1, help="Number of rows")],
    out: Annotated[
        str,
        typer.Option(
            metavar="FILE", help="File to write: .jsonl, .jsonl.gz, .parquet, or - for standard output"
        ),
    ],
    seed: Annotated[int, typer.Option(help="Seed; the same seed gives the same rows")] = 0,
    generator: Annotated[
        RowGenerator, typer.Option(help="Tools of word lists, or tools of everyday life")
    ] = RowGenerator.FORMAL,
    split: Annotated[
        RowSplit,
        typer.Option(help="Split whose words, tools and sentences are used; only everyday has validation"),
    ] = RowSplit.TRAIN,
    contract: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=SHARE]",
            help="Contract and its share of the rows; repeatable",
            show_default="all contracts, in equal shares",
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=SHARE]",
            help="Kind of exchange and its share; repeatable",
            show_default="a mix of all kinds",
        ),
    ] = None,
    tools: Annotated[
        int, typer.Option(min=1, max=5, help="Maximum number of tools in a row; of families for everyday")
    ] = 5,
    disguised: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Share of everyday tools with other names, parameters and order than in their family",
        ),
    ] = 0.0,
    masked: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Share of everyday tools with a name that has no meaning",
        ),
    ] = 0.0,
    together: Annotated[
        int, typer.Option(min=1, help="Number of rows in succession that share contract and tools")
    ] = 1,
    exchanges: Annotated[int, typer.Option(min=1, max=4, help="Maximum number of exchanges in a row")] = 4,
    without: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Leave out rows like those of this file; repeatable"),
    ] = None,
    from_suite: Annotated[
        str,
        typer.Option(
            metavar="SUITE",
            help="Vary the conversations of this suite instead, and write those that can be solved as a suite",
            show_default=False,
        ),
    ] = "",
    engine: WorkEngineOption = WorkEngine.LOCAL,
    address: AddressOption = "",
    as_json: JsonOption = False,
) -> None:
    """Generate training rows for tool calling.

    Writes conversations in the format `sharegpt`. Tools, words and sentences of one split never occur in another.
    """
    if as_json and out == "-":
        raise BadInput("--json", "the rows already go to standard output", "give a file with --out")
    if from_suite:
        _vary(from_suite, count, seed, out)
        return
    check_address(engine, address)
    from workbench.library.datasets.row_writer import open_writer
    from workbench.library.home_files import ContractFiles, find_folder
    from workbench.training.synth.conversations import ContractShare

    library = ContractFiles(find_folder("prompts", read_settings().home))
    shares = [_share("--contract", text) for text in contract or ()]
    kinds = tuple(_share("--kind", text) for text in kind or ())
    contracts = tuple(ContractShare(load_contract(name), share) for name, share in shares) or tuple(
        ContractShare(library.load_contract(name), 1.0) for name in library.contract_names() or ("minimal",)
    )
    common: _Common = {
        "contracts": contracts,
        "most_tools": tools,
        "most_exchanges": exchanges,
        "together": together,
    }
    if generator is RowGenerator.EVERYDAY:
        draw = _everyday(seed, count, split, kinds, common, disguised, masked)
    else:
        draw = _formal(seed, count, split, kinds, common)
    known = tuple(_fingerprints(without or ()))
    with open_writer(out) as write, _row_source(engine, address) as source:
        for row in with_progress(draw(source, without=known), "rows"):
            write(row)
    if as_json:
        write_json_line({"rows": count, "file": out})
    print(f"{count_of(count, 'row')} written to {out}", file=sys.stderr)


def _vary(name: str, count: int, seed: int, out: str) -> None:
    """Write variations of the conversations of a suite as a suite."""
    from pathlib import Path

    from workbench.app.runs.varied_suites import vary_suite
    from workbench.cli.suites.files import suites_named, write_file
    from workbench.cli.terminal.stopping import stop_at_interrupt
    from workbench.suite.read_suite import render_suite
    from workbench.wiring import open_services

    if not out.endswith(".yaml"):
        raise BadInput("--out", "variations of a suite are a suite", "use a file that ends in .yaml")
    with open_services(read_settings()) as services, stop_at_interrupt() as stop:
        [suite] = suites_named(services, [name])
        made = vary_suite(
            services, suite, count=count, seed=seed, name=Path(out).stem, is_cancelled=stop.is_set
        )
    write_file(out, render_suite(made.suite))
    kept = f"{len(made.suite.cases)} of {made.tried} variations can be solved"
    print(f"{kept}; run {made.run_id[:12]} proves it", file=sys.stderr)


def _fingerprints(files: Iterable[str]) -> "Iterator[RowFingerprint]":
    from workbench.library.datasets.row_files import read_row, read_rows
    from workbench.trajectory.row import RowFinding
    from workbench.trajectory.validate.duplicates import fingerprint_row

    for file in files:
        for row in read_rows(file):
            read = read_row(row, "auto")
            if isinstance(read, RowFinding):
                raise BadInput(f"--without {file}", read.message, "see `workbench check`")
            yield fingerprint_row(read)


@contextmanager
def _row_source(engine: WorkEngine, address: str) -> "Generator[RowSource]":
    """Yield where rows are drawn: in this process, or on the workers of Ray."""
    from workbench.training.synth.conversations import drawn_here

    if engine is WorkEngine.LOCAL:
        yield drawn_here
        return
    from workbench.library.ray_cluster import map_numbers, started_ray

    with started_ray(address) as ray:
        batches = (range(first, first + _BATCH) for first in count_from(0, _BATCH))
        yield lambda draw: map_numbers(ray, draw, batches)


def _formal(
    seed: int, count: int, split: RowSplit, kinds: tuple[tuple[str, float], ...], common: "_Common"
) -> RowDrawing:
    from workbench.training.synth.conversations import SynthOptions, synth_rows
    from workbench.training.synth.exchanges import EXCHANGES, SHARES

    if split is RowSplit.VALIDATION:
        raise BadInput(
            "--split validation", "the formal generator has no such split", "use train or test, or everyday"
        )
    _check_kinds(kinds, EXCHANGES)
    options = SynthOptions(split=WordSplit(split), kinds=kinds or SHARES, **common)
    return partial(synth_rows, seed, count, options)


def _everyday(
    seed: int,
    count: int,
    split: RowSplit,
    kinds: tuple[tuple[str, float], ...],
    common: "_Common",
    disguised: float,
    masked: float,
) -> RowDrawing:
    from workbench.training.everyday.exchanges import EVERYDAY_EXCHANGES, EVERYDAY_SHARES
    from workbench.training.everyday.family import FamilySplit
    from workbench.training.everyday.rows import EverydayOptions
    from workbench.training.synth.conversations import synth_rows

    _check_kinds(kinds, EVERYDAY_EXCHANGES)
    options = EverydayOptions(
        split=FamilySplit(split),
        kinds=kinds or EVERYDAY_SHARES,
        disguised=disguised,
        masked=masked,
        **common,
    )
    return partial(synth_rows, seed, count, options)


def _check_kinds(kinds: tuple[tuple[str, float], ...], known: Collection[str]) -> None:
    for name, _ in kinds:
        if name not in known:
            raise BadInput(f"--kind {name}", "unknown kind", f"use one of {', '.join(known)}")


def _share(option: str, text: str) -> tuple[str, float]:
    name, equals, share = text.partition("=")
    try:
        value = float(share) if equals else 1.0
    except ValueError:
        value = -1.0
    if value <= 0 or not name:
        raise BadInput(f"{option} {text}", "not a name with a positive share", "write NAME or NAME=6")
    return name, value
