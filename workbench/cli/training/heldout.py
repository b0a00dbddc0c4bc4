"""`workbench heldout`: measure a model on held-out calls, without and with its adapter."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.cli.terminal.paint import with_progress
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.suite.compare import wilson

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workbench.engines.llama_loading import LoadOptions
    from workbench.suite.compare import Interval
    from workbench.training.heldout import CaseKind, HeldOutCase, HeldOutResult


def heldout(
    adapter: Annotated[Path | None, typer.Option(help="GGUF adapter; the shipped one if left out.")] = None,
    model: Annotated[str, typer.Option(help="embedded, or a GGUF file.")] = "embedded",
    contract: Annotated[str, typer.Option(help="Under which system text.")] = "minimal",
    seed: Annotated[int, typer.Option(help="Another seed, other cases.")] = 1,
    share: Annotated[float, typer.Option(min=0.01, max=1.0, help="Of the 400 cases.")] = 1.0,
    base: Annotated[bool, typer.Option(help="Whether the bare model is measured too.")] = True,
    out: Annotated[Path | None, typer.Option(help="File for every case, as JSON Lines.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Measure calls of unseen tools: right ones, parallel ones, needless ones, questions back.

    Through llama.cpp, temperature 0, without any constraint.
    """
    from workbench.engines.llama_loading import LoraAdapter
    from workbench.library.home_files import ContractFiles, find_folder
    from workbench.training.heldout import KINDS, draw_cases

    told = ContractFiles(find_folder("prompts", read_settings().home)).load_contract(contract)
    counts = {kind: max(1, round(kind.cases * share)) for kind in KINDS}
    cases = [
        case for kind, count in counts.items() for case in draw_cases(kind, told, seed=seed, count=count)
    ]
    laid = LoraAdapter(path=_adapter(adapter))
    models = {"base": _loading(), "adapter": _loading(laid)} if base else {"adapter": _loading(laid)}
    played = {name: _play(model, loading, cases) for name, loading in models.items()}
    if out:
        out.write_text("".join(map(_line, ((name, one) for name in played for one in played[name]))))
    if as_json:
        print(json.dumps({kind.name: _told(kind, played) for kind in KINDS}, indent=2))
        return
    print("".join(_row(kind, played) for kind in KINDS), end="")


def _adapter(given: Path | None) -> Path:
    from workbench.engines.known_models import find_embedded_adapter

    path = given or find_embedded_adapter()
    if path is None:
        raise BadInput("--adapter", "this build ships none", "name a GGUF adapter, or make embedded-adapter")
    return path


def _loading(*adapters: object) -> "LoadOptions":
    from workbench.engines.llama_loading import LoadOptions, LoraAdapter

    settings = read_settings()
    return LoadOptions(
        context_tokens=settings.context_tokens,
        threads=settings.threads,
        gpu_layers=settings.gpu_layers,
        lora=tuple(one for one in adapters if isinstance(one, LoraAdapter)),
    )


def _play(model: str, loading: "LoadOptions", cases: "list[HeldOutCase]") -> "list[HeldOutResult]":
    from workbench.engines.llama_cpp import load_llama_cpp
    from workbench.engines.models import LocalModels
    from workbench.training.heldout import run_case

    path = LocalModels(loading=loading, find_cached=lambda _name: None).path(model)
    engine = load_llama_cpp(path, name=model, loading=loading)
    try:
        return [run_case(case, engine) for case in with_progress(iter(cases), "cases")]
    finally:
        engine.close()


def _told(kind: "CaseKind", played: "Mapping[str, list[HeldOutResult]]") -> JsonObject:
    counts: JsonObject = {}
    for name, of in played.items():
        right, total, interval = _count(kind, of)
        counts[name] = {"right": right, "of": total, "rate_95": [round(one, 4) for one in interval]}
    return {"wanted": kind.target, **counts}


def _row(kind: "CaseKind", played: "Mapping[str, list[HeldOutResult]]") -> str:
    cells = ""
    for name, of in played.items():
        right, total, interval = _count(kind, of)
        cells += f"  {name} {right} of {total} ({interval.low:.0%} to {interval.high:.0%})"
    return f"{kind.name:<9} {kind.target:<29}{cells}\n"


def _count(kind: "CaseKind", played: "list[HeldOutResult]") -> "tuple[int, int, Interval]":
    """Right ones, all of the kind, and where the rate lies (95 %, Wilson)."""
    of = [one for one in played if one.case.kind == kind.name]
    right = sum(one.is_right for one in of)
    return right, len(of), wilson(right, len(of))


def _line(one: "tuple[str, HeldOutResult]") -> str:
    name, played = one
    calls: list[JsonValue] = [{"name": tool, "arguments": arguments} for tool, arguments in played.case.calls]
    row: JsonObject = {
        "model": name,
        "kind": played.case.kind,
        "asked": played.case.request,
        "wanted": calls,
        "completion": played.completion,
        "is_right": played.is_right,
    }
    return json.dumps(row, ensure_ascii=False) + "\n"
