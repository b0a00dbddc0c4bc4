"""Values held against any JSON Schema."""

import json
from functools import lru_cache
from typing import cast

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.budget import OverBudget
from workbench.toolspec.canonical import canonical_json
from workbench.toolspec.check import TOO_COSTLY, check_arguments, check_spec
from workbench.toolspec.spec import ToolSpec


def first_break(schema: JsonObject, value: JsonValue) -> str:
    """The first place where `value` breaks `schema`, for a person; empty where it holds.

    Raises:
        OverBudget: The check would take too much work.
    """
    # The check of arguments takes a value of any kind: its schema says what it must be.
    findings = check_arguments(_spec(canonical_json(schema)), cast(JsonObject, value))
    broken = next((one.message for one in findings if one.severity is Severity.ERROR), "")
    if not broken and any(one.code == TOO_COSTLY for one in findings):
        raise OverBudget("the schema")
    return broken


def schema_problem(schema: JsonObject) -> str:
    """Why `schema` cannot be held against anything; empty where it can."""
    wrapped: JsonObject = {"type": "object", "properties": {"value": schema}}
    findings = check_spec(ToolSpec.of_function({"name": "value", "parameters": wrapped}))
    return findings[0].message if findings else ""


@lru_cache(maxsize=256)
def _spec(text: str) -> ToolSpec:
    return ToolSpec.of_function({"name": "value", "parameters": cast(JsonValue, json.loads(text))})
