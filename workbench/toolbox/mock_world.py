"""Mock rules that read and change the world of their toolset."""

# A call sees one world. `when` and the templates of `effects` read it as it was before the call, as `world` and as
# `before`. `result` and `template` read it after the effects as `world`, and before them as `before`:
#
#     effects:
#       - set: /orders/{{ order_id }}/status
#         value: cancelled
#     result: {status: "{{ world.orders[order_id].status }}", was: "{{ before.orders[order_id].status }}"}
#
# The templates of a pointer are filled in part by part, so an argument such as `o1/status` is one key that does not
# exist. It never leads somewhere else.

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, json_pointer
from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.toolbox.mock_templates import evaluate_template, render_template, template_problem
from workbench.toolspec.conditions import condition_problem, meets
from workbench.toolspec.world.effects import Effect
from workbench.toolspec.world.patches import find_in_world

WORLD: Final = "$world"
"""The name in `when` for conditions on the world, by JSON Pointer."""
MOST_EFFECTS: Final = 50
"""Most effects of a rule."""
_PART: Final = re.compile(r"/((?:\{\{.*?\}\}|[^/{]|\{(?!\{))*)")
"""A part of a pointer; a slash inside of `{{ }}` does not end it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldOfCall:
    """What the templates of a rule read."""

    call: ToolCall
    call_number: int
    random: Random = field(hash=False)
    worlds: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue], hash=False)
    """The variables `world` and `before`. Empty if the tool has no world."""

    def filled(self, value: JsonValue) -> JsonValue:
        """Return a value with its templates filled in. A text that is one expression becomes the expression's value.

        Raises:
            ValueError: A template fails.
        """
        if isinstance(value, str):
            if not is_template(value):
                return value
            return evaluate_template(
                value,
                self.call.arguments,
                call_number=self.call_number,
                random=self.random,
                values=self.worlds,
            )
        if isinstance(value, Mapping):
            return {name: self.filled(inner) for name, inner in value.items()}
        return [self.filled(item) for item in value] if isinstance(value, list | tuple) else value

    def rendered(self, template: str) -> str:
        """Return the text of a template.

        Raises:
            ValueError: The template fails.
        """
        return render_template(
            template,
            self.call.arguments,
            call_number=self.call_number,
            random=self.random,
            values=self.worlds,
        )

    def pointer(self, template: str) -> str:
        """Return a pointer with its templates filled in.

        Raises:
            ValueError: A template fails.
        """
        if not is_template(template):
            return template
        place = ""
        for part in _PART.findall(template):
            place = json_pointer(place, self.rendered(part)) if is_template(part) else f"{place}/{part}"
        return place

    def effects(self, effects: Sequence[Effect]) -> Iterator[Effect]:
        """Yield effects with their templates filled in.

        Raises:
            ValueError: A template fails.
        """
        for effect in effects:
            yield replace(effect, place=self.pointer(effect.place), value=self.filled(effect.value))


def is_template(text: str) -> bool:
    """Whether a text has to be filled in."""
    return "{{" in text or "{%" in text


def world_meets(conditions: JsonObject, scope: WorldOfCall) -> bool:
    """Return whether all conditions on the world hold. A condition on a place that does not exist does not hold.

    Args:
        conditions: Maps JSON Pointers to conditions or values. Both may have templates.

    Raises:
        BadInput: A condition cannot be used once its templates are filled in.
        ValueError: A template of a pointer or condition fails.
    """
    for template, condition in conditions.items():
        try:
            value = find_in_world(scope.worlds["world"], scope.pointer(template))
        except BadInput:
            return False
        filled = scope.filled(condition)
        if filled is not condition and (problem := condition_problem(filled)):
            raise BadInput(f"the condition on {template}", problem)
        if not meets(value, filled):
            return False
    return True


def world_problems(conditions: JsonValue) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each invalid place of the conditions on the world in a `when`, with the problem."""
    if not isinstance(conditions, Mapping):
        yield (), "write an object: a JSON Pointer, such as /orders/o1/status, for each value or condition"
        return
    for place, condition in conditions.items():
        problem = pointer_problem(place) or template_problems(condition)
        if not problem and not any(map(is_template, _texts(condition))):
            problem = condition_problem(condition)
        if problem:
            yield (place,), problem


def pointer_problem(template: str) -> str:
    """Return why the pointer of an effect or condition is invalid. Empty if it is valid."""
    if template and not template.startswith("/"):
        return f"a pointer begins with /; write /{template[:60]}"
    if "".join(f"/{part}" for part in _PART.findall(template)) != template:
        return "it has {{ without }}"
    parts = cast(list[str], _PART.findall(template))
    return next(filter(None, (template_problem(part) for part in parts if is_template(part))), "")


def template_problems(value: JsonValue) -> str:
    """Return why a template in a value is invalid. Empty if all are valid."""
    return next(filter(None, (template_problem(text) for text in _texts(value) if is_template(text))), "")


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
