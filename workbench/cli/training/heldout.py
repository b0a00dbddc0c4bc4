"""`workbench heldout`: measure a model on held-out calls, with and without its adapter."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.cli.terminal.paint import with_progress
from workbench.cli.terminal.sources import load_contract
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.suite.compare import wilson

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workbench.engines.llama_loading import LoadOptions
    from workbench.suite.compare import Interval
    from workbench.training.heldout import CaseKind, HeldOutCase, HeldOutResult


def heldout(
    adapter: Annotated[
        Path | None, typer.Option(metavar="FILE", help="GGUF adapter", show_default="the shipped adapter")
    ] = None,
    model: Annotated[str, typer.Option(metavar="MODEL", help="embedded, or a GGUF file")] = "embedded",
    contract: Annotated[str, typer.Option(metavar="NAME", help="Contract for the system prompt")] = "minimal",
    seed: Annotated[int, typer.Option(help="Seed for the choice of cases")] = 1,
    share: Annotated[
        float, typer.Option(metavar="SHARE", min=0.01, max=1.0, help="Share of the 400 cases to run")
    ] = 1.0,
    base: Annotated[bool, typer.Option(help="Also measure the model without the adapter")] = True,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all cases to this file (JSON Lines)")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON")] = False,
) -> None:
    """Measure a model and its adapter on held-out calls.

    Counts right calls, parallel calls, unneeded calls and questions back, with tools that training never saw. The
    model runs in llama.cpp at temperature 0 without a grammar.
    """
    from workbench.engines.llama_loading import LoraAdapter
    from workbench.training.heldout import KINDS, draw_cases

    loaded_contract = load_contract(contract)
    counts = {kind: max(1, round(kind.cases * share)) for kind in KINDS}
    cases = [
        case
        for kind, count in counts.items()
        for case in draw_cases(kind, loaded_contract, seed=seed, count=count)
    ]
    lora = LoraAdapter(path=_adapter(adapter))
    models = {"base": _loading(), "adapter": _loading(lora)} if base else {"adapter": _loading(lora)}
    results = {name: _run(model, loading, cases) for name, loading in models.items()}
    if out:
        out.write_text("".join(map(_line, ((name, result) for name in results for result in results[name]))))
    if as_json:
        print(json.dumps({kind.name: _kind_json(kind, results) for kind in KINDS}, indent=2))
        return
    print("".join(_row(kind, results) for kind in KINDS), end="")


def _adapter(chosen: Path | None) -> Path:
    from workbench.engines.known_models import find_embedded_adapter

    path = chosen or find_embedded_adapter()
    if path is None:
        raise BadInput(
            "--adapter", "this build has no adapter", "give a GGUF adapter, or run `make embedded-adapter`"
        )
    return path


def _loading(*adapters: object) -> "LoadOptions":
    from workbench.engines.llama_loading import LoadOptions, LoraAdapter

    settings = read_settings()
    return LoadOptions(
        context_tokens=settings.context_tokens,
        threads=settings.threads,
        gpu_layers=settings.gpu_layers,
        lora=tuple(adapter for adapter in adapters if isinstance(adapter, LoraAdapter)),
    )


def _run(model: str, loading: "LoadOptions", cases: "list[HeldOutCase]") -> "list[HeldOutResult]":
    from workbench.engines.llama_cpp import load_llama_cpp
    from workbench.engines.models import LocalModels
    from workbench.training.heldout import run_case

    path = LocalModels(loading=loading, find_cached=lambda _name: None).path(model)
    engine = load_llama_cpp(path, name=model, loading=loading)
    try:
        return [run_case(case, engine) for case in with_progress(iter(cases), "cases")]
    finally:
        engine.close()


def _kind_json(kind: "CaseKind", results: "Mapping[str, list[HeldOutResult]]") -> JsonObject:
    counts: JsonObject = {}
    for name, of_model in results.items():
        right, total, interval = _count(kind, of_model)
        counts[name] = {"right": right, "of": total, "rate_95": [round(bound, 4) for bound in interval]}
    return {"wanted": kind.target, **counts}


def _row(kind: "CaseKind", results: "Mapping[str, list[HeldOutResult]]") -> str:
    cells = ""
    for name, of_model in results.items():
        right, total, interval = _count(kind, of_model)
        cells += f"  {name} {right} of {total} ({interval.low:.0%} to {interval.high:.0%})"
    return f"{kind.name:<9} {kind.target:<29}{cells}\n"


def _count(kind: "CaseKind", results: "list[HeldOutResult]") -> "tuple[int, int, Interval]":
    """Return the right results of a kind, all results of that kind, and the 95 % Wilson interval of the rate."""
    of_kind = [result for result in results if result.case.kind == kind.name]
    right = sum(result.is_right for result in of_kind)
    return right, len(of_kind), wilson(right, len(of_kind))


def _line(named_result: "tuple[str, HeldOutResult]") -> str:
    name, result = named_result
    calls: list[JsonValue] = [{"name": tool, "arguments": arguments} for tool, arguments in result.case.calls]
    row: JsonObject = {
        "model": name,
        "kind": result.case.kind,
        "asked": result.case.request,
        "wanted": calls,
        "completion": result.completion,
        "is_right": result.is_right,
    }
    return json.dumps(row, ensure_ascii=False) + "\n"
