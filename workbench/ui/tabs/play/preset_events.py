"""Save, apply, rename, share and delete presets, and reset the setup."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import gradio as gr

from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.records.owner import Permission
from workbench.records.presets import StoredPreset
from workbench.records.run_config import RunConfig
from workbench.ui.incoming.fields import id_of, object_of, text_of, word_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.documents import PLAY_EDITORS, preset_changes
from workbench.ui.present.notices import problem
from workbench.ui.present.presets import (
    PresetAction,
    PresetBarView,
    PresetUndo,
    setup_of_values,
    show_presets,
)
from workbench.ui.present.setup import first_choice, parse_setup
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.screen import Screen
from workbench.ui.tabs.play.setup_events import SetupEvents, saved_contract

SHARED: Final = "This setup was shared by a link. Save it as a preset to keep it."


def default_setup(services: Services) -> RunConfig:
    """Return the setup of the settings.

    Raises:
        BadInput: Its contract or a tool does not exist.
        StoreError: The versions cannot be read.
    """
    first = services.setup_for()
    return replace(first, tool_choice=first_choice(services.models.status(first.model)))


def asked_preset(services: Services, query: Mapping[str, str]) -> StoredPreset | None:
    """Return the preset that an address names, or None if it names none.

    Raises:
        BadInput: There is no such preset.
        StoreError: The presets cannot be read.
    """
    if query.get("preset"):
        return services.presets.find_preset(query["preset"])
    if not query.get("shared_preset"):
        return None
    shared = services.presets.find_shared_preset(query["shared_preset"])
    if shared is None:
        raise BadInput("this link", "it does not show a preset, or no longer does", "ask for a new link")
    return shared


@dataclass(frozen=True, slots=True)
class PresetEvents:
    """Handlers of the line above the setup."""

    services: Services
    setups: SetupEvents
    """Fills the left column."""

    @needs(Permission.WORK)
    def on_act(self, state: TabState, request: gr.Request, event: gr.EventData, *fields: object) -> Screen:
        """Run one of the actions of `PresetAction`."""
        services = services_of(self.services, state, request)
        action = word_of(event, "action", PresetAction)
        acts: Mapping[PresetAction, Callable[[], Screen]] = {
            PresetAction.APPLY: lambda: self._applied(services, state, id_of(event)),
            PresetAction.SAVE: lambda: self._saved(services, text_of(event, "name"), fields),
            PresetAction.REPLACE: lambda: self._saved(
                services, text_of(event, "name"), fields, replaces=True
            ),
            PresetAction.RENAME: lambda: self._renamed(services, id_of(event), text_of(event, "name")),
            PresetAction.DELETE: lambda: self._deleted(services, id_of(event)),
            PresetAction.RESTORE: lambda: self._restored(services, id_of(event), id_of(event, "in_place_of")),
            PresetAction.SHARE: lambda: self._only(
                services, open_id=services.presets.share_preset(id_of(event)).id
            ),
            PresetAction.UNSHARE: lambda: self._only(
                services, open_id=services.presets.unshare_preset(id_of(event)).id
            ),
            PresetAction.RESET: lambda: self._reset(services, state),
            PresetAction.PUT_BACK: lambda: self._put_back(services, state, event),
        }
        try:
            return acts[action]()
        except WorkbenchError as error:
            try:
                return self._only(services, problem=problem(error).lines[0].text)
            except WorkbenchError:
                return Screen()

    def bar(self, services: Services, **more: object) -> PresetBarView:
        """Return the line with the owner's presets.

        Raises:
            StoreError: The presets cannot be read.
        """
        serial = services.calendar.seconds()
        return show_presets(services.presets.list_presets(), services.settings, serial=serial, **more)

    def _applied(self, services: Services, state: TabState, preset_id: str) -> Screen:
        preset = services.presets.find_preset(preset_id)
        text = f"Applied the preset {preset.name!r}."
        return self._filled(services, state, preset.setup, text, open_id=preset.listed.id)

    def _reset(self, services: Services, state: TabState) -> Screen:
        return self._filled(services, state, default_setup(services), "Reset to the defaults.", open_id="")

    def _put_back(self, services: Services, state: TabState, event: gr.EventData) -> Screen:
        setup = setup_of_values(object_of(event, "setup"), default_setup(services))
        bar = self.bar(services, open_id=id_of(event, "open_id"))
        return self._shown(services, state, setup, bar)

    def _filled(
        self, services: Services, state: TabState, setup: RunConfig, text: str, *, open_id: str
    ) -> Screen:
        undo = PresetUndo(text=text, action=PresetAction.PUT_BACK)
        bar = self.bar(services, open_id=open_id, is_filled=True, undo=undo)
        return self._shown(services, state, setup, bar)

    def _shown(self, services: Services, state: TabState, setup: RunConfig, bar: PresetBarView) -> Screen:
        """Show a setup, whose texts replace drafts."""
        saved = saved_contract(services, setup.contract_name)
        changes = preset_changes(state, setup, saved_contract=saved)
        editors = PLAY_EDITORS.changed(services.calendar.seconds(), *changes)
        return Screen(presets=bar, editors=editors, filled=self.setups.filled(services, setup))

    def _saved(
        self, services: Services, name: str, fields: tuple[object, ...], *, replaces: bool = False
    ) -> Screen:
        setup = parse_setup(fields)
        saved = services.presets.save_preset(name, setup, replaces=replaces)
        undo = None
        if saved.replaced_id is not None:
            undo = PresetUndo(
                text=f"Replaced the preset {saved.preset.name!r}.",
                action=PresetAction.RESTORE,
                id=saved.replaced_id,
                in_place_of=saved.preset.id,
            )
        return self._only(services, open_id=saved.preset.id, is_filled=True, undo=undo)

    def _renamed(self, services: Services, preset_id: str, name: str) -> Screen:
        return self._only(services, open_id=services.presets.rename_preset(preset_id, name).id)

    def _deleted(self, services: Services, preset_id: str) -> Screen:
        deleted = services.presets.delete_preset(preset_id)
        undo = PresetUndo(
            text=f"Deleted the preset {deleted.name!r}.", action=PresetAction.RESTORE, id=deleted.id
        )
        return self._only(services, open_id="", undo=undo)

    def _restored(self, services: Services, preset_id: str, in_place_of: str) -> Screen:
        restored = services.presets.restore_preset(preset_id, in_place_of=in_place_of or None)
        return self._only(services, open_id=restored.id)

    def _only(self, services: Services, **more: object) -> Screen:
        return Screen(presets=self.bar(services, **more))
