"""`workbench presets`: list, show, rename and delete presets."""

from typing import Annotated, Final, cast

import typer

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import write_json_line
from workbench.cli.terminal.visible import shown
from workbench.records.presets import ListedPreset, StoredPreset
from workbench.rollout.sampling import SAMPLING_FIELDS
from workbench.settings import read_settings
from workbench.toolspec.tools_text import parse_tools

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the preset")]


def list_presets(json_output: JsonOption = False) -> None:
    """List the presets.

    Save presets on the page. `workbench chat --preset NAME` and `workbench run --preset NAME` use them.
    """
    from workbench.wiring import open_own_data

    with open_own_data(read_settings()) as own:
        found = own.presets.list_presets()
    if json_output:
        write_json_line({"presets": [_listed_json(preset) for preset in found]})
        return
    for preset in found:
        print(shown(f"{preset.name}  {preset.contract_name} · {preset.model}"))


def show(name: Name, json_output: JsonOption = False) -> None:
    """Show the setup of a preset."""
    from workbench.wiring import open_own_data

    with open_own_data(read_settings()) as own:
        preset = own.presets.find_preset(name)
    if json_output:
        write_json_line(_preset_json(preset))
        return
    for key, value in _preset_json(preset).items():
        if key != "contract_text":
            print(shown(f"{key}: {value}"))


def rename(
    name: Name, new_name: Annotated[str, typer.Argument(metavar="NEW", help="New name of the preset")]
) -> None:
    """Rename a preset."""
    from workbench.wiring import open_own_data

    with open_own_data(read_settings()) as own:
        print(shown(own.presets.rename_preset(name, new_name).name))


def delete(name: Name) -> None:
    """Delete a preset. It can be restored on the page right after that."""
    from workbench.wiring import open_own_data

    with open_own_data(read_settings()) as own:
        own.presets.delete_preset(name)


def _listed_json(preset: ListedPreset) -> JsonObject:
    return {"name": preset.name, "contract": preset.contract_name, "model": preset.model}


def _preset_json(preset: StoredPreset) -> JsonObject:
    setup = preset.setup
    tools = parse_tools(setup.tools_text).names
    return {
        **_listed_json(preset.listed),
        "contract_text": setup.contract_text,
        "variables": dict(setup.variables),
        "tools": [name for name in tools if name not in setup.disabled_tools],
        "tool_choice": setup.tool_choice,
        "sampling": {
            name: cast(JsonValue, declared.editor.show(getattr(setup.sampling, name)))
            for name, declared in SAMPLING_FIELDS.items()
        },
        "max_rounds": setup.max_rounds,
        "is_constrained": setup.is_constrained,
    }


GROUP: Final = {
    "list": list_presets,
    "show": show,
    "rename": rename,
    "delete": delete,
}
"""The commands of `workbench presets`."""
