"""The tools that a request brings along."""

from collections.abc import Mapping
from typing import cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.toolspec.spec import OfferedTools, ToolSpec


def tools_of_row(fields: JsonObject) -> OfferedTools | None:
    """The tools that a row brings along, sound or not; None where it has none.

    What is wrong with a spec is told where it matters: as a finding of the reading or of the prompt.

    Raises:
        BadInput: They are no list of objects.
    """
    given = fields.get("tools")
    if given is None:
        return None
    if not isinstance(given, list) or not all(isinstance(entry, Mapping) for entry in given):
        raise BadInput("tools", "no list of objects", "write [{…}, {…}]")
    return OfferedTools(specs=tuple(_spec(entry) for entry in cast(list[JsonObject], given)))


def _spec(entry: JsonObject) -> ToolSpec:
    function: JsonValue = entry.get("function")
    return ToolSpec(document=entry) if isinstance(function, Mapping) else ToolSpec.of_function(entry)
