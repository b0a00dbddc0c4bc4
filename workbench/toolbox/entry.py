"""A registered tool, and what its handler is given and returns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, cast

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.rollout.ports import Approver
from workbench.toolspec.check import check_spec
from workbench.toolspec.spec import ToolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """Whether one tool can be used."""

    name: str
    toolset: str
    reason: str = ""
    """Why it cannot be used, for a person; empty where it can."""
    emoji: str = ""
    """The tool's own sign; empty for none."""

    @property
    def is_available(self) -> bool:
        """True where nothing speaks against it."""
        return not self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Staging:
    """What of the catalog is other than its files say, for one conversation."""

    mocks: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Tool to the list of mock rules that answer in place of whatever else does."""
    originals: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Name under which a tool is offered to its own, of those that are renamed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTask:
    """For whom calls are run."""

    session_id: str = ""
    """The conversation; working folders, approvals and mock sequences are its own. Empty for none."""
    approver: Approver | None = None
    """Asked before a risky call; None where nobody can be asked, and then the answer is no."""
    seed: int = 0
    """What mocks that choose at random begin from."""
    staging: Staging = Staging()
    """What is other than the catalog says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDraft:
    """A tool as a person edits it."""

    spec_text: str = ""
    """JSON of its spec."""
    rules_text: str = ""
    """YAML of its `returns` and `mocks`; empty where code answers."""
    arguments_text: str = "{}"
    """JSON of arguments to try it with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftFindings:
    """What is wrong with a draft."""

    spec: tuple[Finding, ...] = ()
    rules: tuple[Finding, ...] = ()
    """Of the rules, with lines of theirs."""
    lint: tuple[Finding, ...] = ()
    """What of a sound spec makes models call it wrongly."""


NO_SAVED_TOOLSETS: Final[Mapping[str, str]] = MappingProxyType({})
"""Every toolset is as its file has it."""


NO_STAGING = Staging()
"""All is as the catalog says."""
NO_TASK = ToolTask()
"""A single call that belongs to no conversation."""


Handler = Callable[..., object]
"""Takes the arguments as one mapping, and by keyword as much of `CallContext` as it declares.

It gives a text of JSON, a JSON value, or an `ToolAnswer`; an asynchronous one gives an awaitable of these.
"""
CheckFn = Callable[[], object]
"""True (or anything true) where the tool can be used; an exception means that it cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What a handler may ask for by naming it as a parameter."""

    task_id: str = ""
    """Whose working folder and background processes these are; one a session."""
    session_id: str = ""
    """The conversation; empty where there is none."""
    call_number: int = 1
    """How often this task has called this tool, this call included."""
    seed: int = 0
    """What a handler that chooses at random begins from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """What a handler may give instead of a bare value: the value, and how it came to be."""

    value: JsonValue = field(hash=False)
    is_error: bool = False
    """True where the tool failed."""
    rule: str | None = None
    """Which mock rule answered; None where code did."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolEntry:
    """One tool of the registry; two entries are the same only if they are one object."""

    spec: ToolSpec
    toolset: str
    handler: Handler
    check_fn: CheckFn | None = None
    """Tells whether it can be used; None where it always can."""
    requires_env: tuple[str, ...] = ()
    """Variables that must be set."""
    is_async: bool = False
    """True where the handler gives an awaitable."""
    emoji: str = ""
    """The tool's sign, for whoever shows one; empty for none."""
    max_result_size_chars: int | None = None
    """Longest result; None takes the toolbox's own limit."""

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.spec.name


def build_spec(name: str, schema: object, description: str) -> ToolSpec:
    """The spec of what `register` was given; the registered name wins over the schema's own.

    Args:
        schema: `{"description", "parameters"}`, or the same inside `{"function": …}`.
        description: Stands in for one that the schema lacks.

    Raises:
        BadInput: The schema is no object, has no object `parameters`, or is not sound.
    """
    where = f"tool {name!r}"
    spec = ToolSpec.of_function(_function(name, schema, description))
    for finding in check_spec(spec):
        raise BadInput(f"{where}, {finding.pointer or '/'}", finding.message)
    return spec


def _function(name: str, schema: object, description: str) -> JsonObject:
    where = f"tool {name!r}"
    if not isinstance(schema, dict):
        raise BadInput(where, "its schema is no object", 'write {"name", "description", "parameters"}')
    function = cast(dict[str, JsonValue], schema)
    if isinstance(inner := function.get("function"), dict):
        function = inner
    if not isinstance(function.get("parameters"), dict):
        raise BadInput(where, "its schema has no `parameters` object", 'write {"type": "object"} for none')
    told = function.get("description") or description
    rest = {key: value for key, value in function.items() if key not in ("name", "description")}
    return {"name": name, **({"description": told} if told else {}), **rest}
