"""Send the browser only the parts of Gradio's configuration that it uses.

Gradio writes its whole configuration into the page, with the types of every component for its API page, which is
switched off here, and with many values that its scripts take as defaults anyway. That is more than half of it.

*Gradio 6.31:* `routes.App.create_app` (`main`), `blocks.Block.get_config`, `assets/core` (components),
`assets/Blocks` (dependencies).
"""

from collections.abc import Mapping
from typing import Any, Final

_COMPONENT_KEYS: Final = frozenset(
    {
        "api_info",
        "api_info_as_input",
        "api_info_as_output",
        "example_inputs",
        "skip_api",
        "component_class_id",
    }
)
"""What only the API page and components that are not Gradio's own need."""
_UNUSED_PROPS: Final = frozenset({"_api_info", "delete_callback", "name", "preserved_by_key"})
"""What the browser does not read: names of Python classes and functions, and what `gr.render` keeps."""
_DEFAULT_PROPS: Final[Mapping[str, object]] = {
    "_retryable": False,
    "_undoable": False,
    "_selectable": False,
    "likeable": False,
    "streamable": False,
    "visible": True,
    "elem_classes": [],
}
_DEFAULT_EVENT: Final[Mapping[str, object]] = {
    "api_description": None,
    "batch": False,
    "collects_event_data": False,
    "component_prop_inputs": [],
    "event_specific_args": [],
    "js": None,
    "js_implementation": None,
    "max_batch_size": 4,
    "render_id": None,
    "rendered_in": None,
    "scroll_to_output": False,
    "stream_every": 0.5,
    "time_limit": None,
    "trigger_after": None,
    "trigger_only_on_failure": False,
    "trigger_only_on_success": False,
}
_MISSING: Final = object()


def slim_component(component: Mapping[str, Any]) -> dict[str, Any]:
    """Return a component's configuration without what the browser does not need."""
    kept = {key: value for key, value in component.items() if key not in _COMPONENT_KEYS}
    if kept.get("key") is None:
        kept.pop("key", None)
    props = {name: value for name, value in kept["props"].items() if name not in _UNUSED_PROPS}
    kept["props"] = _without(props, _DEFAULT_PROPS)
    return kept


def slim_event(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event's configuration without what the browser takes as defaults."""
    return _without(event, _DEFAULT_EVENT)


def _without(values: Mapping[str, Any], defaults: Mapping[str, object]) -> dict[str, Any]:
    return {
        name: value for name, value in values.items() if (default := defaults.get(name, _MISSING)) is _MISSING
        or type(value) is not type(default) or value != default
    }  # fmt: skip
