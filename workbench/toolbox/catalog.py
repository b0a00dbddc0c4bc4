"""The catalog: tools from files, modules, packages and MCP servers in one registry."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from workbench.errors import BadInput
from workbench.settings import Settings
from workbench.toolbox.agent_tools import agent_entries
from workbench.toolbox.answers import secret_values
from workbench.toolbox.approval.allowed import Allowlist
from workbench.toolbox.approval.gate import ApprovalGate, Approvals, CommandEnvironments, Judge
from workbench.toolbox.async_bridge import AsyncBridge
from workbench.toolbox.catalog_file import CatalogTool, CatalogToolset, load_toolset, parse_toolset
from workbench.toolbox.discovery import discover_entry_points, discover_modules, stage
from workbench.toolbox.dispatch import CallCounts, Dispatcher, DispatchLimits
from workbench.toolbox.entry import NO_TASK, Availability, CallContext, ToolEntry, ToolTask
from workbench.toolbox.hooks import Hooks
from workbench.toolbox.mcp.source import McpTools
from workbench.toolbox.mocks import MockTool
from workbench.toolbox.registry import Registry
from workbench.toolbox.terminal.environments import isolated, parse_environment
from workbench.toolbox.terminal.tool import Terminal
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.toolspec.tools_text import parse_tools


class ToolSource(Protocol):
    """Where further tools come from."""

    def register_tools(self, registry: Registry) -> Sequence[str]:
        """Registers its tools, and tells in a line each what could not be used."""
        ...

    def close(self) -> None:
        """Ends what it runs."""
        ...


@runtime_checkable
class ServerSource(Protocol):
    """A source that takes further servers while it runs."""

    def add(self, name: str, address: str, registry: Registry) -> Sequence[str]:
        """Adds a server, and registers its tools; a line about each that cannot be used.

        Raises:
            BadInput: It cannot be added.
        """
        ...


@runtime_checkable
class CommandSource(CommandEnvironments, Protocol):
    """A source whose tools really run commands, and which knows where."""

    @property
    def command_tools(self) -> Sequence[str]:
        """Names of those tools."""
        ...


class _Loaded(NamedTuple):
    registry: Registry
    files: tuple[CatalogToolset, ...]
    problems: tuple[str, ...]


class Catalog:
    """The tools of one folder and of installed packages, read at first use.

    Args:
        folder: Holds `*.yaml` (declarative tools) and `*.py` (tools with code).
        environment: Variables that tools may require; what they say of secrets is kept out of errors.
        limits: What a call may take.
        hooks: What looks on at every call.
        packages: Entry points to take; None takes those of all installed packages.
        sources: Further tools, such as a real terminal's and those of MCP servers.
        allowlist: Risky commands that are allowed always.
        judge: Looks at risky commands before a person is asked.
    """

    def __init__(
        self,
        folder: Path,
        *,
        environment: Mapping[str, str] | None = None,
        limits: DispatchLimits = DispatchLimits(),
        hooks: Hooks = Hooks(),
        packages: Iterable[EntryPoint] | None = None,
        sources: Sequence[ToolSource] = (),
        allowlist: Allowlist | None = None,
        judge: Judge | None = None,
    ) -> None:
        self._folder = folder
        self._environment = dict(environment or {})
        self._limits = limits
        self._hooks = hooks
        self._packages = packages
        self._bridge = AsyncBridge()
        self._sources = sources
        self._allowlist = allowlist
        self._judge = judge
        self._counts = CallCounts()
        self._approvals = Approvals()
        self._has_commands = True

    def with_commands(self, *, is_permitted: bool) -> "Catalog":
        """The same tools; without permission, those that run commands are the mocks of their files."""
        made = copy(self)
        # Shares what is loaded: a server that is added to one view is in all of them.
        vars(made)["_loaded"] = self._loaded
        made._has_commands = is_permitted
        return made

    def with_toolsets(self, texts: Mapping[str, str]) -> "Catalog":
        """The same tools, with these toolsets in place of their files, or beside them; nothing else is read anew.

        A text that cannot be used is told among the problems, and the file stays.

        Args:
            texts: Of the form of a catalog's file, by the file's name.
        """
        if not texts:
            return self
        made = copy(self)
        vars(made)["_loaded"] = _overlaid(self._loaded, texts)
        return made

    def add_server(self, name: str, address: str) -> Sequence[str]:
        """Adds an MCP server to the settings file, and its tools to these.

        Args:
            name: As people name it.
            address: Of a streamable HTTP server, or the command line of a program of this machine.

        Returns:
            A line about each of its tools that cannot be used.

        Raises:
            BadInput: There is one of that name, it does not answer, or servers are not used here.
        """
        for source in self._sources:
            if isinstance(source, ServerSource):
                return source.add(name, address, self._loaded.registry)
        raise BadInput(f"MCP server {name!r}", "this catalog has no settings file for servers")

    @property
    def registry(self) -> Registry:
        """All tools, registered; without permission, those that run commands are the mocks of their files."""
        names = [] if self._has_commands else self._command_tools()
        return _mocked(self._loaded, names) if names else self._loaded.registry

    def files(self) -> Sequence[CatalogToolset]:
        """The declarative toolsets as their files have them, by the files' names."""
        return self._loaded.files

    def declared(self, name: str) -> CatalogTool | None:
        """The declarative tool of that name; None where there is none, or code runs it."""
        tools = (tool for toolset in self.files() for tool in toolset.tools)
        return next((tool for tool in tools if tool.spec.name == name), None)

    def problems(self) -> Sequence[str]:
        """A line about each module or package that could not be used."""
        return self._loaded.problems

    def availability(self) -> Sequence[Availability]:
        """Whether each tool can be used now, by name."""
        return self.registry.availability()

    def toolsets(self) -> Mapping[str, OfferedTools]:
        """Each toolset's tools that can be used, by the toolset's name, sorted; empty ones are left out."""
        toolsets, usable = self.registry.toolsets(), self.registry.usable()
        offered = {
            name: self.registry.offer(toolsets.resolve(name), usable=usable) for name in toolsets.names
        }
        return {name: tools for name, tools in offered.items() if tools.specs}

    def select(self, names: Sequence[str]) -> OfferedTools:
        """The tools of toolsets and tools, in the order named, each once; a name is never a path.

        Raises:
            BadInput: There is no toolset and no tool of a name.
        """
        return _each_once(spec for name in names for spec in self._named(name))

    def select_files(self, selectors: Sequence[str]) -> OfferedTools:
        """The same, but that a selector may be a JSON file: for whoever is at the machine itself.

        Raises:
            BadInput: A selector is neither a toolset, a tool nor a readable file.
        """
        return _each_once(spec for selector in selectors for spec in self._named_or_read(selector))

    def toolbox(self, task: ToolTask = NO_TASK) -> Dispatcher:
        """Runs calls of one task; tools that nobody registered give their arguments back.

        Raises:
            BadInput: The task's own mock rules cannot be used.
        """
        context = CallContext(task_id=task.session_id, session_id=task.session_id, seed=task.seed)
        return Dispatcher(
            stage(self.registry, task.staging),
            bridge=self._bridge,
            context=context,
            counts=self._counts if task.session_id else CallCounts(),
            gate=ApprovalGate(
                self._approvals,
                allowlist=self._allowlist,
                approver=task.approver,
                judge=self._judge,
                places=next((source for source in self._sources if isinstance(source, CommandSource)), None),
            ),
            hooks=self._hooks,
            limits=self._limits,
            secrets=secret_values(self._environment),
            echoes_unknown=True,
        )

    def close(self) -> None:
        """Ends what handlers left running."""
        for source in self._sources:
            source.close()
        self._bridge.close()

    def _command_tools(self) -> list[str]:
        found = (source.command_tools for source in self._sources if isinstance(source, CommandSource))
        return [name for names in found for name in names]

    @cached_property
    def _loaded(self) -> _Loaded:
        registry = Registry(self._environment)
        files = tuple(load_toolset(path) for path in sorted(self._folder.glob("*.yaml")))
        for toolset in files:
            _register(toolset, registry)
        for entry in agent_entries():
            registry.add(entry)
        problems = (
            *discover_modules(self._folder, registry),
            *discover_entry_points(registry, self._packages),
            *(problem for source in self._sources for problem in source.register_tools(registry)),
        )
        return _Loaded(registry, files, problems)

    def _named(self, name: str) -> Sequence[ToolSpec]:
        specs = self._find(name)
        if specs is None:
            remedy = f"name a toolset ({', '.join(self.registry.toolsets().names)}) or a tool"
            raise BadInput("tools", f"no {name[:60]!r}", remedy)
        return specs

    def _named_or_read(self, selector: str) -> Sequence[ToolSpec]:
        specs = self._find(selector)
        path = Path(selector).expanduser()
        if specs is None and path.suffix == ".json" and path.is_file():
            return parse_tools(path.read_text(encoding="utf-8")).specs
        if specs is None:
            remedy = f"a toolset ({', '.join(self.registry.toolsets().names)}), a tool's name, or a JSON file"
            raise BadInput("tools", f"no {selector!r}", remedy)
        return specs

    def _find(self, name: str) -> Sequence[ToolSpec] | None:
        """The tools of a toolset or the tool of that name; None where there is neither."""
        toolsets = self.registry.toolsets()
        try:
            return self.registry.offer(toolsets.resolve(name)).specs
        except BadInput:
            if name in toolsets.names:
                raise
        entry = self.registry.find(name)
        return None if entry is None else (self._usable(entry),)

    def _usable(self, entry: ToolEntry) -> ToolSpec:
        [availability] = self.registry.availability([entry.name])
        if availability.reason:
            raise BadInput(f"tool {entry.name!r}", f"it cannot be used: {availability.reason}")
        return entry.spec


def _mocked(loaded: _Loaded, names: Sequence[str]) -> Registry:
    """A copy of the registry in which these tools are the declared ones of the catalog's files, or gone."""
    registry = loaded.registry.copy()
    for name in names:
        registry.unregister(name)
    for toolset in loaded.files:
        for tool in toolset.tools:
            if tool.spec.name in names:
                registry.add(_entry(tool, toolset.name))
    return registry


def _each_once(specs: Iterable[ToolSpec]) -> OfferedTools:
    return OfferedTools(specs=tuple({spec.name: spec for spec in specs}.values()))


def _overlaid(loaded: _Loaded, texts: Mapping[str, str]) -> _Loaded:
    registry, problems = loaded.registry.copy(), list(loaded.problems)
    files = {toolset.name: toolset for toolset in loaded.files}
    for name, text in texts.items():
        try:
            toolset = parse_toolset(text, where=f"saved toolset {name!r}")
        except BadInput as error:
            problems.append(str(error))
            continue
        before = registry.copy()
        for tool in files[toolset.name].tools if toolset.name in files else ():
            registry.unregister(tool.spec.name)
        try:
            _register(toolset, registry)
        except BadInput as error:
            problems.append(str(error))
            registry = before
            continue
        files[toolset.name] = toolset
    return _Loaded(registry, tuple(files.values()), tuple(problems))


def _register(toolset: CatalogToolset, registry: Registry) -> None:
    """Registers the declarative tools of one file.

    Raises:
        BadInput: Another toolset has a tool of the same name.
    """
    registry.register_toolset(toolset.name, toolset.description, includes=toolset.includes)
    for tool in toolset.tools:
        registry.add(_entry(tool, toolset.name))


def _entry(tool: CatalogTool, toolset: str) -> ToolEntry:
    handler = MockTool(name=tool.spec.name, rules=tool.rules, returns=tool.returns)
    return ToolEntry(spec=tool.spec, toolset=toolset, handler=handler, emoji=tool.emoji)


def open_catalog(folder: Path, settings: Settings, *, judge: Judge | None = None) -> Catalog:
    """The tools of a folder, with the terminal and the servers that the settings name.

    Args:
        folder: Holds the catalog's files.
        settings: As read from the environment.
        judge: Looks at risky commands before a person is asked.

    Raises:
        BadInput: A setting names no environment.
    """
    sources: list[ToolSource] = [McpTools(settings.tools_file, is_space=settings.is_on_space)]
    if (environment := parse_environment(settings.terminal)) is not None:
        sources.append(Terminal(isolated(environment, settings.data), settings.environment))
    return Catalog(
        folder,
        environment=settings.environment,
        limits=DispatchLimits(timeout_s=settings.tool_timeout_s),
        sources=sources,
        allowlist=Allowlist(settings.tools_file),
        judge=judge,
    )
