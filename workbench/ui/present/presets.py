"""Show the presets, and read the setup that the browser stores."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final
from urllib.parse import urlencode

from workbench.chat.json_value import JsonValue, load_json
from workbench.errors import BadInput
from workbench.records.presets import ListedPreset
from workbench.records.run_config import RunConfig
from workbench.rollout.sampling import SAMPLING_FIELDS
from workbench.rollout.setting_field import settings_of
from workbench.settings import Settings
from workbench.toolspec.tools_text import parse_tools

_OWN: Final = settings_of(RunConfig)
_PLAIN: Final = ("contract_name", "contract_text", "ephemeral", "tools_text", "model", "tool_choice")


class PresetAction(StrEnum):
    """What to do with a preset."""

    APPLY = "apply"
    SAVE = "save"
    REPLACE = "replace"
    """Save the setup under the name of an existing preset."""
    RENAME = "rename"
    DELETE = "delete"
    RESTORE = "restore"
    SHARE = "share"
    UNSHARE = "unshare"
    RESET = "reset"
    """Fill in the defaults."""
    PUT_BACK = "put_back"
    """Fill in the setup from before the last `apply` or `reset`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetLine:
    """One preset of the list."""

    id: str
    name: str
    note: str
    """Its contract and model."""
    link: str
    """The relative address that opens it, for its owner."""
    shared_link: str
    """The relative address that opens it for anybody. Empty while it is not shared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetUndo:
    """What the button Undo reverts."""

    text: str
    """What was done."""
    action: PresetAction
    """`restore` or `put_back`."""
    id: str = ""
    """The deleted or replaced preset."""
    in_place_of: str = ""
    """The preset that replaced it. Empty if it was deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetBarView:
    """The line above the setup: presets, and what was just done."""

    presets: tuple[PresetLine, ...] = ()
    defaults: str = ""
    """Identifies the defaults of the server. A setup that was stored with other defaults is not used after a reload."""
    open_id: str | None = None
    """The preset that was applied or saved just now. Empty for none; None if that did not change."""
    is_filled: bool = False
    """True if the setup is now as the preset `open_id` has it."""
    undo: PresetUndo | None = None
    problem: str = ""
    """Why the last action failed. Empty if it did not."""
    note: str = ""
    """Something to know about the setup. May be empty."""
    serial: float = 0.0
    """A new number for every answer of the server."""


def show_presets(presets: Sequence[ListedPreset], settings: Settings, **more: Any) -> PresetBarView:
    """Show the presets.

    Args:
        more: Further fields of the view.
    """
    lines = tuple(
        PresetLine(
            id=preset.id,
            name=preset.name,
            note=f"{preset.contract_name} · {preset.model}",
            link="?" + urlencode({"preset": preset.name}),
            shared_link="?" + urlencode({"shared_preset": preset.share_key}) if preset.share_key else "",
        )
        for preset in presets
    )
    return PresetBarView(presets=lines, defaults=defaults_key(settings), **more)


def defaults_key(settings: Settings) -> str:
    """Return a text that changes with the defaults of the server."""
    return json.dumps([settings.contract, list(settings.tools), settings.model, settings.max_rounds])


def stored_setup(text: str, default: RunConfig, settings: Settings) -> RunConfig:
    """Return the setup that the browser stored, or the default if it stored none with the current defaults.

    A field with an invalid value has its default.

    Args:
        text: JSON with the values of `SETUP_FIELDS` by name, those of the sampling form by their own names, and
            `defaults`, as `defaults_key` returned it.
    """
    try:
        value = load_json(text) if text else None
    except ValueError:
        return default
    if not isinstance(value, Mapping) or value.get("defaults") != defaults_key(settings):
        return default
    return setup_of_values(value, default)


def setup_of_values(values: Mapping[str, JsonValue], default: RunConfig) -> RunConfig:
    """Return a setup from the values of the fields by name. A missing or invalid value has its default."""
    changes: dict[str, Any] = {}
    for name, declared in _OWN.items():
        value = values.get(name)
        if name not in values or (name in _PLAIN and not isinstance(value, str)):
            continue
        try:
            changes[name] = declared.editor.parse(value)
        except (BadInput, TypeError, ValueError, AttributeError):
            continue
    changes.pop("disabled_tools", None)
    sampling = default.sampling
    for name, declared in SAMPLING_FIELDS.items():
        if name in values:
            try:
                sampling = replace(sampling, **{name: declared.editor.parse(values[name])})
            except (BadInput, TypeError, ValueError, AttributeError):
                continue
    setup = replace(default, **changes, sampling=sampling)
    return replace(setup, disabled_tools=_disabled(setup.tools_text, values.get("disabled_tools")))


def _disabled(tools_text: str, disabled: JsonValue) -> frozenset[str]:
    if not isinstance(disabled, list):
        return frozenset()
    try:
        names = parse_tools(tools_text).names
    except BadInput:
        return frozenset()
    return frozenset(names) & {name for name in disabled if isinstance(name, str)}
