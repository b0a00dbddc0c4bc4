"""The Models tab: local models, the hub's models, adapters, and downloads in progress."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.engines.adapters import Adapter
from workbench.engines.hub.hub_models import (
    CachedModel,
    HubFile,
    HubRepository,
    KnownModel,
    MemoryFit,
    PullProgress,
)
from workbench.rollout.models import ModelStatus
from workbench.ui.present.words import count

HUB: Final = "hf:"
EMBEDDED: Final = "embedded"
_KINDS: Final = (
    ("embedded+bare", "SmolLM2 135M without its adapter"),
    ("embedded+", "SmolLM2 135M with an adapter of yours"),
    ("embedded", "SmolLM2 135M, comes with the workbench"),
    ("hf:", "from the hub"),
    ("hf-inference:", "served by a provider of the hub"),
    ("openai:", "behind a server"),
    ("scripted:", "written completions, no model"),
    ("replay:", "recorded answers, no model"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAction:
    """Something that can be done with a row."""

    event: str
    """What is triggered: use_model, delete_model, show_repository or pull_model."""
    label: str
    confirm: str = ""
    """What the button says once pressed, to be pressed again; empty where once is enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """One model or repository."""

    name: str
    title: str
    """What is read first."""
    notes: tuple[str, ...]
    """Facts, in order; none is empty."""
    badge: str = ""
    """A word of state at its right; empty for none."""
    tone: str = "quiet"
    """Of the badge: quiet, warning or error."""
    actions: tuple[ModelAction, ...] = ()
    """Buttons, in order."""
    receipt: str = ""
    """All of an adapter's receipt, to be unfolded; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRowsView:
    """A list of models."""

    rows: tuple[ModelRow, ...] = ()
    """In order."""
    hint: str = ""
    """Said where there are no rows; empty draws nothing."""
    heading: str = ""
    """Above the rows; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullView:
    """A download under way, or its end."""

    name: str = ""
    """What is fetched; empty hides the pane."""
    share: float = 0.0
    """From 0 to 1."""
    note: str = ""
    """How far, and what is going on."""
    is_running: bool = False
    """True while it can be stopped."""


def size_text(size_bytes: int) -> str:
    """A size for a person.

    >>> size_text(4_920_000_000), size_text(98_000_000)
    ('4.92 GB', '98 MB')
    """
    return f"{size_bytes / 1e9:.2f} GB" if size_bytes >= 1e9 else f"{size_bytes / 1e6:.0f} MB"


def show_here(
    statuses: Sequence[ModelStatus], cached: Iterable[CachedModel], *, chosen: str
) -> ModelRowsView:
    """What can be chosen now, the one to begin with first."""
    sizes = {one.name: one for one in cached}
    return ModelRowsView(rows=tuple(_here(status, sizes, chosen) for status in statuses))


def _here(status: ModelStatus, cached: Mapping[str, CachedModel], chosen: str) -> ModelRow:
    one = cached.get(status.name)
    kind = next((words for prefix, words in _KINDS if status.name.startswith(prefix)), "")
    facts = (status.device or kind, *((one.quantisation, size_text(one.size_bytes)) if one else ()))
    delete = ModelAction(
        event="delete_model",
        label="Delete",
        confirm=f"Delete {size_text(one.size_bytes)}?" if one else "",
    )
    title = status.name.rpartition("/")[2] if one else status.name
    begins = ("the model to begin with",) if status.name == chosen else ()
    return ModelRow(
        name=status.name,
        title=title,
        notes=tuple(filter(None, (*_repository(status.name), *facts, *begins))),
        badge="loaded" if status.is_loaded else "",
        actions=(ModelAction(event="use_model", label="Use"), *((delete,) if one else ())),
    )


def _repository(name: str) -> tuple[str, ...]:
    return ("/".join(name.removeprefix(HUB).split("/")[:2]),) if name.startswith(HUB) else ()


def show_known(known: Iterable[KnownModel]) -> ModelRowsView:
    """The recommended models."""
    rows = tuple(
        ModelRow(
            name=one.repository,
            title=one.title,
            notes=(one.note, f"family {one.family}", count(one.context_tokens, "token") + " of context"),
            actions=(ModelAction(event="show_repository", label="Files"),),
        )
        for one in known
    )
    return ModelRowsView(rows=rows, heading="Recommended")


def show_found(found: Sequence[HubRepository], words: str) -> ModelRowsView:
    """Repositories that were found."""
    rows = tuple(
        ModelRow(
            name=one.id,
            title=one.id,
            notes=(count(one.downloads, "download"), count(one.likes, "like")),
            badge="gated" if one.is_gated else "",
            tone="warning",
            actions=(ModelAction(event="show_repository", label="Files"),),
        )
        for one in found
    )
    hint = f"Nothing with GGUF files is called {words!r}. Try fewer words."
    return ModelRowsView(rows=rows, hint=hint, heading="Found on the hub")


def show_files(repository: str, files: Sequence[HubFile], known: KnownModel | None) -> ModelRowsView:
    """The models of a repository."""
    about = f", family {known.family}" if known else ""
    return ModelRowsView(
        rows=tuple(_file(one) for one in files),
        hint=f"{repository} has no GGUF files.",
        heading=f"{repository}{about}",
    )


def _file(one: HubFile) -> ModelRow:
    size = size_text(one.size_bytes) if one.size_bytes else "size unknown"
    first, number = one.parts[0], len(one.parts)
    parts = count(number, "part") if number > 1 else ""
    tones = {MemoryFit.NO: "error", MemoryFit.TIGHT: "warning"}
    pull = ModelAction(event="pull_model", label="Get")
    use = ModelAction(event="use_model", label="Use")
    return ModelRow(
        name=one.name,
        title=one.quantisation or first,
        notes=tuple(filter(None, (size, parts, first if one.quantisation else ""))),
        badge="here" if one.is_cached else "" if one.fit is MemoryFit.UNKNOWN else one.fit.value,
        tone="quiet" if one.is_cached else tones.get(one.fit, "quiet"),
        actions=(use if one.is_cached else pull,),
    )


def show_progress(name: str, step: PullProgress) -> PullView:
    """A download that is under way."""
    share = step.done_bytes / step.total_bytes if step.total_bytes else 0.0
    note = f"{size_text(step.done_bytes)} of {size_text(step.total_bytes)}"
    note += f" · {step.note}" if step.note else ""
    return PullView(name=name, share=share, note=note, is_running=True)


def show_pull_end(name: str, step: PullProgress | None) -> PullView:
    """A download that is over: all there, or stopped."""
    if step is not None and step.path:
        return PullView(name=name, share=1.0, note="it is here; choose it at the left")
    share = step.done_bytes / step.total_bytes if step and step.total_bytes else 0.0
    return PullView(name=name, share=share, note="stopped; getting it again goes on from there")


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
