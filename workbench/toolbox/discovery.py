"""Find tools in modules and installed packages, and stage the files of a conversation."""

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Final

from workbench.errors import BadInput, WorkbenchError
from workbench.toolbox.catalog_file import parse_tool
from workbench.toolbox.entry import Staging, ToolEntry
from workbench.toolbox.mocks import MockTool
from workbench.toolbox.registry import Registry
from workbench.toolspec.spec import ToolSpec

ENTRY_POINTS: Final = "workbench.tools"
"""The group of entry points that installed packages add tools by."""


REGISTER: Final = "register_tools"
"""What a module must define: a function that takes the registry."""


def discover_modules(folder: Path, registry: Registry) -> tuple[str, ...]:
    """Lets each `*.py` of `folder` register its tools, by name; one that fails leaves the others standing.

    Files that begin with an underscore are passed over.

    Returns:
        A line for a person about each module that failed: which, and why.
    """
    paths = sorted(path for path in folder.glob("*.py") if not path.name.startswith("_"))
    loads = ((f"tools_catalog/{path.name}", _loader(path)) for path in paths)
    return _register_all(loads, registry)


def discover_entry_points(registry: Registry, found: Iterable[EntryPoint] | None = None) -> tuple[str, ...]:
    """Lets each installed package that names a `workbench.tools` entry point register its tools.

    Args:
        found: Entry points to take; None takes those of all installed packages.

    Returns:
        As `discover_modules`.
    """
    points = entry_points(group=ENTRY_POINTS) if found is None else found
    return _register_all(((f"entry point {point.name!r}", point.load) for point in points), registry)


def _register_all(loads: Iterable[tuple[str, Callable[[], object]]], registry: Registry) -> tuple[str, ...]:
    told = (_register(name, load, registry) for name, load in loads)
    return tuple(line for line in told if line)


def _register(name: str, load: Callable[[], object], registry: Registry) -> str:
    """Empty where it went well, else the line."""
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
    except (Exception, SystemExit) as error:  # noqa: BLE001  a stranger's module may raise anything
        return f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:300]}"
    return ""


def _loader(path: Path) -> Callable[[], ModuleType]:
    def load() -> ModuleType:
        name = f"workbench_tools_catalog_{path.stem}"
        spec = spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise BadInput(f"tools_catalog/{path.name}", "it is no Python module")
        module = module_from_spec(spec)
        # Dataclasses and typing look a class's module up by its name.
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    return load


_TOOLSET = "staged"


def stage(registry: Registry, staging: Staging) -> Registry:
    """The registry with what a conversation has of its own; the registry itself where it has nothing.

    Raises:
        BadInput: Mock rules cannot be used.
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
        staged.add(ToolEntry(spec=spec, toolset=_TOOLSET, handler=handler), override=True)
    for new, old in staging.originals.items():
        entry = staged.find(old)
        # What really acts keeps its name: the gate knows what is risky by it. Other names give arguments back.
        if entry is not None and isinstance(entry.handler, MockTool):
            spec = ToolSpec(
                document={**entry.spec.document, "function": {**entry.spec.function, "name": new}}
            )
            staged.add(replace(entry, spec=spec), override=True)
    return staged
