"""The tools that a catalog loads from its files, installed packages and other sources."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from workbench.chat.near_names import did_you_mean
from workbench.errors import BadInput
from workbench.toolbox.agent_tools import agent_entries
from workbench.toolbox.approval.gate import CommandEnvironments
from workbench.toolbox.catalog_file import CatalogTool, CatalogToolset, load_toolset, parse_toolset
from workbench.toolbox.discovery import discover_entry_points, discover_modules
from workbench.toolbox.entry import ToolEntry
from workbench.toolbox.mocks import MockTool
from workbench.toolbox.registry import Registry
from workbench.toolbox.toolsets import Toolset


class ToolSource(Protocol):
    """A source of tools other than the catalog's files."""

    def register_tools(self, registry: Registry) -> Sequence[str]:
        """Register its tools. Return one line for each notice or problem, such as a server that does not start."""
        ...

    def close(self) -> None:
        """End everything that it runs."""
        ...


@runtime_checkable
class CommandSource(CommandEnvironments, Protocol):
    """A source whose tools run real commands."""

    @property
    def command_tools(self) -> Sequence[str]:
        """Names of the tools that run commands."""
        ...


class LoadedTools(NamedTuple):
    """All tools of a catalog."""

    registry: Registry
    files: tuple[CatalogToolset, ...]
    problems: tuple[str, ...]
    """One line for each file, package, server or saved toolset that could not be used, and for notices."""


def load_tools(
    folder: Path,
    environment: Mapping[str, str],
    packages: Iterable[EntryPoint] | None,
    sources: Sequence[ToolSource],
    code_refusal: Callable[[], str],
) -> LoadedTools:
    """Load the tools of a folder, of the agent, of packages and of other sources. See `Catalog` for the arguments.

    Raises:
        BadInput: A declarative file of the folder is invalid, or two of them declare a tool of the same name.
    """
    registry = Registry(environment)
    files = tuple(load_toolset(path) for path in sorted(folder.glob("*.yaml")))
    for toolset in files:
        _register(toolset, registry)
    for entry in agent_entries():
        registry.add(entry)
    refused = code_refusal()
    problems = (
        *([refused] if refused else discover_modules(folder, registry)),
        *discover_entry_points(registry, packages),
        *(problem for source in sources for problem in source.register_tools(registry)),
    )
    return LoadedTools(registry, files, problems)


def mocked_registry(loaded: LoadedTools, names: Sequence[str]) -> Registry:
    """Return a copy of the registry in which tools are replaced by the mocks of the catalog's files.

    Tools without a mock are removed.
    """
    registry = loaded.registry.copy()
    for name in names:
        registry.unregister(name)
    for toolset in loaded.files:
        for tool in toolset.tools:
            if tool.spec.name in names:
                registry.add(_entry(tool, toolset.name))
    return registry


def missing_tools(loaded: LoadedTools) -> Iterator[str]:
    """Yield one line for each tool that a toolset includes but that does not exist."""
    for toolset in loaded.files:
        for name in toolset.include_tools:
            if loaded.registry.find(name) is None:
                known = [entry.name for entry in loaded.registry.entries()]
                remedy = did_you_mean(name, known, otherwise="remove it, or add the tool")
                problem = f"it includes the tool {name[:60]!r}, which does not exist"
                yield str(BadInput(f"toolset {toolset.name!r}", problem, remedy))


def with_saved_toolsets(loaded: LoadedTools, texts: Mapping[str, str]) -> LoadedTools:
    """Return the tools with saved toolsets in place of the files of the same name, or added.

    An invalid text is listed in the problems, and the file stays in use.

    Args:
        texts: Texts in the format of catalog files, by the name of the toolset.
    """
    registry, problems = loaded.registry.copy(), list(loaded.problems)
    files = {toolset.name: toolset for toolset in loaded.files}
    for name, text in texts.items():
        try:
            toolset = parse_toolset(text, where=f"saved toolset {name!r}")
        except BadInput as error:
            problems.append(str(error))
            continue
        previous = registry.copy()
        for tool in files[toolset.name].tools if toolset.name in files else ():
            registry.unregister(tool.spec.name)
        try:
            _register(toolset, registry)
        except BadInput as error:
            problems.append(str(error))
            registry = previous
            continue
        files[toolset.name] = toolset
    return LoadedTools(registry, tuple(files.values()), tuple(problems))


def _register(toolset: CatalogToolset, registry: Registry) -> None:
    """Register the declarative tools of one file.

    Raises:
        BadInput: Another toolset has a tool of the same name.
    """
    registry.add_toolset(
        Toolset(
            name=toolset.name,
            description=toolset.description,
            tools=toolset.include_tools,
            includes=toolset.includes,
            world=toolset.world,
        )
    )
    for tool in toolset.tools:
        registry.add(_entry(tool, toolset.name))


def _entry(tool: CatalogTool, toolset: str) -> ToolEntry:
    handler = MockTool(name=tool.spec.name, rules=tool.rules, returns=tool.returns)
    return ToolEntry(spec=tool.spec, toolset=toolset, handler=handler, emoji=tool.emoji)
