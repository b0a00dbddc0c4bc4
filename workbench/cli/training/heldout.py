"""`workbench heldout`: measure a model on held-out calls, with and without its adapter."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.cli.suites.run import GrammarOption
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import with_progress
from workbench.cli.terminal.sources import load_contract
from workbench.cli.training.call_threshold import choose_call_threshold, loaded_engine
from workbench.cli.training.synth import RowGenerator, RowSplit
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.suite.compare import wilson

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workbench.engines.llama_loading import LoadOptions
    from workbench.rollout.ports import Engine
    from workbench.suite.compare import Interval
    from workbench.training.heldout import CaseKind, HeldOutCase, HeldOutResult


def heldout(
    adapter: Annotated[
        Path | None, typer.Option(metavar="FILE", help="GGUF adapter", show_default="the shipped adapter")
    ] = None,
    model: Annotated[str, typer.Option(metavar="MODEL", help="embedded, or a GGUF file")] = "embedded",
    generator: Annotated[
        RowGenerator, typer.Option(help="Cases with invented tools, or with tools of everyday life")
    ] = RowGenerator.FORMAL,
    split: Annotated[
        RowSplit, typer.Option(help="Split that everyday cases are drawn from: test or validation")
    ] = RowSplit.TEST,
    grammar: Annotated[
        GrammarOption, typer.Option(help="Constrain calls with a grammar; both runs each case both ways")
    ] = GrammarOption.OFF,
    contract: Annotated[str, typer.Option(metavar="NAME", help="Contract for the system prompt")] = "minimal",
    seed: Annotated[int, typer.Option(help="Seed for the choice of cases")] = 1,
    share: Annotated[
        float, typer.Option(metavar="SHARE", min=0.01, max=1.0, help="Share of all cases to run")
    ] = 1.0,
    choose_threshold: Annotated[
        bool,
        typer.Option(
            "--choose-threshold",
            help="Try call thresholds on the cases, and write the best one into the adapter's receipt.json",
        ),
    ] = False,
    base: Annotated[bool, typer.Option(help="Also measure the model without the adapter")] = True,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all cases to this file (JSON Lines)")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure a model and its adapter on held-out calls.

    Counts right calls, parallel calls, unneeded calls and questions back, with tools that training never saw, and what
    the model did: called, asked, refused or answered. The model runs in llama.cpp at temperature 0.
    """
    from workbench.engines.llama_loading import LoraAdapter

    lora = LoraAdapter(path=_adapter(adapter))
    kinds, cases = draw_measurement(generator, split, contract, seed, share)
    if choose_threshold:
        choose_call_threshold(model, lora.path, _loading(lora), cases, grammar)
        return
    models = {"base": _loading(), "adapter": _loading(lora)} if base else {"adapter": _loading(lora)}
    results: dict[str, list[HeldOutResult]] = {}
    for name, loading in models.items():
        results |= _run(model, name, loading, cases, grammar)
    if out:
        out.write_text("".join(map(_line, ((name, result) for name in results for result in results[name]))))
    if as_json:
        print(json.dumps({kind.name: _kind_json(kind, results) for kind in kinds}, indent=2))
        return
    print("".join(_row(kind, results) for kind in kinds), end="")


def draw_measurement(
    generator: RowGenerator, split: RowSplit, contract: str, seed: int, share: float
) -> "tuple[Sequence[CaseKind], list[HeldOutCase]]":
    """Return the kinds of a measurement and their cases."""
    from workbench.training.everyday.family import FamilySplit
    from workbench.training.heldout import EVERYDAY_KINDS, KINDS, draw_cases, draw_everyday_cases

    is_formal = generator is RowGenerator.FORMAL
    if split is RowSplit.TRAIN or (is_formal and split is RowSplit.VALIDATION):
        is_train = split is RowSplit.TRAIN
        problem = "training uses this split" if is_train else "the formal generator has no such split"
        raise BadInput(f"--split {split}", problem, "use test, or validation with --generator everyday")
    loaded_contract = load_contract(contract)
    kinds = KINDS if is_formal else EVERYDAY_KINDS
    cases: list[HeldOutCase] = []
    for kind in kinds:
        count = max(1, round(kind.cases * share))
        if is_formal:
            cases += draw_cases(kind, loaded_contract, seed=seed, count=count)
        else:
            cases += draw_everyday_cases(
                kind, loaded_contract, seed=seed, count=count, split=FamilySplit(split)
            )
    return kinds, cases


def _adapter(chosen: Path | None) -> Path:
    from workbench.engines.embedded_model import find_embedded_adapter

    path = chosen or find_embedded_adapter()
    if path is None:
        raise BadInput(
            "--adapter", "this build has no adapter", "give a GGUF adapter, or run `make embedded-adapter`"
        )
    if not path.is_file():
        raise BadInput("--adapter", f"there is no file {str(path)[:60]!r}", "give a GGUF adapter")
    return path


def _loading(*adapters: object) -> "LoadOptions":
    from workbench.engines.llama_loading import LoadOptions, LoraAdapter

    settings = read_settings()
    return LoadOptions(
        context_tokens=settings.context_tokens,
        threads=settings.threads,
        gpu_layers=settings.gpu_layers,
        lora=tuple(adapter for adapter in adapters if isinstance(adapter, LoraAdapter)),
        call_threshold=settings.call_threshold,
    )


def _run(
    model: str, name: str, loading: "LoadOptions", cases: "list[HeldOutCase]", grammar: GrammarOption
) -> "dict[str, list[HeldOutResult]]":
    """Run all cases without a grammar, with it, or both. The results are by name, such as `adapter, grammar`."""
    with loaded_engine(model, loading) as engine:
        return _run_engine(engine, name, cases, grammar)


def _run_engine(
    engine: "Engine", name: str, cases: "list[HeldOutCase]", grammar: GrammarOption
) -> "dict[str, list[HeldOutResult]]":
    from workbench.training.heldout import run_case

    ways = {GrammarOption.OFF: (False,), GrammarOption.ON: (True,), GrammarOption.BOTH: (False, True)}[
        grammar
    ]
    return {
        f"{name}, grammar" if is_constrained else name: [
            run_case(case, engine, is_constrained=is_constrained)
            for case in with_progress(iter(cases), "cases")
        ]
        for is_constrained in ways
    }


def _kind_json(kind: "CaseKind", results: "Mapping[str, list[HeldOutResult]]") -> JsonObject:
    counts: JsonObject = {}
    for name, of_model in results.items():
        right, total, interval = _count(kind, of_model)
        counts[name] = {
            "right": right,
            "of": total,
            "rate_95": [round(bound, 4) for bound in interval],
            "reactions": dict(_reactions(kind, of_model)),
        }
    return {"wanted": kind.target, **counts}


def _row(kind: "CaseKind", results: "Mapping[str, list[HeldOutResult]]") -> str:
    lines = [f"{kind.name:<9} {kind.target}"]
    width = max(map(len, results))
    for name, of_model in results.items():
        right, total, interval = _count(kind, of_model)
        reactions = ", ".join(f"{reaction} {count}" for reaction, count in _reactions(kind, of_model).items())
        rate = f"{right} of {total} ({interval.low:.0%} to {interval.high:.0%})"
        lines.append(f"  {name:<{width}}  {rate:<24}  {reactions}")
    return "\n".join(lines) + "\n"


def _reactions(kind: "CaseKind", results: "list[HeldOutResult]") -> dict[str, int]:
    """Count what the model did in the cases of a kind: called, asked, refused or answered."""
    from workbench.training.heldout import Reaction

    counts = Counter(result.reaction for result in results if result.case.kind == kind.name)
    return {reaction.value: counts[reaction] for reaction in Reaction}


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
        "reaction": result.reaction.value,
    }
    return json.dumps(row, ensure_ascii=False) + "\n"
