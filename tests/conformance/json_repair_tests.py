"""json_repair's tests, with their texts as the arguments of a call.

Taken are the lines `assert repair_json(TEXT) == RESULT` whose result is an object or a list. An object becomes all the
arguments of a call, a list becomes one argument.
"""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.conformance.archives import JSON_REPAIR
from tests.conformance.outcome import Completion, Outcome, Suite
from tests.conformance.readings import read

PLAIN_OPTIONS = {"return_objects", "skip_json_loads", "ensure_ascii"}
"""Options that change only how a result is returned."""


class Repair(NamedTuple):
    """One assertion."""

    id: str
    text: str
    expected: Any


def repairs(folder: Path) -> Iterator[Repair]:
    """Return the assertions of all test files, by file and line."""
    for path in sorted(folder.glob("tests/test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Assert(
                    test=ast.Compare(
                        left=ast.Call(
                            func=ast.Name(id="repair_json"),
                            args=[ast.Constant(value=str(text))],
                            keywords=options,
                        ),
                        ops=[ast.Eq()],
                        comparators=[right],
                    )
                ) if {option.arg for option in options} <= PLAIN_OPTIONS:
                    expected = _value(right)
                    if isinstance(expected, dict | list):
                        name = path.stem.removeprefix("test_")
                        yield Repair(f"{name}:{node.lineno}", text, expected)


def _value(node: ast.expr) -> Any:
    """Return the value of an expected result; results are JSON texts or values, None stands for anything else."""
    try:
        value = ast.literal_eval(node)
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return None


def _outcomes(folder: Path) -> Iterator[Outcome]:
    for repair in repairs(folder):
        is_object = isinstance(repair.expected, dict)
        arguments = repair.text if is_object else f'{{"value": {repair.text}}}'
        expected = repair.expected if is_object else {"value": repair.expected}
        call = f'<tool_call>\n{{"name": "f", "arguments": {arguments}}}\n</tool_call>'
        completion = Completion(text=call, tools=json.dumps([_tool(expected)]))
        got = [call.arguments for call in read(completion).calls]
        yield Outcome(
            id=repair.id,
            # Numbers and booleans are equal in Python: 1 == True.
            agrees=json.dumps(got, sort_keys=True) == json.dumps([expected], sort_keys=True),
            details=f"{repair.text!r}\nexpected {expected}\n     got {got}",
            completions=(completion,),
        )


def _tool(expected: dict[str, Any]) -> dict[str, Any]:
    """Return a tool that declares the expected arguments, of any type."""
    return {"name": "f", "parameters": {"type": "object", "properties": {key: {} for key in expected}}}


JSON_REPAIR_ARGUMENTS = Suite(
    name="json_repair: its texts as arguments", archive=JSON_REPAIR, cases=175, outcomes=_outcomes
)
