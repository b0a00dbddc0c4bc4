"""The catalog: tools of files, installed packages, MCP servers and the terminal, in one registry."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property, partial
from importlib.metadata import EntryPoint
from pathlib import Path

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject
from workbench.chat.near_names import did_you_mean
from workbench.errors import BadInput
from workbench.settings import Settings
from workbench.toolbox.answers import secret_values
from workbench.toolbox.approval.allowed import Allowlist
from workbench.toolbox.approval.gate import ApprovalGate, Approvals, Judge
from workbench.toolbox.async_bridge import AsyncBridge
from workbench.toolbox.catalog_file import CatalogTool, CatalogToolset
from workbench.toolbox.discovery import OWN_TOOLSET, stage
from workbench.toolbox.dispatch import CallCounts, Dispatcher, DispatchLimits
from workbench.toolbox.entry import (
    NO_STAGING,
    NO_TASK,
    Availability,
    CallContext,
    Staging,
    ToolEntry,
    ToolTask,
)
from workbench.toolbox.hooks import Hooks
from workbench.toolbox.loaded_tools import (
    CommandSource,
    LoadedTools,
    ToolSource,
    load_tools,
    missing_tools,
    mocked_registry,
    with_saved_toolsets,
)
from workbench.toolbox.local_code import ask_about, explain_refusal
from workbench.toolbox.mcp.source import McpTools
from workbench.toolbox.registry import Registry
from workbench.toolbox.terminal.setting import open_terminal
from workbench.toolbox.toolsets import partition
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.toolspec.tools_text import parse_tools, render_tools
from workbench.toolspec.world.session_world import DeclaredWorld, SessionWorld, changed_worlds


class Catalog:
    """All tools, loaded at first use.

    Args:
        folder: Contains `*.yaml` files (declarative tools) and `*.py` files (tools with code).
        environment: Environment variables that tools may require. Values that look like secrets are removed from
            errors.
        limits: Time and size limits of a call.
        hooks: Functions that see each call and its result.
        packages: Entry points to use; None uses those of all installed packages.
        sources: Other sources of tools, such as a real terminal and MCP servers.
        allowlist: Commands that run without approval because a person chose "Always allow".
        judge: Checks risky commands before a person is asked; None asks the person right away.
        code_refusal: Returns why the Python files of the folder may not run, or an empty text. It is called when the
            tools are loaded.
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
        code_refusal: Callable[[], str] = str,
    ) -> None:
        self._code_refusal = code_refusal
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
        """Return a view of the same tools for somebody who may or may not run commands.

        Without permission, the tools that run commands are replaced by the mocks of the catalog's files.
        """
        view = copy(self)
        # Both share the loaded tools: an MCP server that is added to one of them is in the other, too.
        vars(view)["_loaded"] = self._loaded
        view._has_commands = is_permitted
        return view

    def with_toolsets(self, texts: Mapping[str, str]) -> "Catalog":
        """Return a catalog in which saved toolsets replace the files of the same name, or are added.

        An invalid text is listed in `problems()`, and the file stays in use.

        Args:
            texts: Texts in the format of catalog files, by the name of the toolset.
        """
        if not texts:
            return self
        view = copy(self)
        vars(view)["_loaded"] = with_saved_toolsets(self._loaded, texts)
        return view

    @property
    def servers(self) -> McpTools:
        """The MCP servers. A server that is added, changed or removed there changes the tools of this catalog.

        Raises:
            BadInput: This catalog has no settings file for servers.
        """
        source = self._servers
        if source is None:
            raise BadInput("MCP servers", "this catalog has no settings file for servers")
        # Loading registers the tools of the servers.
        _ = self._loaded
        return source

    @property
    def registry(self) -> Registry:
        """All tools. Without permission to run commands, those that run some are the mocks of their files."""
        names = [] if self._has_commands else self._command_tools()
        return mocked_registry(self._loaded, names) if names else self._loaded.registry

    def files(self) -> Sequence[CatalogToolset]:
        """Return the declarative toolsets, in the order of their file names."""
        return self._loaded.files

    def declared(self, name: str) -> CatalogTool | None:
        """Return the declarative tool with this name, or None if it does not exist or code answers its calls."""
        tools = (tool for toolset in self.files() for tool in toolset.tools)
        return next((tool for tool in tools if tool.spec.name == name), None)

    def problems(self) -> Sequence[str]:
        """Return one line for each file, package, server or saved toolset that could not be used, and for notices."""
        self._loaded.registry.load()
        servers = self._servers.problems() if self._servers else ()
        return (*self._loaded.problems, *servers, *missing_tools(self._loaded))

    def availability(self) -> Sequence[Availability]:
        """Check whether each tool can be used now. Sorted by name."""
        self._loaded.registry.load()
        return self.registry.availability()

    def toolsets(self) -> Mapping[str, OfferedTools]:
        """Return the usable tools of each toolset, sorted by the toolset's name. Empty toolsets are left out."""
        self._loaded.registry.load()
        registry = self.registry
        toolsets, usable = registry.toolsets(), registry.usable()
        offered = {name: registry.offer(toolsets.resolve(name), usable=usable) for name in toolsets.names}
        return {name: tools for name, tools in offered.items() if tools.specs}

    def select(self, names: Sequence[str | OfferedTools]) -> OfferedTools:
        """Return the tools that are named directly or through a toolset, in this order and without duplicates.

        Names are never taken for paths; see `select_files`. Tools that are not in the catalog can be among them.

        Raises:
            BadInput: A name is neither a toolset nor a tool, or two different tools have the same name.
        """
        return self.select_files(names, reads_files=False)

    def select_files(
        self, selectors: Sequence[str | OfferedTools], *, reads_files: bool = True
    ) -> OfferedTools:
        """Like `select`, but a selector may also be the path of a JSON file. Only for the person at the machine.

        Tools of a file that cannot be used are left out; the result's `findings` report them.

        Raises:
            BadInput: A selector is neither a toolset, a tool nor a readable file, or two different tools have the
                same name.
        """
        parts: list[tuple[str, Sequence[str | ToolSpec]]] = []
        findings: list[Finding] = []
        for selector in selectors:
            found = (
                self._names_or_tools(selector, reads_files=reads_files)
                if isinstance(selector, str)
                else selector
            )
            if isinstance(found, OfferedTools):
                findings += found.findings
                found = found.specs
            parts.append((selector if isinstance(selector, str) else "the given specs", found))
        names = [part for _, found in parts for part in found if isinstance(part, str)]
        # All of them at once, so that a tool of one toolset may mention a tool of another.
        offered = {spec.name: spec for spec in self.registry.offer(names).specs}
        chosen: dict[str, tuple[str, ToolSpec]] = {}
        for selector, found in parts:
            for part in found:
                spec = offered.get(part) if isinstance(part, str) else part
                if spec is not None:
                    _choose(chosen, selector, spec)
        return OfferedTools(specs=tuple(spec for _, spec in chosen.values()), findings=tuple(findings))

    def toolsets_of(self, tools_text: str) -> tuple[str, ...]:
        """Return the toolsets whose tools a text has, in the order of the text. Empty if it has others, or none.

        For example, the tools of `weather` followed by those of `calendar` that are not in `weather` give both names.
        """
        try:
            names = parse_tools(tools_text).names
            found = partition(names, {name: tools.names for name, tools in self.toolsets().items()})
            return found if found and render_tools(self.select(found)) == tools_text else ()
        except BadInput:
            return ()

    def toolbox(self, task: ToolTask = NO_TASK) -> Dispatcher:
        """Return a dispatcher for the calls of one task. It answers unknown tools with their own arguments.

        Raises:
            BadInput: The mock rules of the task are invalid.
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
            world=SessionWorld(task.world, self._worlds(task.staging)),
            echoes_unknown=True,
        )

    def world_start(self, names: Sequence[str], staging: Staging = NO_STAGING) -> JsonObject:
        """Return the world that a conversation with these tools starts with, by toolset. Empty if none has a world.

        Raises:
            BadInput: The changes of the staging do not fit.
        """
        entries = (self.registry.find(staging.originals.get(name, name)) for name in names)
        used = {entry.toolset for entry in entries if entry}
        worlds = self._worlds(staging)
        return {name: world.value for name, world in worlds.items() if name in {*used, OWN_TOOLSET}}

    def _worlds(self, staging: Staging) -> Mapping[str, DeclaredWorld]:
        """Return the worlds that toolsets start with, with the changes of a conversation."""
        declared = self.registry.worlds()
        known = (OWN_TOOLSET, *self.registry.toolsets().names) if staging.world else ()
        for name in staging.world:
            if name not in known:
                remedy = did_you_mean(
                    name, known, otherwise=f"for tools of the case alone, use {OWN_TOOLSET}"
                )
                raise BadInput("world", f"there is no toolset {name[:60]!r}", remedy)
        return changed_worlds(declared, staging.world) if staging.world else declared

    def close(self) -> None:
        """Close all sources and stop handlers that still run."""
        for source in self._sources:
            source.close()
        self._bridge.close()

    @property
    def _servers(self) -> McpTools | None:
        return next((source for source in self._sources if isinstance(source, McpTools)), None)

    def _command_tools(self) -> list[str]:
        sources = (source for source in self._sources if isinstance(source, CommandSource))
        return [name for source in sources for name in source.command_tools]

    @cached_property
    def _loaded(self) -> LoadedTools:
        return load_tools(self._folder, self._environment, self._packages, self._sources, self._code_refusal)

    def _names_or_tools(self, selector: str, *, reads_files: bool) -> Sequence[str] | OfferedTools:
        """Return the names of the catalog's tools that a selector chooses, or the tools of a file."""
        names = self._find(selector)
        if names is not None:
            return names
        if not reads_files:
            remedy = self._hint(selector, "use a tool or one of the toolsets")
            raise BadInput("tools", f"there is no tool or toolset {selector[:60]!r}", remedy)
        path = Path(selector).expanduser()
        if path.suffix == ".json" and path.is_file():
            return parse_tools(path.read_text(encoding="utf-8"))
        remedy = self._hint(selector, "use a tool, a JSON file or one of the toolsets")
        raise BadInput("tools", f"there is no tool, toolset or JSON file {selector!r}", remedy)

    def _hint(self, name: str, otherwise: str) -> str:
        """Return the toolset or tool that was probably meant, or `otherwise` with the names of the toolsets."""
        registry = self.registry
        toolsets = tuple(registry.toolsets().names)
        known = (*toolsets, *(entry.name for entry in registry.entries()))
        return did_you_mean(name, known, otherwise=f"{otherwise} {', '.join(toolsets)}")

    def _find(self, name: str) -> Sequence[str] | None:
        """Return the names of the tools of the toolset, or the tool, with this name. None if there is neither."""
        for wanted in (name, *self._included(name)):
            self._loaded.registry.load(wanted)
        toolsets = self.registry.toolsets()
        try:
            return toolsets.resolve(name)
        except BadInput:
            if name in toolsets.names:
                raise
        entry = self.registry.find(name)
        return None if entry is None else (self._usable(entry),)

    def _included(self, name: str) -> Sequence[str]:
        """Return the toolsets and tools that a toolset of a file includes, which may be tools of servers."""
        found = (toolset for toolset in self.files() if toolset.name == name)
        return [part for toolset in found for part in (*toolset.includes, *toolset.include_tools)]

    def _usable(self, entry: ToolEntry) -> str:
        [availability] = self.registry.availability([entry.name])
        if availability.reason:
            raise BadInput(f"tool {entry.name!r}", f"it cannot be used: {availability.reason}")
        return entry.name


def _choose(chosen: dict[str, tuple[str, ToolSpec]], selector: str, spec: ToolSpec) -> None:
    """Add a spec to the chosen ones, by name with its selector. The same tool again changes nothing.

    Raises:
        BadInput: Another tool of the same name was chosen.
    """
    first, other = chosen.setdefault(spec.name, (selector, spec))
    if other.function != spec.function:
        raise BadInput(
            f"tool {spec.name!r}",
            f"{first!r} and {selector!r} have different tools of this name",
            "rename one of them, or choose only one of the two",
        )


def open_files(folder: Path, settings: Settings) -> Catalog:
    """Return the catalog of a folder and of packages only: nothing is asked, and no other program is started."""
    return Catalog(
        folder, environment=settings.environment, code_refusal=partial(explain_refusal, folder, settings)
    )


def open_catalog(folder: Path, settings: Settings, *, judge: Judge | None = None) -> Catalog:
    """Return the catalog of a folder, with the terminal and the MCP servers of the settings.

    A person at a terminal is asked about Python files of a folder that is not trusted.

    Args:
        folder: Contains the catalog's files.
        judge: Checks risky commands before a person is asked.

    Raises:
        BadInput: WORKBENCH_TERMINAL is not valid, or the answer about Python files cannot be stored.
    """
    ask_about(folder, settings)
    sources: list[ToolSource] = [
        McpTools(settings.tools_file, is_space=settings.is_on_space, environment=settings.environment)
    ]
    if (terminal := open_terminal(settings)) is not None:
        sources.append(terminal)
    return Catalog(
        folder,
        environment=settings.environment,
        limits=DispatchLimits(timeout_s=settings.tool_timeout_s),
        sources=sources,
        allowlist=Allowlist(settings.tools_file),
        judge=judge,
        code_refusal=partial(explain_refusal, folder, settings),
    )
