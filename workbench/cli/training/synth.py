"""`workbench synth`: generate rows that teach tool calling, from grammars."""

import sys
from typing import Annotated

import typer

from workbench.cli.terminal.paint import with_progress
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.training.synth.words import WordSplit


def synth(
    count: Annotated[int, typer.Option(min=1, help="So many rows.")],
    out: Annotated[str, typer.Option(help="NAME.jsonl, .jsonl.gz, .parquet or -.")],
    seed: Annotated[int, typer.Option(help="Another seed, other rows.")] = 0,
    split: Annotated[WordSplit, typer.Option(help="Whose words, tools and grammars.")] = WordSplit.TRAIN,
    contract: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[=SHARE]", help="Repeatable; every contract, evenly, if left out."),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[=SHARE]", help="Repeatable: what happens in them; a mix if left out."),
    ] = None,
    tools: Annotated[int, typer.Option(min=1, max=5, help="So many tools at most in a row.")] = 5,
    together: Annotated[int, typer.Option(min=1, help="So many rows share contract and tools.")] = 1,
    exchanges: Annotated[int, typer.Option(min=1, max=4, help="So many exchanges at most in a row.")] = 4,
) -> None:
    """Write generated conversations as rows of the form `sharegpt`: the same seed, the same rows.

    What belongs to the split `test` (tools, words, forms of requests and answers) never occurs in `train`.
    """
    from workbench.library.datasets.row_writer import open_writer
    from workbench.library.home_files import ContractFiles, find_folder
    from workbench.training.synth.conversations import ContractShare, SynthOptions, synth_rows
    from workbench.training.synth.exchanges import EXCHANGES, SHARES

    library = ContractFiles(find_folder("prompts", read_settings().home))
    shares = [_share("--contract", one) for one in contract or library.contract_names()]
    kinds = tuple(_share("--kind", one) for one in kind or ())
    for name, _ in kinds:
        if name not in EXCHANGES:
            raise BadInput(f"--kind {name}", "no such kind", f"kinds are {', '.join(EXCHANGES)}")
    contracts = tuple(ContractShare(library.load_contract(name), share) for name, share in shares)
    terms = SynthOptions(
        split=split,
        contracts=contracts,
        kinds=kinds or SHARES,
        most_tools=tools,
        most_exchanges=exchanges,
        together=together,
    )
    with open_writer(out) as write:
        for row in with_progress(synth_rows(seed, count, terms), "rows"):
            write(row)
    print(f"{count:,} rows written to {out}", file=sys.stderr)


def _share(option: str, text: str) -> tuple[str, float]:
    name, equals, share = text.partition("=")
    try:
        value = float(share) if equals else 1.0
    except ValueError:
        value = -1.0
    if value <= 0 or not name:
        raise BadInput(f"{option} {text}", "no name and positive share", "write it as NAME=6")
    return name, value
