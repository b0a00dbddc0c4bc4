"""The registry of tools: which tools exist, which handlers run them, and which can be used now."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from inspect import iscoroutinefunction
from threading import RLock
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.toolbox.entry import Availability, CheckFn, Handler, ToolEntry, build_spec
from workbench.toolbox.toolsets import Toolset, Toolsets
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.toolspec.world.session_world import DeclaredWorld, declared_world

_SENTENCE: Final = re.compile(r"(?<=[.!?])[ \t]+|(?<=\n)")
_WORD: Final = re.compile(r"`([^`\n]{1,64})`|([A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_]+)")
"""A mention of a tool: a name in backticks, or a word with an underscore. `search` alone may be an ordinary word."""


def patch_mentions(spec: ToolSpec, *, absent: frozenset[str]) -> ToolSpec:
    """Remove mentions of tools that are not offered, because a model might call them.

    Sentences of descriptions and values of enums that name such a tool are removed.

    Args:
        spec: The spec of an offered tool.
        absent: Names of registered tools that are not offered.
    """
    if not absent:
        return spec
    patched = cast(JsonObject, _patched(spec.function, absent - {spec.name}))
    return spec if patched == spec.function else ToolSpec.of_function(patched)


def _patched(value: JsonValue, absent: frozenset[str]) -> JsonValue:
    if isinstance(value, list | tuple):
        return [_patched(item, absent) for item in value]
    if not isinstance(value, Mapping):
        return value
    return {key: _member(key, inner, absent) for key, inner in value.items()}


def _member(key: str, value: JsonValue, absent: frozenset[str]) -> JsonValue:
    if key == "description" and isinstance(value, str):
        return _without_sentences(value, absent)
    if key == "enum" and isinstance(value, list):
        remaining = [choice for choice in value if not isinstance(choice, str) or choice not in absent]
        return remaining or value
    return _patched(value, absent)


def _without_sentences(text: str, absent: frozenset[str]) -> str:
    sentences = _SENTENCE.split(text)
    remaining = [sentence for sentence in sentences if not _names(sentence) & absent]
    if len(remaining) == len(sentences):
        return text
    return " ".join(part.strip() for part in remaining if part.strip())


def _names(sentence: str) -> frozenset[str]:
    return frozenset(match.group(1) or match.group(2) for match in _WORD.finditer(sentence))


def check_availability(
    entries: Iterable[ToolEntry], environment: Mapping[str, str]
) -> tuple[Availability, ...]:
    """Check whether tools can be used, in the order of the entries.

    A `check_fn` that several entries share is called once.

    Args:
        environment: Environment variables by name; an empty value counts as not set.
    """
    checked: dict[CheckFn, str] = {}
    return tuple(
        Availability(
            name=entry.name,
            toolset=entry.toolset,
            reason=_missing(entry, environment) or _refused(entry.check_fn, checked),
            emoji=entry.emoji,
        )
        for entry in entries
    )


def _missing(entry: ToolEntry, environment: Mapping[str, str]) -> str:
    missing = [name for name in entry.requires_env if not environment.get(name)]
    if not missing:
        return ""
    if len(missing) == 1:
        return f"the variable {missing[0]} is not set"
    return f"these variables are not set: {', '.join(missing)}"


def _refused(check: CheckFn | None, checked: dict[CheckFn, str]) -> str:
    if check is None:
        return ""
    if check not in checked:
        checked[check] = _reason(check)
    return checked[check]


def _reason(check: CheckFn) -> str:
    """Run `check` and return why the tool cannot be used, or an empty text if it can.

    The reason is the message of the exception, or the first line of the function's docstring.
    """
    try:
        if check():
            return ""
    except Exception as error:  # noqa: BLE001  a check that fails means that the tool cannot be used
        return " ".join(str(error).split())[:200] or type(error).__name__
    doc = (getattr(check, "__doc__", None) or "").strip().splitlines()
    return doc[0] if doc else "its check failed"


def _available_names(checks: Iterable[Availability]) -> frozenset[str]:
    return frozenset(check.name for check in checks if check.is_available)


class Registry:
    """Tools by name. It can be used from many threads at once.

    Args:
        environment: Environment variables, for `requires_env`.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = dict(environment or {})
        self._entries: dict[str, ToolEntry] = {}
        self._toolsets: dict[str, Toolset] = {}
        self._pending: tuple[PendingTools, ...] = ()
        self._lock = RLock()

    def register(
        self,
        name: str,
        toolset: str,
        schema: object,
        handler: Handler,
        check_fn: CheckFn | None = None,
        requires_env: Sequence[str] = (),
        *,
        is_async: bool = False,
        description: str = "",
        emoji: str = "",
        max_result_size_chars: int | None = None,
        override: bool = False,
    ) -> None:
        """Add a tool. A tool of the same name in the same toolset is replaced.

        Args:
            name: Name of the tool; overrides a name in the schema.
            toolset: Name of the toolset that the tool belongs to.
            schema: `{"description", "parameters"}`, or the same inside `{"function": …}`.
            handler: Runs a call; see `Handler`.
            check_fn: Checks whether the tool can be used; see `CheckFn`.
            requires_env: Environment variables that must be set.
            is_async: True if the handler returns an awaitable; detected for `async def`.
            description: Used if the schema has no description.
            emoji: Icon on the page.
            max_result_size_chars: Longest result; None applies the limit of the dispatcher.
            override: True replaces a tool of the same name in another toolset.

        Raises:
            BadInput: The schema is invalid, or another toolset has a tool of this name.
        """
        if not toolset:
            raise BadInput(f"tool {name!r}", "it has no toolset", "give the name of one")
        if not callable(handler):
            raise BadInput(f"tool {name!r}", "its handler is not callable", "give a function")
        entry = ToolEntry(
            spec=build_spec(name, schema, description),
            toolset=toolset,
            handler=handler,
            check_fn=check_fn,
            requires_env=tuple(requires_env),
            is_async=is_async or iscoroutinefunction(handler),
            emoji=emoji,
            max_result_size_chars=max_result_size_chars,
        )
        self._add(entry, override=override, remedy="rename it, or register it with override=True")

    def add(self, entry: ToolEntry, *, override: bool = False) -> None:
        """Add an entry with a valid spec. See `register`.

        Raises:
            BadInput: Another toolset has a tool of this name.
        """
        self._add(entry, override=override, remedy="rename the tool")

    def _add(self, entry: ToolEntry, *, override: bool, remedy: str) -> None:
        with self._lock:
            existing = self._entries.get(entry.name)
            if existing is not None and existing.toolset != entry.toolset and not override:
                problem = f"tool {entry.name!r} is also declared in toolset {existing.toolset!r}"
                raise BadInput(f"toolset {entry.toolset!r}", problem, remedy)
            self._entries[entry.name] = entry

    def register_toolset(
        self,
        name: str,
        description: str = "",
        tools: Sequence[str] = (),
        includes: Sequence[str] = (),
        *,
        world: JsonValue = None,
        world_schema: JsonObject | None = None,
    ) -> None:
        """Describe a toolset.

        Args:
            tools: Names of tools of other toolsets that belong to it, too.
            includes: Names of other toolsets whose tools belong to it, too.
            world: What the tools that are registered in it read and change. Each session starts with this value.
                Handlers with a parameter `world` get it. None if there is none.
            world_schema: JSON Schema that the world matches after each call. None allows any value.

        Raises:
            BadInput: The world or its schema is invalid.
        """
        declared = None if world is None else declared_world(world, world_schema, where=f"toolset {name!r}")
        self.add_toolset(
            Toolset(
                name=name,
                description=description,
                tools=tuple(tools),
                includes=tuple(includes),
                world=declared,
            )
        )

    def add_toolset(self, toolset: Toolset) -> None:
        """Add the description of a toolset. See `register_toolset`."""
        with self._lock:
            self._toolsets[toolset.name] = toolset

    def worlds(self) -> Mapping[str, DeclaredWorld]:
        """Return the declared worlds, by toolset."""
        with self._lock:
            return {name: toolset.world for name, toolset in self._toolsets.items() if toolset.world}

    def unregister_toolset(self, name: str) -> None:
        """Remove the description of a toolset, and what is pending for it. Its tools stay."""
        with self._lock:
            self._toolsets.pop(name, None)
            self._pending = tuple(pending for pending in self._pending if pending.toolset != name)

    def add_pending(self, pending: "PendingTools") -> None:
        """Add tools that `load` registers."""
        with self._lock:
            self._pending = (*self._pending, pending)

    def load(self, name: str | None = None) -> None:
        """Register pending tools, all at the same time.

        Args:
            name: A toolset or a tool; only what may contain it is loaded. None loads everything.
        """
        with self._lock:
            pending: list[PendingTools] = [
                tools
                for tools in self._pending
                if name is None or name == tools.toolset or name.startswith(tools.prefix)
            ]
        if not pending:
            return
        with ThreadPoolExecutor(len(pending), "load-tools") as pool:
            futures = [(tools, pool.submit(tools.load, self)) for tools in pending]
        done = [tools for tools, future in futures if future.result()]
        with self._lock:
            self._pending = tuple(tools for tools in self._pending if tools not in done)

    def unregister(self, name: str) -> None:
        """Remove a tool. A call that is already running is not affected."""
        with self._lock:
            self._entries.pop(name, None)

    def copy(self) -> "Registry":
        """Return an independent copy with the same tools and toolsets."""
        registry = Registry(self._environment)
        with self._lock:
            registry._entries, registry._toolsets = dict(self._entries), dict(self._toolsets)
            registry._pending = self._pending
        return registry

    def find(self, name: str) -> ToolEntry | None:
        """Return the tool with this name, or None if it does not exist. Loads pending tools that may contain it."""
        with self._lock:
            if name in self._entries:
                return self._entries[name]
        self.load(name)
        with self._lock:
            return self._entries.get(name)

    def entries(self) -> tuple[ToolEntry, ...]:
        """Return all tools, in the order of registration."""
        with self._lock:
            return tuple(self._entries.values())

    def toolsets(self) -> Toolsets:
        """Return the current toolsets."""
        members: dict[str, list[str]] = {}
        with self._lock:
            for entry in self._entries.values():
                members.setdefault(entry.toolset, []).append(entry.name)
            return Toolsets(tuple(self._toolsets.values()), members)

    def availability(self, names: Iterable[str] | None = None) -> tuple[Availability, ...]:
        """Check whether tools can be used now. Sorted by name.

        Args:
            names: Tools to check; None checks all.
        """
        selected = None if names is None else frozenset(names)
        entries = sorted(self.entries(), key=lambda entry: entry.name)
        chosen = [entry for entry in entries if selected is None or entry.name in selected]
        return check_availability(chosen, self._environment)

    def usable(self) -> frozenset[str]:
        """Check all tools and return the names of those that can be used now."""
        return _available_names(self.availability())

    def offer(self, names: Sequence[str], *, usable: frozenset[str] | None = None) -> OfferedTools:
        """Return the specs of the named tools that exist and can be used, in this order.

        Mentions of other tools are removed from them; see `patch_mentions`.

        Args:
            usable: Names of usable tools from a previous check; None checks the named tools now.
        """
        if usable is None:
            usable = _available_names(self.availability(names))
        entries = {entry.name: entry for entry in self.entries()}
        present = [name for name in dict.fromkeys(names) if name in usable and name in entries]
        absent = frozenset(entries) - frozenset(present)
        return OfferedTools(
            specs=tuple(patch_mentions(entries[name].spec, absent=absent) for name in present)
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PendingTools:
    """Tools of a toolset that are not known before something slow has been started."""

    toolset: str
    prefix: str
    """All names of its tools begin with this."""
    load: Callable[[Registry], bool]
    """Registers the tools. Returns False if they are still not known. It can be called more than once."""
