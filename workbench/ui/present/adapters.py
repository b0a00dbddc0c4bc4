"""Adapters as the Models tab shows them: what was trained, on what, and whether the receipt is of this file."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.engines.adapters import Adapter
from workbench.ui.present.models import ModelAction, ModelRow, ModelRowsView, size_text
from workbench.ui.present.words import count

NOTHING_HERE: Final = "None yet. `workbench train` writes one; name its folder above."
"""Said where there is no adapter."""


def show_adapters(adapters: Sequence[Adapter]) -> ModelRowsView:
    """Each adapter, with what its receipt tells."""
    return ModelRowsView(rows=tuple(map(_row, adapters)), hint=NOTHING_HERE)


def _row(one: Adapter) -> ModelRow:
    badge, tone = "receipt and file agree", "quiet"
    if one.receipt is None:
        badge, tone = "no receipt", "warning"
    elif not one.is_receipted:
        badge, tone = "the receipt is of another file", "error"
    return ModelRow(
        name=one.model,
        title=one.title,
        notes=(f"over {one.base}", size_text(one.size_bytes), *_told(one.receipt or {})),
        badge=badge,
        tone=tone,
        actions=(ModelAction(event="use_model", label="Use"),),
        receipt=json.dumps(one.receipt, indent=2, ensure_ascii=False) if one.receipt else "",
    )


def _told(receipt: JsonObject) -> Iterator[str]:
    """The facts of a receipt that a person asks for first; what it does not say is left out."""
    block, settings = as_object(receipt.get("function_calling")), as_object(receipt.get("settings"))
    rows = as_object(receipt.get("rows"))
    if isinstance(total := rows.get("rows"), int):
        yield count(total, "row")
    calls, tools = block.get("n_tool_calls_in_train"), block.get("n_tools_declared")
    if isinstance(calls, int) and isinstance(tools, int):
        yield f"{count(calls, 'call')} of {count(tools, 'tool')}"
    if isinstance(issues := block.get("validator_issues"), int):
        yield count(issues, "validator issue")
    if isinstance(steps := receipt.get("steps"), int):
        planned = receipt.get("steps_planned")
        is_stopped = isinstance(planned, int) and steps < planned
        yield f"{steps:,} of {planned:,} steps" if is_stopped else count(steps, "step")
    if isinstance(before := _start(receipt).get("steps"), int):
        yield f"after {before:,} of an earlier run"
    if (loss := _last_loss(receipt.get("loss_by_step"))) is not None:
        yield f"last loss {loss:g}"
    if isinstance(rank := settings.get("lora_rank"), int) and rank:
        yield f"rank {rank}"


def _start(receipt: JsonObject) -> JsonObject:
    """The receipt of the run that this one went on from; empty for none."""
    return as_object(as_object(receipt.get("start")).get("receipt"))


def _last_loss(curve: JsonValue) -> float | None:
    last = curve[-1] if isinstance(curve, list) and curve else None
    loss = last[-1] if isinstance(last, list) and last else None
    return float(loss) if isinstance(loss, int | float) else None
