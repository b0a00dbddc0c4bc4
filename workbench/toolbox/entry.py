"""Types of the toolbox: registered tools, their handlers, and the task that calls belong to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, cast

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.rollout.ports import Approver
from workbench.toolspec.check import spec_errors
from workbench.toolspec.spec import ToolSpec
from workbench.toolspec.world.patches import WorldPatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """Whether a tool can be used."""

    name: str
    toolset: str
    reason: str = ""
    """Why it cannot be used, for people. Empty if it can."""
    emoji: str = ""
    """Icon on the page; may be empty."""

    @property
    def is_available(self) -> bool:
        """Whether the tool can be used."""
        return not self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Staging:
    """Changes to the catalog for one conversation."""

    mocks: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Mock rules by tool name. They answer instead of the tool's own rules or code."""
    originals: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Original names of renamed tools, by the name under which they are offered."""
    world: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """JSON Merge Patch of the world that the conversation starts with, by toolset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTask:
    """What a dispatcher needs to know about the conversation that its calls belong to."""

    session_id: str = ""
    """Each session has its own working folder, approvals and mock sequences. Empty if there is no session."""
    approver: Approver | None = None
    """Asked before a risky call. None if nobody can be asked; risky calls are then refused."""
    seed: int = 0
    """Seed for mocks with random values."""
    staging: Staging = Staging()
    world: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """The world so far, by toolset. Empty before the first call that changes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDraft:
    """A tool that is being edited."""

    spec_text: str = ""
    """JSON of the spec."""
    rules_text: str = ""
    """YAML of `returns` and `mocks`. Empty if code answers the calls."""
    arguments_text: str = "{}"
    """JSON of the arguments for a trial call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftFindings:
    """Problems of a draft."""

    spec: tuple[Finding, ...] = ()
    rules: tuple[Finding, ...] = ()
    """Errors in the rules; their lines count from the start of `rules_text`."""
    lint: tuple[Finding, ...] = ()
    """Things in a valid spec that lead models to wrong calls."""


NO_SAVED_TOOLSETS: Final[Mapping[str, str]] = MappingProxyType({})
"""No toolset has a saved version, so all come from their files."""


NO_STAGING = Staging()
"""No changes to the catalog."""
NO_TASK = ToolTask()
"""For a single call outside of any conversation."""


Handler = Callable[..., object]
"""Function that runs a tool call.

It gets the arguments as one mapping, and the fields of `CallContext` that it declares as keyword arguments. It returns
JSON text, a JSON value or a `ToolAnswer`, or an awaitable of one of these.
"""
CheckFn = Callable[[], object]
"""Function that returns a true value if a tool can be used, and a false value or an exception if it cannot."""


NO_WORLD: Final = object()
"""The toolset of a tool has no world."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """Values that a handler gets if it has parameters with these names."""

    task_id: str = ""
    """Owner of the working folder and the background processes; the same as the session."""
    session_id: str = ""
    """Empty if there is no session."""
    call_number: int = 1
    """Number of this call among the task's calls of this tool, from 1."""
    seed: int = 0
    """Seed for handlers with random values."""
    world: object = field(default=NO_WORLD, hash=False)
    """The handler's own copy of the world of its toolset. What the handler changes in it becomes part of the session's
    world, if the call does not fail. `NO_WORLD` if the toolset has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """Return value of a handler that also says how the value was found."""

    value: JsonValue = field(hash=False)
    is_error: bool = False
    """True if the tool failed."""
    rule: str | None = None
    """Mock rule that answered, such as `mock rule 1`; None if code answered."""
    world_patch: WorldPatch | None = field(default=None, hash=False)
    """What the call changes in the world of its toolset. None to compare the handler's copy with the world before."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolEntry:
    """A tool of the registry. Entries are compared by identity."""

    spec: ToolSpec
    toolset: str
    handler: Handler
    check_fn: CheckFn | None = None
    """Checks whether the tool can be used; None if it always can."""
    requires_env: tuple[str, ...] = ()
    """Environment variables that must be set."""
    is_async: bool = False
    """True if the handler returns an awaitable."""
    emoji: str = ""
    """Icon on the page; may be empty."""
    max_result_size_chars: int | None = None
    """Longest result; None applies the limit of the dispatcher."""

    @property
    def name(self) -> str:
        """Name of the tool."""
        return self.spec.name


def build_spec(name: str, schema: object, description: str) -> ToolSpec:
    """Build the spec of a tool from the arguments of `Registry.register`.

    Args:
        name: Overrides a name in the schema.
        schema: `{"description", "parameters"}`, or the same inside `{"function": …}`.
        description: Used if the schema has no description.

    Raises:
        BadInput: The schema is not an object, has no object `parameters`, or is invalid.
    """
    where = f"tool {name!r}"
    spec = ToolSpec.of_function(_function(name, schema, description))
    for finding in spec_errors(spec):
        raise BadInput(f"{where}, {finding.pointer or '/'}", finding.message)
    return spec


def _function(name: str, schema: object, description: str) -> JsonObject:
    where = f"tool {name!r}"
    if not isinstance(schema, dict):
        raise BadInput(where, "its schema is not an object", 'write {"name", "description", "parameters"}')
    function = cast(dict[str, JsonValue], schema)
    if isinstance(inner := function.get("function"), dict):
        function = inner
    if not isinstance(function.get("parameters"), dict):
        raise BadInput(
            where,
            "its schema has no `parameters` object",
            'write {"type": "object"} for a tool without parameters',
        )
    text = function.get("description") or description
    rest = {key: value for key, value in function.items() if key not in ("name", "description")}
    return {"name": name, **({"description": text} if text else {}), **rest}
