"""The registry as one conversation sees it: with mock rules of its own, and tools under other names."""

import json
from dataclasses import replace

from workbench.toolbox.catalog_file import parse_tool
from workbench.toolbox.mocks import MockTool
from workbench.toolbox.registering.entry import ToolEntry
from workbench.toolbox.registry import Registry
from workbench.toolbox.task import Staging
from workbench.toolspec.spec import ToolSpec

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
