"""`workbench synth`: rows that teach tool calling, from grammars."""

import sys
from typing import Annotated

import typer

from workbench.cli.terminal.progress import with_progress
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.training.synth.split import Split


def synth(
    count: Annotated[int, typer.Option(min=1, help="So many rows.")],
    out: Annotated[str, typer.Option(help="NAME.jsonl, .jsonl.gz, .parquet or -.")],
    seed: Annotated[int, typer.Option(help="Another seed, other rows.")] = 0,
    split: Annotated[Split, typer.Option(help="Whose words, tools and grammars.")] = Split.TRAIN,
    contract: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[=SHARE]", help="Repeatable; every contract, evenly, if left out."),
    ] = None,
    tools: Annotated[int, typer.Option(min=1, max=5, help="So many tools at most in a row.")] = 5,
) -> None:
    """Write generated conversations as rows of the form `sharegpt`: the same seed, the same rows.

    What belongs to the split `test` (tools, words, forms of requests and answers) never occurs in `train`.
    """
    from workbench.library.datasets.row_writer import open_writer
    from workbench.library.homes import find_folder
    from workbench.library.prompts import FileLibrary
    from workbench.training.synth.conversations import Terms, Under
    from workbench.training.synth.generate import synth_rows

    library = FileLibrary(find_folder("prompts", read_settings().home))
    shares = [_share(one) for one in contract or library.contract_names()]
    contracts = tuple(Under(library.load_contract(name), share) for name, share in shares)
    terms = Terms(split=split, contracts=contracts, most_tools=tools)
    with open_writer(out) as write:
        for row in with_progress(synth_rows(seed, count, terms), "rows"):
            write(row)
    print(f"{count:,} rows written to {out}", file=sys.stderr)


def _share(text: str) -> tuple[str, float]:
    name, equals, share = text.partition("=")
    try:
        value = float(share) if equals else 1.0
    except ValueError:
        value = -1.0
    if value <= 0 or not name:
        raise BadInput(f"--contract {text}", "no name and positive share", "write it as minimal=6")
    return name, value
