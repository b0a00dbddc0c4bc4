"""Convert tasks in the JSON of τ-bench to cases. *Source:* https://github.com/sierra-research/tau-bench.

A task has an `instruction` for the simulated customer, the `actions` that lead to the right database, and the `outputs`
that the customer must hear. Tasks of τ²-bench have the same under other names.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from workbench.chat.json_value import JsonObject, load_json
from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.suite.case import Suite
from workbench.suite.exchange.bfcl import ImportedSuite
from workbench.suite.read_suite import parse_case
from workbench.toolspec.conditions import exactly
from workbench.toolspec.world.patches import ChangeKind, world_changes


class RanActions(NamedTuple):
    """The world before and after the actions of a task, and the first action that failed."""

    before: JsonObject
    after: JsonObject
    problem: str
    """Empty if none failed."""


RunActions = Callable[[Sequence[ToolCall]], RanActions]
"""Runs calls in a new world, in order."""


def import_tau(text: str, *, name: str, toolset: str, run_actions: RunActions) -> ImportedSuite:
    """Import a suite from tasks.

    Args:
        text: JSON: a list of tasks.
        name: Name of the suite.
        toolset: Toolset of the tasks' domain.
        run_actions: Runs the actions of a task. What they change in the world is expected of the model, too.

    Raises:
        BadInput: The text is not a list of tasks, or none can be imported.
    """
    try:
        tasks = load_json(text)
    except ValueError as error:
        raise BadInput("tasks", f"not JSON: {error}") from error
    if not isinstance(tasks, list):
        raise BadInput("tasks", "not a list of tasks")
    cases: list[Any] = []
    left_out: list[str] = []
    for number, task in enumerate(cast(list[Any], tasks)):
        if not isinstance(task, Mapping):
            left_out.append(f"task {number}: not an object")
            continue
        document = dict(_document(cast(Mapping[str, Any], task), number, toolset))
        ran = run_actions(
            [ToolCall(name=name, arguments=arguments) for name, arguments in document.pop("actions")]
        )
        if ran.problem:
            left_out.append(f"{document['id']}: {ran.problem}")
            continue
        document["expect"] = [*document["expect"], _expected(ran)]
        cases.append(parse_case(document, suite=name, where=f"task {number}"))
    if not cases:
        raise BadInput("tasks", "no task can be imported", "; ".join(left_out[:1]))
    suite = Suite(name=name, description="Tasks of τ-bench", cases=tuple(cases))
    return ImportedSuite(suite=suite, left_out=tuple(left_out))


def _document(task: Mapping[str, Any], number: int, toolset: str) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a task's case, and its `actions` as names and arguments."""
    scenario = cast(Mapping[str, Any], task.get("user_scenario") or {})
    criteria = cast(Mapping[str, Any], task.get("evaluation_criteria") or {})
    instructions: Any = task.get("instruction") or scenario.get("instructions") or ""
    if isinstance(instructions, Mapping):
        parts = cast(Mapping[str, Any], instructions).values()
        instructions = "\n".join(str(part) for part in parts if part)
    made = cast(Sequence[Mapping[str, Any]], task.get("actions") or criteria.get("actions") or ())
    actions = [
        (str(action["name"]), dict(action.get("kwargs") or action.get("arguments") or {}))
        for action in made
        if action.get("requestor", "assistant") == "assistant" and action["name"] != "respond"
    ]
    outputs = [
        str(text)
        for text in cast(Sequence[Any], task.get("outputs") or criteria.get("communicate_info") or ())
    ]
    yield "id", str(task.get("id", f"task-{number}"))
    yield "user", {"goal": str(instructions), "max_turns": 30}
    yield "tools", [toolset]
    yield "tags", ["tau"]
    yield "actions", actions
    yield "expect", [{"told": outputs}] if outputs else []


def _expected(ran: RanActions) -> JsonObject:
    changes = world_changes(ran.before, ran.after)
    if not changes:
        return {"world_unchanged": True}
    return {
        "world": {
            change.place: None if change.kind is ChangeKind.REMOVED else exactly(change.after)
            for change in changes
        }
    }
