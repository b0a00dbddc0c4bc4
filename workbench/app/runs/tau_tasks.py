"""Import tasks of τ-bench, with the tools of their domain as a toolset of the catalog."""

from collections.abc import Sequence

from workbench.app.services import Services
from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.suite.exchange.bfcl import ImportedSuite
from workbench.suite.exchange.tau import RanActions, import_tau
from workbench.toolbox.entry import ToolTask
from workbench.toolspec.world.patches import replayed


def tau_suite(services: Services, text: str, *, name: str, toolset: str) -> ImportedSuite:
    """Return the suite of tasks whose domain is a toolset with a world.

    Raises:
        BadInput: There is no such toolset, it has no world, or no task can be imported.
    """
    catalog = services.tools
    names = catalog.select((toolset,)).names
    start = catalog.world_start(names)
    if not start:
        raise BadInput(f"toolset {toolset!r}", "it has no world", "declare one: the database of the domain")

    def run_actions(calls: Sequence[ToolCall]) -> RanActions:
        toolbox, after, problem = catalog.toolbox(ToolTask()), start, ""
        for call in calls:
            run = toolbox.run(call)
            after = replayed([run.world_patch], after)
            if run.result.is_error or call.name not in names:
                problem = problem or f"its action {call.name} fails: {run.result.text[:200]}"
        return RanActions(before=start, after=after, problem=problem)

    return import_tau(text, name=name, toolset=toolset, run_actions=run_actions)
