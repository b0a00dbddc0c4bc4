"""Find tools in Python files and installed packages, and apply the mock rules of a conversation to a registry."""

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

from workbench.errors import BadInput, WorkbenchError
from workbench.toolbox.catalog_file import parse_tool
from workbench.toolbox.entry import Staging, ToolEntry
from workbench.toolbox.mocks import MockTool
from workbench.toolbox.registry import Registry
from workbench.toolspec.spec import ToolSpec

ENTRY_POINTS: Final = "workbench.tools"
"""Entry point group through which installed packages add tools."""


REGISTER: Final = "register_tools"
"""Name of the function that a tool file must define. It gets the registry."""


def discover_modules(folder: Path, registry: Registry) -> tuple[str, ...]:
    """Import each `*.py` file of a folder, in the order of their names, and let it register its tools.

    Files whose names begin with an underscore are skipped, and so are links to a pipe, such as standard input: what
    it contains is not known in advance. A file that fails does not affect the others.

    Returns:
        One line for each file that failed, with the reason.
    """
    paths = sorted(path for path in folder.glob("*.py") if path.is_file() and not path.name.startswith("_"))
    loads = ((f"tools_catalog/{path.name}", _loader(path)) for path in paths)
    return _register_all(loads, registry)


def discover_entry_points(registry: Registry, found: Iterable[EntryPoint] | None = None) -> tuple[str, ...]:
    """Let each installed package with an entry point in the group `workbench.tools` register its tools.

    Args:
        found: Entry points to use; None uses those of all installed packages.

    Returns:
        One line for each entry point that failed, with the reason.
    """
    points = entry_points(group=ENTRY_POINTS) if found is None else found
    return _register_all(((f"entry point {point.name!r}", point.load) for point in points), registry)


def _register_all(loads: Iterable[tuple[str, Callable[[], object]]], registry: Registry) -> tuple[str, ...]:
    problems = (_register(name, load, registry) for name, load in loads)
    return tuple(problem for problem in problems if problem)


def _register(name: str, load: Callable[[], object], registry: Registry) -> str:
    """Load a module and let it register its tools. Return the problem, or an empty text if there was none."""
    try:
        loaded = load()
        register = loaded if callable(loaded) else getattr(loaded, REGISTER, None)
        if not callable(register):
            raise BadInput(
                name, f"it has no function {REGISTER}(registry)", "see docs/how-to/add-a-tool-file.md"
            )
        register(registry)
    except WorkbenchError as error:
        return str(error) if str(error).startswith(name) else f"{name}: {error}"
    except (Exception, SystemExit) as error:  # noqa: BLE001  a third-party module may raise anything
        return f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:300]}"
    return ""


class _SourceLoader(SourceFileLoader):
    """Runs the text of a file. Compiled files in `__pycache__` are ignored, because they may do something else."""

    def get_code(self, fullname: str) -> CodeType:
        """Compile the file."""
        return self.source_to_code(self.get_data(self.path), self.path)


def _loader(path: Path) -> Callable[[], ModuleType]:
    def load() -> ModuleType:
        name = f"workbench_tools_catalog_{path.stem}"
        spec = spec_from_file_location(name, path, loader=_SourceLoader(name, str(path)))
        if spec is None or spec.loader is None:
            raise BadInput(f"tools_catalog/{path.name}", "it is not a Python module")
        module = module_from_spec(spec)
        # Dataclasses and typing look up the module of a class by its name.
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    return load


OWN_TOOLSET: Final = "case"
"""The toolset of tools that are in no other one, such as those of a case. A case gives it a world with `world`."""


def stage(registry: Registry, staging: Staging) -> Registry:
    """Return a copy of the registry with the mock rules and renamed tools of a conversation.

    Without any, the registry itself is returned.

    Raises:
        BadInput: The mock rules are invalid.
    """
    if not staging.mocks and not staging.originals:
        return registry
    staged = Registry()
    for entry in registry.entries():
        staged.add(entry, override=True)
    for name, rules in staging.mocks.items():
        entry = registry.find(name)
        spec = entry.spec if entry else ToolSpec.of_function({"name": name})
        tool = parse_tool(spec, json.dumps(rules), where=f"mocks of {name!r}")
        handler = MockTool(name=name, rules=tool.rules, returns=tool.returns)
        # In its own toolset, so that its rules have the world of that one.
        toolset = entry.toolset if entry else OWN_TOOLSET
        staged.add(ToolEntry(spec=spec, toolset=toolset, handler=handler), override=True)
    for new, old in staging.originals.items():
        entry = staged.find(old)
        # Only mocks are renamed. The approval gate recognizes tools that really act by their names, so those are not
        # offered under another one; a call of the new name is echoed instead.
        if entry is not None and isinstance(entry.handler, MockTool):
            spec = ToolSpec(
                document={**entry.spec.document, "function": {**entry.spec.function, "name": new}}
            )
            staged.add(replace(entry, spec=spec), override=True)
    return staged
