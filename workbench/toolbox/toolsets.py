"""Toolsets: named groups of tools, which may include each other."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.errors import BadInput
from workbench.toolspec.world.session_world import DeclaredWorld

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
"""Previous names of toolsets. *Source:* hermes-agent runtime, `_LEGACY_TOOLSET_MAP`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolset:
    """A named group of tools."""

    name: str
    description: str = ""
    """One line for people; may be empty."""
    tools: tuple[str, ...] = ()
    """Names of tools that it lists, in addition to the tools that are registered in it."""
    includes: tuple[str, ...] = ()
    """Names of other toolsets whose tools belong to this one, too."""
    world: DeclaredWorld | None = None
    """The world of the tools that are registered in it. None if they have none."""


class Toolsets:
    """All toolsets, and the tools that each of them contains.

    Args:
        declared: Toolsets with a description, a list of tools or includes. They may have no registered tools.
        members: Names of the registered tools by toolset, in the order of registration.
        old_names: Current names of toolsets by their previous names.
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
        """Names of all toolsets, sorted."""
        return tuple(sorted({*self._declared, *self._members}))

    def describe(self, name: str) -> str:
        """Return the description of a toolset, or an empty text if it has none."""
        declared = self._declared.get(name)
        return declared.description if declared else ""

    def current_name(self, name: str) -> str:
        """Return the current name of a toolset, given its current or a previous name.

        Raises:
            BadInput: There is no such toolset.
        """
        known = self.names
        for candidate in (name, self._old_names.get(name, "")):
            if candidate in known:
                return candidate
        raise BadInput(
            "toolset", f"there is no toolset {name!r}", f"available toolsets: {', '.join(known) or 'none'}"
        )

    def resolve(self, name: str) -> tuple[str, ...]:
        """Return the names of all tools of a toolset without duplicates: its own first, then those of its includes.

        A cycle of includes is harmless: each toolset is visited once.

        Raises:
            BadInput: The toolset, or one that it includes, does not exist.
        """
        return tuple(dict.fromkeys(self._walk(self.current_name(name), set())))

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
            raise BadInput(f"toolset {name!r}", f"it includes {included!r}, which does not exist") from error


def partition(names: Sequence[str], toolsets: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return toolsets that together have exactly these tools, each adding the tools that follow.

    The toolset that adds most is taken first, so the result is not always the one that was chosen, but it has the
    same tools.
    """
    chosen: list[str] = []
    done = 0
    while done < len(names):
        before = frozenset(names[:done])
        added = {
            toolset: [tool for tool in tools if tool not in before] for toolset, tools in toolsets.items()
        }
        fitting = [
            toolset for toolset, new in added.items() if new and list(names[done : done + len(new)]) == new
        ]
        if not fitting:
            return ()
        best = max(fitting, key=lambda toolset: len(added[toolset]))
        chosen.append(best)
        done += len(added[best])
    return tuple(chosen)
