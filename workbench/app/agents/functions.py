"""Describe the API functions as MCP tools: a JSON Schema from the signature, and texts from the docstring."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast, get_type_hints

from pydantic import TypeAdapter

from workbench.chat.json_value import JsonObject

_NOT_PARAMETERS: Final = frozenset({"self", "return"})
_ARGUMENT: Final = re.compile(r"^    (\w+): (.*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTool:
    """A function that an agent can call."""

    name: str
    description: str
    """The first paragraph of the docstring, and what the function returns."""
    schema: JsonObject = field(hash=False)
    """JSON Schema of the arguments."""
    run: Callable[..., str]
    """The function. Its result is JSON text."""


def agent_tool(function: Callable[..., str]) -> AgentTool:
    """Return a function, whose docstring is in Google's style, as a tool."""
    hints, parameters = get_type_hints(function), inspect.signature(function).parameters
    summary, described = read_docstring(inspect.getdoc(function) or "")
    properties: dict[str, Any] = {}
    for name, parameter in parameters.items():
        if name in _NOT_PARAMETERS:
            continue
        schema = TypeAdapter[Any](hints[name]).json_schema()
        default = {} if parameter.default in (parameter.empty, None) else {"default": parameter.default}
        properties[name] = {**schema, **default, "description": described[name]}
    required = [name for name in properties if parameters[name].default is inspect.Parameter.empty]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return AgentTool(
        name=function.__name__, description=summary, schema=cast(JsonObject, schema), run=function
    )


def read_docstring(text: str) -> tuple[str, Mapping[str, str]]:
    """Return the description in a docstring, and the texts of its arguments.

    >>> read_docstring("Add.\\n\\nArgs:\\n    a: First.\\n    b: Second,\\n        if any.\\n\\nReturns:\\n    Sum.")
    ('Add. Returns: Sum.', {'a': 'First.', 'b': 'Second, if any.'})
    """
    sections = re.split(r"^(Args|Returns|Raises):$", text, flags=re.MULTILINE)
    bodies = dict(zip(sections[1::2], sections[2::2], strict=True))
    arguments: dict[str, str] = {}
    for line in bodies.get("Args", "").splitlines():
        if found := _ARGUMENT.match(line):
            arguments[found[1]] = found[2]
        elif line.strip() and arguments:
            arguments[next(reversed(arguments))] += f" {line.strip()}"
    summary = " ".join(sections[0].split())
    returns = " ".join(bodies.get("Returns", "").split())
    return (f"{summary} Returns: {returns}" if returns else summary), arguments
