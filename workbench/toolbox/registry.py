"""The registry: which tools there are, who runs them, and which of them can be used now."""

from collections.abc import Iterable, Mapping, Sequence
from inspect import iscoroutinefunction
from threading import RLock

from workbench.errors import BadInput
from workbench.toolbox.registering.availability import check_availability
from workbench.toolbox.registering.entry import CheckFn, Handler, ToolEntry, build_spec
from workbench.toolbox.registering.mentions import patch_mentions
from workbench.toolbox.task import Availability
from workbench.toolbox.toolsets import Toolset, Toolsets
from workbench.toolspec.spec import OfferedTools


class Registry:
    """Tools by name; may be used from many threads at once.

    Args:
        environment: Variables that `requires_env` is held against.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = dict(environment or {})
        self._entries: dict[str, ToolEntry] = {}
        self._toolsets: dict[str, Toolset] = {}
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
        """Adds one tool; the same name in the same toolset takes the place of the former.

        Args:
            name: The tool's name; wins over a name in the schema.
            toolset: The bundle that it belongs to.
            schema: `{"description", "parameters"}`, or the same inside `{"function": …}`.
            handler: Runs a call; see `Handler`.
            check_fn: Tells whether the tool can be used; see `CheckFn`.
            requires_env: Variables that must be set.
            is_async: True where the handler gives an awaitable; seen by itself of an `async def`.
            description: Stands in for one that the schema lacks.
            emoji: The tool's sign, for whoever shows one.
            max_result_size_chars: Longest result; None takes the toolbox's own limit.
            override: True takes a name from another toolset.

        Raises:
            BadInput: The schema is not sound, or another toolset has the name.
        """
        if not toolset:
            raise BadInput(f"tool {name!r}", "it names no toolset")
        if not callable(handler):
            raise BadInput(f"tool {name!r}", "its handler cannot be called", "give a function")
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
        self.add(entry, override=override)

    def add(self, entry: ToolEntry, *, override: bool = False) -> None:
        """Adds an entry whose spec is sound; see `register`.

        Raises:
            BadInput: Another toolset has the name.
        """
        with self._lock:
            holder = self._entries.get(entry.name)
            if holder is not None and holder.toolset != entry.toolset and not override:
                problem = f"tool {entry.name!r} is declared in toolset {holder.toolset!r} too"
                remedy = "rename it, or register it with override=True"
                raise BadInput(f"toolset {entry.toolset!r}", problem, remedy)
            self._entries[entry.name] = entry

    def register_toolset(
        self, name: str, description: str = "", tools: Sequence[str] = (), includes: Sequence[str] = ()
    ) -> None:
        """Describes a toolset, and composes it from others by `includes`."""
        toolset = Toolset(name=name, description=description, tools=tuple(tools), includes=tuple(includes))
        with self._lock:
            self._toolsets[name] = toolset

    def unregister(self, name: str) -> None:
        """Takes a tool away; a call that is under way ends as it would have."""
        with self._lock:
            self._entries.pop(name, None)

    def copy(self) -> "Registry":
        """One with the same tools and toolsets, that goes its own way from now on."""
        made = Registry(self._environment)
        with self._lock:
            made._entries, made._toolsets = dict(self._entries), dict(self._toolsets)
        return made

    def find(self, name: str) -> ToolEntry | None:
        """The tool of that name; None where there is none."""
        with self._lock:
            return self._entries.get(name)

    def entries(self) -> tuple[ToolEntry, ...]:
        """All tools, in order of registration."""
        with self._lock:
            return tuple(self._entries.values())

    def toolsets(self) -> Toolsets:
        """The toolsets as they are now."""
        members: dict[str, list[str]] = {}
        with self._lock:
            for entry in self._entries.values():
                members.setdefault(entry.toolset, []).append(entry.name)
            return Toolsets(tuple(self._toolsets.values()), members)

    def availability(self, names: Iterable[str] | None = None) -> tuple[Availability, ...]:
        """Whether each tool can be used now, by name; one round of checks.

        Args:
            names: The tools to look at; None looks at all.
        """
        wanted = None if names is None else frozenset(names)
        entries = sorted(self.entries(), key=lambda entry: entry.name)
        chosen = [entry for entry in entries if wanted is None or entry.name in wanted]
        return check_availability(chosen, self._environment)

    def definitions(self, enabled: Sequence[str] | None = None, disabled: Sequence[str] = ()) -> OfferedTools:
        """What a model may be told now: tools of some toolsets that can be used, sorted by name.

        What their schemas say of tools that are not among them is left out. The answer's `fingerprint`
        tells one such list from another.

        Args:
            enabled: Toolsets to take; None takes all.
            disabled: Toolsets to leave out.

        Raises:
            BadInput: A toolset is not there.
        """
        chosen = self.toolsets().choose(enabled, disabled)
        return self.offer(sorted(chosen))

    def usable(self) -> frozenset[str]:
        """Names of all tools that can be used now; one round of checks."""
        return frozenset(one.name for one in self.availability() if one.is_available)

    def offer(self, names: Sequence[str], *, usable: frozenset[str] | None = None) -> OfferedTools:
        """The specs of those of `names` that are there and can be used, in their order, patched.

        Args:
            names: Tools, in the order wanted.
            usable: What a round of checks has found already; None makes one, of these tools alone.
        """
        if usable is None:
            usable = frozenset(one.name for one in self.availability(names) if one.is_available)
        entries = {entry.name: entry for entry in self.entries()}
        present = [name for name in dict.fromkeys(names) if name in usable and name in entries]
        absent = frozenset(entries) - frozenset(present)
        return OfferedTools(
            specs=tuple(patch_mentions(entries[name].spec, absent=absent) for name in present)
        )
