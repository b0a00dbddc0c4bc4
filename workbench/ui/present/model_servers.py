"""Show the servers with models, and the picker of models that the header opens."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.engines.all_models import OPENAI
from workbench.engines.remote.probes.server_report import ServerReport
from workbench.engines.remote.server import DEFAULT_URLS, KeyPlace, Mode, ServerKind
from workbench.engines.remote.server_book import ServerState, ServerStatus
from workbench.rollout.models import ModelStatus, without_mode
from workbench.ui.present.models import EMBEDDED, kind_of
from workbench.ui.present.words import count

TOY: Final = "135M parameters, shows how it works"
"""What to expect of the embedded model."""
MOST_SHOWN: Final = 500
"""How many models of a server the picker lists."""
_MOST_USED: Final = 3
_KEY_LABELS: Final = {
    KeyPlace.SESSION: "Keep the key until the server restarts",
    KeyPlace.KEYRING: "Keep the key in the system's keyring",
    KeyPlace.VARIABLE: "No key, or one in an environment variable",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedModel:
    """A model that can be chosen."""

    name: str
    """As `--model` accepts it."""
    title: str
    note: str = ""
    """What it is, in a few words. Empty if the title says it."""
    modes: tuple[str, ...] = ()
    """How it can be asked, the default first. Empty if there is no choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportLine:
    """One line of a test."""

    text: str
    is_problem: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelServerLine:
    """One server."""

    name: str
    """Empty for the server of the settings."""
    title: str
    url: str
    kind: str
    """The software that was entered; `openai` detects it."""
    status: str
    """Its software and number of models, or that it was not asked."""
    reason: str
    """Why it failed, and what to do. Empty if it did not fail."""
    models: tuple[NamedModel, ...]
    """Its first models."""
    can_edit: bool
    key_place: str
    key_variable: str
    report: tuple[ReportLine, ...] = ()
    """The result of the test that just ended. Empty for other servers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormChoice:
    """A choice of a field."""

    value: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelServersView:
    """The servers that a person sees, and what the form for a server offers."""

    servers: tuple[ModelServerLine, ...]
    can_add: bool = False
    note: str = ""
    """Where added servers and their keys are kept."""
    url_example: str = DEFAULT_URLS[ServerKind.VLLM]
    kinds: tuple[FormChoice, ...] = ()
    key_places: tuple[FormChoice, ...] = ()
    """Where a key can be kept. Empty if there is no choice."""
    problems: tuple[str, ...] = ()
    """Why the last action failed, or the file is not used."""
    has_failed: bool = False
    """True if the last action failed, so that the form stays open."""
    serial: float = 0.0
    """A new number for every answer."""


GUEST_NOTE: Final = (
    "Only you see and use servers that you add. They and their keys are kept in memory: until a restart, or 12 hours "
    "after you last used them. Only public addresses can be used."
)
OWN_NOTE: Final = "Servers are kept in servers.yaml, without API keys. It is read again when it changes."


def show_model_servers(
    states: Iterable[ServerState],
    *,
    can_add: bool,
    is_guest: bool,
    problems: Sequence[str] = (),
    has_failed: bool = False,
    report: ServerReport | None = None,
    serial: float = 0.0,
) -> ModelServersView:
    """Show the servers with their states, and the result of the last action.

    Args:
        report: The result of a test that just ended. None if there was none.
    """
    kinds = [FormChoice(value=kind.value, label=_kind_label(kind)) for kind in ServerKind]
    places = [FormChoice(value=place.value, label=label) for place, label in _KEY_LABELS.items()]
    return ModelServersView(
        servers=tuple(_line(state, report) for state in states),
        can_add=can_add,
        note=(GUEST_NOTE if is_guest else OWN_NOTE) if can_add else "",
        kinds=tuple(kinds),
        key_places=() if is_guest else tuple(places),
        problems=tuple(filter(None, problems)),
        has_failed=has_failed,
        serial=serial,
    )


def _kind_label(kind: ServerKind) -> str:
    return "Detect" if kind is ServerKind.OPENAI else kind.value


def _line(state: ServerState, report: ServerReport | None) -> ModelServerLine:
    server, models = state.server, _models_of(state)
    kind = "software not known" if server.kind is ServerKind.OPENAI else server.kind.value
    is_listed = state.status is ServerStatus.LISTED
    is_tested = report is not None and report.server.name == server.name
    return ModelServerLine(
        name=server.name,
        title=server.name or "Server of the settings",
        url=server.place,
        kind=state.configured.value,
        status=f"{kind} · {count(len(models), 'model')}" if is_listed else state.status.value,
        reason=state.reason,
        models=models[:_MOST_USED] if is_listed else (),
        can_edit=state.can_edit,
        key_place=server.key_place.value,
        key_variable=server.key_variable if _has_variable(state) else "",
        report=_report(report) if is_tested and report else (),
    )


def _has_variable(state: ServerState) -> bool:
    return state.server.key_place is KeyPlace.VARIABLE and " " not in state.server.key_variable


def _report(report: ServerReport) -> tuple[ReportLine, ...]:
    found = (ReportLine(text=fact.line, is_problem=fact in report.problems) for fact in report.facts)
    head = "Nothing is wrong" if not report.problems else f"{count(len(report.problems), 'problem')} found"
    return (ReportLine(text=f"{head} with {report.model or report.server.place}", is_problem=False), *found)


def _models_of(state: ServerState) -> tuple[NamedModel, ...]:
    server = state.server
    prefix = f"{OPENAI}{server.name}/" if server.name else OPENAI
    modes = (server.mode.value, *(mode.value for mode in Mode if mode is not server.mode))
    return tuple(NamedModel(name=f"{prefix}{name}", title=name, modes=modes) for name in state.models)


@dataclass(frozen=True, slots=True, kw_only=True)
class PickerGroup:
    """Models of one place."""

    title: str
    note: str = ""
    reason: str = ""
    """Why its server failed. Empty if it did not."""
    retry: str | None = None
    """Name of the server to ask again. None if there is none."""
    models: tuple[NamedModel, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPickerView:
    """The models that can be chosen."""

    groups: tuple[PickerGroup, ...]
    chosen: str
    """Name of the model of Play."""
    can_add: bool = False
    """Whether the person may add a server."""
    serial: float = 0.0
    """A new number for every answer."""


def show_picker(
    names: Sequence[str], states: Sequence[ServerState], *, chosen: str, can_add: bool, serial: float
) -> ModelPickerView:
    """Show the models by place: this machine, each server, and what needs no model.

    Args:
        names: Names of all models that may be chosen.
        states: The servers that the person sees.
    """
    groups = [PickerGroup(title="On this machine", models=_plain(name for name in names if _is_local(name)))]
    shown: set[str] = set()
    for state in states:
        models = _models_of(state)
        shown.update(model.name for model in models)
        groups.append(
            PickerGroup(
                title=state.server.name or "Server of the settings",
                note=state.server.place,
                reason=state.reason,
                retry=state.server.name if state.reason else None,
                models=models[:MOST_SHOWN],
            )
        )
    # Models that are offered without their server, to people who may not see it.
    modes = tuple(mode.value for mode in Mode)
    offered = [name for name in names if name.startswith(OPENAI) and name not in shown]
    others = [NamedModel(name=name, title=name.removeprefix(OPENAI), modes=modes) for name in offered]
    groups.append(PickerGroup(title="On servers", models=tuple(others[:MOST_SHOWN])))
    groups.append(PickerGroup(title="Other", models=_plain(name for name in names if _is_other(name))))
    return ModelPickerView(
        groups=tuple(group for group in groups if group.models or group.note),
        chosen=chosen,
        can_add=can_add,
        serial=serial,
    )


def _plain(names: Iterable[str]) -> tuple[NamedModel, ...]:
    return tuple(
        NamedModel(name=name, title=name, note=TOY if name == EMBEDDED else kind_of(name)) for name in names
    )


def _is_other(name: str) -> bool:
    return name.startswith(("scripted:", "replay:", "hf-inference:"))


def _is_local(name: str) -> bool:
    return not _is_other(name) and not name.startswith(OPENAI)


def model_label(model: ModelStatus) -> str:
    """Return a short name of a model, with what a reader of its answers should know.

    >>> model_label(ModelStatus(name="openai:lab/org/Hermes-3-8B+raw", device="", is_loaded=True))
    'Hermes-3-8B @lab (raw)'
    >>> model_label(ModelStatus(name="embedded", device="", is_loaded=True))
    'embedded (135M demo model)'
    """
    name = model.name
    if name.split("+")[0] == EMBEDDED:
        return f"{name} (135M demo model)"
    base = without_mode(name)
    mode = f" ({name.rpartition('+')[2]})" if base != name else ""
    if name.startswith(OPENAI):
        server, _, rest = base.removeprefix(OPENAI).partition("/")
        return f"{rest.rpartition('/')[2]} @{server}{mode}" if rest else f"{server}{mode}"
    return name if ":" in name and "/" not in name else name.rpartition("/")[2] or name


def suggested_name(url: str, taken: Iterable[str]) -> str:
    """Return a name for a server without one, from its address.

    >>> suggested_name("https://api.example.org:8000/v1", ["api.example.org"])
    'api.example.org-2'
    """
    host = url.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0] or "server"
    names = [host, *(f"{host}-{number}" for number in range(2, 100))]
    return next((name for name in names if name not in set(taken)), host)
