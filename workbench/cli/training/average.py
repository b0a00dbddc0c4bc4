"""`workbench average`: average adapters of the same base."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.training.train import LicenceOption, StoredAs, StoredAsOption
from workbench.errors import BadInput
from workbench.settings.extras import install_command


def average(
    adapters: Annotated[
        list[str],
        typer.Argument(metavar="ADAPTERS", help="GGUF adapters, folders with an adapter.gguf, or embedded"),
    ],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for the average")],
    weight: Annotated[
        list[float] | None,
        typer.Option(metavar="WEIGHT", help="Weight of an adapter, once for each", show_default="equal"),
    ] = None,
    rank: Annotated[
        int,
        typer.Option(
            min=0, max=512, help="Highest rank of the average; 0 for the highest rank of the adapters"
        ),
    ] = 0,
    stored_as: StoredAsOption = StoredAs.F16,
    licence: LicenceOption = "apache-2.0",
) -> None:
    """Average LoRA adapters of the same base.

    An adapter that was trained on your rows from the shipped one learned the new and forgot some of the old. Their
    average often keeps both. Writes the adapter as GGUF, with a receipt and a model card.
    """
    try:
        from workbench.training.averaging import Part, write_average
    except ImportError as error:
        remedy = f"install the extra `train`: {install_command('train')}"
        raise BadInput("average", f"{error.name or error} is not installed", remedy) from error
    if len(adapters) < 2:
        raise BadInput("average", "only one adapter is given", "give two or more")
    weights = weight or [1 / len(adapters)] * len(adapters)
    if len(weights) != len(adapters):
        raise BadInput(
            "--weight", f"{len(weights)} weights for {len(adapters)} adapters", "give one for each, or none"
        )
    parts = [Part(_file(name), share) for name, share in zip(adapters, weights, strict=True)]
    result = write_average(parts, out, rank=rank, stored_as=stored_as.value, licence=licence)
    print(f"rank {result.rank}, {1 - result.lost:.2%} of the squared norm kept: {out}", file=sys.stderr)


def _file(name: str) -> Path:
    from workbench.engines.adapters import AdapterFiles
    from workbench.engines.embedded_model import find_embedded_adapter

    embedded = find_embedded_adapter() if name == "embedded" else None
    return embedded or AdapterFiles().file(name)
