"""Show the Models tab: local models, models on the Hub, adapters, and downloads."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object, json_for_people
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
    ("embedded+", "SmolLM2 135M with your adapter"),
    ("embedded", "SmolLM2 135M, included"),
    ("hf:", "from the Hub"),
    ("hf-inference:", "served by a Hub inference provider"),
    ("openai:", "on a server"),
    ("scripted:", "scripted completions, no model"),
    ("replay:", "recorded answers, no model"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAction:
    """A button of a row."""

    event: str
    """The event to trigger: `use_model`, `delete_model`, `show_repository` or `pull_model`."""
    label: str
    confirm: str = ""
    """Label after the first press, to confirm with a second one. Empty if no confirmation is needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """One model or repository."""

    name: str
    title: str
    """The heading of the row."""
    notes: tuple[str, ...]
    """Facts about the model. No item is empty."""
    badge: str = ""
    """The state, shown on the right. Empty if there is none."""
    tone: str = "quiet"
    """Tone of the badge: `quiet`, `warning` or `error`."""
    actions: tuple[ModelAction, ...] = ()
    receipt: str = ""
    """The receipt of an adapter as JSON, collapsed at first. Empty if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRowsView:
    """A list of models."""

    rows: tuple[ModelRow, ...] = ()
    hint: str = ""
    """Shown if there are no rows. Empty draws nothing."""
    heading: str = ""
    """Heading of the rows. Empty if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullView:
    """The progress of a download, or how it ended."""

    name: str = ""
    """The model that is downloaded. Empty hides the pane."""
    share: float = 0.0
    """From 0 to 1."""
    note: str = ""
    """Progress in bytes and the current step."""
    is_running: bool = False
    """True while the download can be stopped."""


def size_text(size_bytes: int) -> str:
    """Format a size in bytes.

    >>> size_text(4_920_000_000), size_text(98_000_000)
    ('4.92 GB', '98 MB')
    """
    return f"{size_bytes / 1e9:.2f} GB" if size_bytes >= 1e9 else f"{size_bytes / 1e6:.0f} MB"


def show_here(
    statuses: Sequence[ModelStatus], cached: Iterable[CachedModel], *, chosen: str
) -> ModelRowsView:
    """Show the models that can be used now, in the order of `statuses`."""
    cached_by_name = {model.name: model for model in cached}
    return ModelRowsView(rows=tuple(_here(status, cached_by_name, chosen) for status in statuses))


def _here(status: ModelStatus, cached: Mapping[str, CachedModel], chosen: str) -> ModelRow:
    model = cached.get(status.name)
    kind = kind_of(status.name)
    facts = (status.device or kind, *((model.quantisation, size_text(model.size_bytes)) if model else ()))
    delete = ModelAction(
        event="delete_model",
        label="Delete",
        confirm=f"Delete {size_text(model.size_bytes)}?" if model else "",
    )
    title = status.name.rpartition("/")[2] if model else status.name
    default = ("default model",) if status.name == chosen else ()
    context = (count(status.context_tokens, "token") + " of context",) if status.context_tokens else ()
    abilities = status.abilities.facts if status.abilities else ()
    return ModelRow(
        name=status.name,
        title=title,
        notes=tuple(filter(None, (*_repository(status.name), *facts, *default, *context, *abilities))),
        badge="" if not status.is_loaded else "ready" if status.is_remote else "loaded",
        actions=(ModelAction(event="use_model", label="Use"), *((delete,) if model else ())),
    )


def kind_of(name: str) -> str:
    """Return what kind of model a name means, in a few words. Empty if it is a file."""
    return next((words for prefix, words in _KINDS if name.startswith(prefix)), "")


def _repository(name: str) -> tuple[str, ...]:
    return ("/".join(name.removeprefix(HUB).split("/")[:2]),) if name.startswith(HUB) else ()


def show_known(known: Iterable[KnownModel]) -> ModelRowsView:
    """Show the recommended models."""
    rows = tuple(
        ModelRow(
            name=model.repository,
            title=model.title,
            notes=(
                model.note,
                f"family {model.family}",
                count(model.context_tokens, "token") + " of context",
            ),
            actions=(ModelAction(event="show_repository", label="Files"),),
        )
        for model in known
    )
    return ModelRowsView(rows=rows, heading="Recommended")


def show_found(found: Sequence[HubRepository], words: str) -> ModelRowsView:
    """Show the repositories that a search found.

    Args:
        words: The words that were searched for.
    """
    rows = tuple(
        ModelRow(
            name=repository.id,
            title=repository.id,
            notes=(count(repository.downloads, "download"), count(repository.likes, "like")),
            badge="gated" if repository.is_gated else "",
            tone="warning",
            actions=(ModelAction(event="show_repository", label="Files"),),
        )
        for repository in found
    )
    hint = f"No repository with GGUF files matches {words!r}. Try fewer words."
    return ModelRowsView(rows=rows, hint=hint, heading="Found on the Hub")


def show_files(repository: str, files: Sequence[HubFile], known: KnownModel | None) -> ModelRowsView:
    """Show the model files of a repository."""
    family = f", family {known.family}" if known else ""
    return ModelRowsView(
        rows=tuple(map(_file, files)),
        hint=f"{repository} has no GGUF files.",
        heading=f"{repository}{family}",
    )


def _file(file: HubFile) -> ModelRow:
    size = size_text(file.size_bytes) if file.size_bytes else "size unknown"
    first, number = file.parts[0], len(file.parts)
    parts = count(number, "part") if number > 1 else ""
    tones = {MemoryFit.NO: "error", MemoryFit.TIGHT: "warning"}
    pull = ModelAction(event="pull_model", label="Download")
    use = ModelAction(event="use_model", label="Use")
    return ModelRow(
        name=file.name,
        title=file.quantisation or first,
        notes=tuple(filter(None, (size, parts, first if file.quantisation else ""))),
        badge="downloaded" if file.is_cached else "" if file.fit is MemoryFit.UNKNOWN else file.fit.value,
        tone="quiet" if file.is_cached else tones.get(file.fit, "quiet"),
        actions=(use if file.is_cached else pull,),
    )


def show_progress(name: str, step: PullProgress) -> PullView:
    """Show a running download."""
    share = step.done_bytes / step.total_bytes if step.total_bytes else 0.0
    note = f"{size_text(step.done_bytes)} of {size_text(step.total_bytes)}"
    note += f" · {step.note}" if step.note else ""
    return PullView(name=name, share=share, note=note, is_running=True)


def show_pull_end(name: str, step: PullProgress | None) -> PullView:
    """Show a download that is finished or was stopped.

    Args:
        step: The last progress, or None if the download never started.
    """
    if step is not None and step.path:
        return PullView(name=name, share=1.0, note="downloaded; select it on the left")
    share = step.done_bytes / step.total_bytes if step and step.total_bytes else 0.0
    return PullView(name=name, share=share, note="stopped; download it again to resume")


NOTHING_HERE: Final = "No adapters yet. Create one with `workbench train`, then enter its folder above."
"""Shown if there are no adapters."""


def show_adapters(adapters: Sequence[Adapter]) -> ModelRowsView:
    """Show each adapter with the main facts of its receipt."""
    return ModelRowsView(rows=tuple(map(_row, adapters)), hint=NOTHING_HERE)


def _row(adapter: Adapter) -> ModelRow:
    badge, tone = "receipt matches the file", "quiet"
    if adapter.receipt is None:
        badge, tone = "no receipt", "warning"
    elif not adapter.is_receipted:
        badge, tone = "receipt does not match the file", "error"
    return ModelRow(
        name=adapter.model,
        title=adapter.title,
        notes=(f"for {adapter.base}", size_text(adapter.size_bytes), *_receipt_facts(adapter.receipt or {})),
        badge=badge,
        tone=tone,
        actions=(ModelAction(event="use_model", label="Use"),),
        receipt=json_for_people(adapter.receipt) if adapter.receipt else "",
    )


def _receipt_facts(receipt: JsonObject) -> Iterator[str]:
    """Return the main facts of a receipt. Facts that it does not contain are left out."""
    block, settings = as_object(receipt.get("function_calling")), as_object(receipt.get("settings"))
    rows = as_object(receipt.get("rows"))
    if isinstance(total := rows.get("rows"), int):
        yield count(total, "row")
    calls, tools = block.get("n_tool_calls_in_train"), block.get("n_tools_declared")
    if isinstance(calls, int) and isinstance(tools, int):
        yield f"{count(calls, 'call')} to {count(tools, 'tool')}"
    if isinstance(issues := block.get("validator_issues"), int):
        yield count(issues, "validator issue")
    if isinstance(steps := receipt.get("steps"), int):
        planned = receipt.get("steps_planned")
        is_stopped = isinstance(planned, int) and steps < planned
        yield f"{steps:,} of {planned:,} steps" if is_stopped else count(steps, "step")
    if isinstance(averaged := receipt.get("averaged"), list):
        yield f"average of {count(len(averaged), 'adapter')}"
    if isinstance(before := _start(receipt).get("steps"), int):
        yield f"continued after {count(before, 'step')}"
    if (loss := _last_loss(receipt.get("loss_by_step"))) is not None:
        yield f"last loss {loss:g}"
    if isinstance(rank := settings.get("lora_rank"), int) and rank:
        yield f"rank {rank}"


def _start(receipt: JsonObject) -> JsonObject:
    """Return the receipt of the run that this run continued, or an empty object."""
    return as_object(as_object(receipt.get("start")).get("receipt"))


def _last_loss(curve: JsonValue) -> float | None:
    last = curve[-1] if isinstance(curve, list) and curve else None
    loss = last[-1] if isinstance(last, list) and last else None
    return float(loss) if isinstance(loss, int | float) else None
