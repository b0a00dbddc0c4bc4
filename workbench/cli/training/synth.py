"""`workbench synth`: generate training rows for tool calling."""

import sys
from typing import Annotated

import typer

from workbench.cli.terminal.paint import with_progress
from workbench.cli.terminal.sources import load_contract
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.training.synth.words import WordSplit


def synth(
    count: Annotated[int, typer.Option(min=1, help="Number of rows")],
    out: Annotated[
        str,
        typer.Option(
            metavar="FILE", help="File to write: .jsonl, .jsonl.gz, .parquet, or - for standard output"
        ),
    ],
    seed: Annotated[int, typer.Option(help="Seed; the same seed gives the same rows")] = 0,
    split: Annotated[
        WordSplit, typer.Option(help="Split whose words, tools and sentences are used")
    ] = WordSplit.TRAIN,
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
    tools: Annotated[int, typer.Option(min=1, max=5, help="Maximum number of tools in a row")] = 5,
    together: Annotated[
        int, typer.Option(min=1, help="Number of rows in succession that share contract and tools")
    ] = 1,
    exchanges: Annotated[int, typer.Option(min=1, max=4, help="Maximum number of exchanges in a row")] = 4,
) -> None:
    """Generate training rows for tool calling.

    Writes conversations in the format `sharegpt`. The tools, words and sentences of the split `test` never occur in
    the split `train`.
    """
    from workbench.library.datasets.row_writer import open_writer
    from workbench.library.home_files import ContractFiles, find_folder
    from workbench.training.synth.conversations import ContractShare, SynthOptions, synth_rows
    from workbench.training.synth.exchanges import EXCHANGES, SHARES

    library = ContractFiles(find_folder("prompts", read_settings().home))
    shares = [_share("--contract", text) for text in contract or ()]
    kinds = tuple(_share("--kind", text) for text in kind or ())
    for name, _ in kinds:
        if name not in EXCHANGES:
            raise BadInput(f"--kind {name}", "unknown kind", f"use one of {', '.join(EXCHANGES)}")
    contracts = tuple(ContractShare(load_contract(name), share) for name, share in shares) or tuple(
        ContractShare(library.load_contract(name), 1.0) for name in library.contract_names()
    )
    options = SynthOptions(
        split=split,
        contracts=contracts,
        kinds=kinds or SHARES,
        most_tools=tools,
        most_exchanges=exchanges,
        together=together,
    )
    with open_writer(out) as write:
        for row in with_progress(synth_rows(seed, count, options), "rows"):
            write(row)
    print(f"{count:,} row{'' if count == 1 else 's'} written to {out}", file=sys.stderr)


def _share(option: str, text: str) -> tuple[str, float]:
    name, equals, share = text.partition("=")
    try:
        value = float(share) if equals else 1.0
    except ValueError:
        value = -1.0
    if value <= 0 or not name:
        raise BadInput(f"{option} {text}", "not a name with a positive share", "write NAME or NAME=6")
    return name, value
