"""`workbench heldout --choose-threshold`: try call thresholds, and write the best one into an adapter's receipt."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.chat.json_value import json_for_people
from workbench.cli.suites.run import GrammarOption
from workbench.cli.terminal.paint import with_progress
from workbench.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.engines.llama_cpp import LlamaCppEngine
    from workbench.engines.llama_loading import LoadOptions
    from workbench.training.heldout import HeldOutCase


@contextmanager
def loaded_engine(model: str, loading: "LoadOptions") -> "Generator[LlamaCppEngine]":
    """Load a model for a measurement, and close it at the end."""
    from workbench.engines.llama_cpp import load_llama_cpp
    from workbench.engines.models import LocalModels

    path = LocalModels(loading=loading, find_cached=lambda _name: None).path(model)
    engine = load_llama_cpp(path, name=model, loading=loading)
    try:
        yield engine
    finally:
        engine.close()


def choose_call_threshold(
    model: str, adapter: Path, loading: "LoadOptions", cases: "Sequence[HeldOutCase]", grammar: GrammarOption
) -> None:
    """Print the results of all thresholds, and write the best one into the receipt next to the adapter.

    Raises:
        BadInput: There is no readable receipt, or both ways of decoding are asked for.
    """
    from workbench.engines.adapters import read_receipt
    from workbench.training.call_threshold import best_threshold, threshold_rows, weigh_case

    if grammar is GrammarOption.BOTH:
        raise BadInput("--grammar both", "a threshold is chosen for one way of decoding", "use on or off")
    receipt, file = read_receipt(adapter), adapter.parent / "receipt.json"
    if receipt is None:
        raise BadInput(str(file), "no readable receipt", "use the output folder of `workbench train`")
    with loaded_engine(model, loading) as engine:
        weighed = [
            weigh_case(case, engine, is_constrained=grammar is GrammarOption.ON)
            for case in with_progress(iter(cases), "cases")
        ]
    rows = threshold_rows(weighed)
    kinds = list(rows[0].rates)
    print("  ".join(["threshold", *(f"{kind:>8}" for kind in kinds), f"{'mean':>6}", "calls kept"]))
    for row in rows:
        rates = (f"{row.rates[kind]:>8.1%}" for kind in kinds)
        print("  ".join([f"{row.threshold:>9.2f}", *rates, f"{row.mean:>6.1%}", f"{row.kept:>10.1%}"]))
    chosen = best_threshold(rows)
    file.write_text(json_for_people({**receipt, "call_threshold": chosen}) + "\n")
    print(f"call_threshold {chosen:g} was written to {file}")
