"""Check the values of an event against its input components."""

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any, Final, cast, get_type_hints

import gradio as gr

from workbench.chat.json_value import values_in
from workbench.ui.gradio_parts.event_data import data_of
from workbench.ui.gradio_parts.names import Api, Block, BlockFunction
from workbench.ui.gradio_parts.own_component import OwnComponent
from workbench.ui.incoming.refusal import MalformedEvent, problem_of_json

MOST_CHOSEN: Final = 10_000
"""The most chosen entries of a list."""


def check_values(event: BlockFunction, values: object) -> None:
    """Refuse values that an event's input components cannot hold.

    Args:
        values: The values as they were sent.

    Raises:
        MalformedEvent: There are too few values, or one has a wrong type.
    """
    inputs = cast(Sequence[Block], event.inputs)
    if not isinstance(values, list):
        raise MalformedEvent("the values are not a list")
    sent = cast(list[object], values)
    if len(sent) < len(inputs):
        raise _too_few(event, len(sent))
    for place, (block, value) in enumerate(zip(inputs, sent, strict=False)):
        # Values sent for a `gr.State` are not used, since its value is stored on the server.
        if block.stateful:
            continue
        problem = problem_of_value(block, value)
        if problem:
            raise MalformedEvent(f"value {place + 1}, of {_named(block)}: {problem}")


def field_names(event: BlockFunction) -> Sequence[str]:
    """Return the names of the fields of an event for programs. Empty for an event of the page."""
    function: Callable[..., object] | None = cast(Any, event).fn
    if function is None or not any(isinstance(block, Api) for block in cast(Sequence[Block], event.inputs)):
        return ()
    hints = get_type_hints(function)
    return [name for name in signature(function).parameters if hints.get(name) is not gr.Request]


def _too_few(event: BlockFunction, count: int) -> MalformedEvent:
    problem = f"it has {count} values, but needs {len(event.inputs)}"
    names = field_names(event)
    if not names:
        return MalformedEvent(problem)
    remedy = f"To leave some out, send fields by name to /gradio_api/call/v2/{event.api_name}."
    return MalformedEvent(f"{problem} ({', '.join(names)})", remedy=remedy)


def check_event_data(event: gr.EventData | None) -> None:
    """Refuse event data with an object that Gradio takes for a file, since none of our components sends one.

    Raises:
        MalformedEvent: The data names a file.
    """
    if any(isinstance(at, dict) and isinstance(at.get("path"), str) for _, at in values_in(data_of(event))):
        raise MalformedEvent("event_data names a file")


def problem_of_value(block: Block, value: object) -> str:
    """Return why a component cannot hold a value, or empty text if it can."""
    problem = problem_of_json(value, takes_surrogates=isinstance(block, Api))
    if problem or value is None:
        return problem
    if isinstance(block, gr.Textbox | gr.Code):
        return "" if isinstance(value, str) else "it is not text"
    if isinstance(block, gr.Number):
        return "" if _is_number(value) else "it is not a number"
    if isinstance(block, gr.Checkbox):
        return "" if isinstance(value, bool) else "it is neither true nor false"
    if isinstance(block, gr.Dropdown | gr.CheckboxGroup | gr.Radio):
        return _problem_of_choice(block, value)
    if isinstance(block, gr.File | gr.UploadButton):
        return _problem_of_file(value)
    if isinstance(block, OwnComponent):
        return "" if isinstance(value, dict) else "it is not an object"
    return ""


def _is_list(block: Block) -> bool:
    return isinstance(block, gr.CheckboxGroup) or bool(getattr(block, "multiselect", False))


def _problem_of_choice(block: Block, value: object) -> str:
    """Return what is wrong with a choice. Only its type counts, since the choices may have changed meanwhile."""
    choices = cast(Sequence[tuple[str, object]], cast(Any, block).choices)
    kinds = (str, int, float) if any(_is_number(choice) for _, choice in choices) else (str,)
    if not _is_list(block):
        return "" if isinstance(value, kinds) else "it is not a choice"
    if not isinstance(value, list):
        return "it is not a list"
    chosen = cast(list[object], value)
    if len(chosen) > MOST_CHOSEN or not all(isinstance(entry, kinds) for entry in chosen):
        return "it is not a list of choices"
    return ""


def _problem_of_file(value: object) -> str:
    files = cast(list[object], value if isinstance(value, list) else [value])
    return "" if all(map(_is_file, files)) else "it is not a file"


def _is_file(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    fields = cast(dict[str, Any], value)
    return isinstance(fields.get("path"), str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _named(block: Block) -> str:
    return str(block.elem_id or block.get_block_name())
