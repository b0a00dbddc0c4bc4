"""The registry: which tools exist, what runs them, and which are available now."""

import re
from collections.abc import Iterable, Mapping, Sequence
from inspect import iscoroutinefunction
from threading import RLock
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.toolbox.entry import Availability, CheckFn, Handler, ToolEntry, build_spec
from workbench.toolbox.toolsets import Toolset, Toolsets
from workbench.toolspec.spec import OfferedTools, ToolSpec

_SENTENCE: Final = re.compile(r"(?<=[.!?])[ \t]+|(?<=\n)")
_WORD: Final = re.compile(r"`([^`\n]{1,64})`|([A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_]+)")
"""A name in backticks, or a word with an underscore: `search` alone may be a plain verb."""


def patch_mentions(spec: ToolSpec, *, absent: frozenset[str]) -> ToolSpec:
    """`spec` without the sentences of its descriptions, and the choices of its enums, that name an absent tool.

    Args:
        spec: The spec of a tool that is offered.
        absent: Names of tools that are known and not offered.
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
        kept = [choice for choice in value if not isinstance(choice, str) or choice not in absent]
        return kept or value
    return _patched(value, absent)


def _without_sentences(text: str, absent: frozenset[str]) -> str:
    sentences = _SENTENCE.split(text)
    kept = [sentence for sentence in sentences if not _names(sentence) & absent]
    return text if len(kept) == len(sentences) else " ".join(part.strip() for part in kept if part.strip())


def _names(sentence: str) -> frozenset[str]:
    return frozenset(match.group(1) or match.group(2) for match in _WORD.finditer(sentence))


def check_availability(
    entries: Iterable[ToolEntry], environment: Mapping[str, str]
) -> tuple[Availability, ...]:
    """One round: each entry's availability, in order; a `check_fn` that several share is called once.

    Args:
        entries: The tools to look at.
        environment: Variables by name; an empty value counts as missing.
    """
    asked: dict[CheckFn, str] = {}
    return tuple(
        Availability(
            name=entry.name,
            toolset=entry.toolset,
            reason=_missing(entry, environment) or _refused(entry.check_fn, asked),
            emoji=entry.emoji,
        )
        for entry in entries
    )


def _missing(entry: ToolEntry, environment: Mapping[str, str]) -> str:
    missing = [name for name in entry.requires_env if not environment.get(name)]
    if not missing:
        return ""
    return f"the variable {missing[0]} is not set" if len(missing) == 1 else f"not set: {', '.join(missing)}"


def _refused(check: CheckFn | None, asked: dict[CheckFn, str]) -> str:
    if check is None:
        return ""
    if check not in asked:
        asked[check] = _reason(check)
    return asked[check]


def _reason(check: CheckFn) -> str:
    """Why `check` says no: its exception's words, else the first line of its docstring."""
    try:
        if check():
            return ""
    except Exception as error:  # noqa: BLE001  a check that fails means that the tool cannot be used
        return " ".join(str(error).split())[:200] or type(error).__name__
    said = (getattr(check, "__doc__", None) or "").strip().splitlines()
    return said[0] if said else "its check says no"


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
