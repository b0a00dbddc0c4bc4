"""Toolsets: named groups of tools, which may include each other."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.errors import BadInput

OLD_NAMES: Final[Mapping[str, str]] = {
    "web_tools": "web",
    "terminal_tools": "terminal",
    "file_tools": "file",
    "search_tools": "search",
    "memory_tools": "memory",
    "todo_tools": "todo",
    "session_search_tools": "session_search",
    "delegation_tools": "delegation",
}
"""Names that toolsets once had. *Source:* hermes-agent runtime, `_LEGACY_TOOLSET_MAP`: the suffix `_tools`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolset:
    """A named bundle."""

    name: str
    description: str = ""
    """One line for a person; empty where none was given."""
    tools: tuple[str, ...] = ()
    """Names of tools that it lists itself, beside those that registered for it."""
    includes: tuple[str, ...] = ()
    """Names of toolsets whose tools it has too."""


class Toolsets:
    """All toolsets by name, and what they come to.

    Args:
        declared: Toolsets that were described; one of them may have no tool of its own.
        members: Names of registered tools by their toolset, each in order of registration.
        old_names: Further names, each with the name that it stands for.
    """

    def __init__(
        self,
        declared: Iterable[Toolset],
        members: Mapping[str, Sequence[str]],
        old_names: Mapping[str, str] = OLD_NAMES,
    ) -> None:
        self._declared = {toolset.name: toolset for toolset in declared}
        self._members = members
        self._old_names = old_names

    @property
    def names(self) -> tuple[str, ...]:
        """Every toolset's name, sorted."""
        return tuple(sorted({*self._declared, *self._members}))

    def describe(self, name: str) -> str:
        """The toolset's line; empty where it has none."""
        declared = self._declared.get(name)
        return declared.description if declared else ""

    def current_name(self, name: str) -> str:
        """The name that `name` has now: itself, or what an old name stands for.

        Raises:
            BadInput: There is no such toolset, by any name.
        """
        known = self.names
        for candidate in (name, self._old_names.get(name, "")):
            if candidate in known:
                return candidate
        raise BadInput("toolset", f"no {name!r}", f"there are {', '.join(known) or 'none'}")

    def resolve(self, name: str) -> tuple[str, ...]:
        """Names of all tools of the toolset `name`: its own first, then of what it includes, each once.

        A circle of includes ends where it comes back to itself.

        Raises:
            BadInput: There is no such toolset, or one that it includes is not there.
        """
        return tuple(dict.fromkeys(self._walk(self.current_name(name), set())))

    def choose(self, enabled: Sequence[str] | None, disabled: Sequence[str] = ()) -> frozenset[str]:
        """Names of the tools of some toolsets.

        Args:
            enabled: Toolsets to take; None takes all.
            disabled: Toolsets to leave out, whatever else includes them.

        Raises:
            BadInput: A toolset is not there.
        """
        taken = frozenset(
            tool for name in (self.names if enabled is None else enabled) for tool in self.resolve(name)
        )
        return taken - frozenset(tool for name in disabled for tool in self.resolve(name))

    def _walk(self, name: str, seen: set[str]) -> Iterable[str]:
        if name in seen:
            return
        seen.add(name)
        yield from self._members.get(name, ())
        if declared := self._declared.get(name):
            yield from declared.tools
            for included in declared.includes:
                yield from self._walk(self._included(name, included), seen)

    def _included(self, name: str, included: str) -> str:
        try:
            return self.current_name(included)
        except BadInput as error:
            raise BadInput(f"toolset {name!r}", f"it includes {included!r}, which is not there") from error
