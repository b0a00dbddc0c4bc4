"""The Models tab: its parts, built and wired."""

from dataclasses import dataclass

import gradio as gr
from gradio.blocks import Block
from gradio.events import Dependency

from workbench.app.services import Services
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import heading
from workbench.ui.components.text_field import TextField
from workbench.ui.listen import any_of, listen
from workbench.ui.tabs.models.events import ModelsEvents
from workbench.ui.tabs.models.pulls import Pulls


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsParts:
    """All parts of the tab."""

    here: Drawn
    place: TextField
    base: gr.Dropdown
    look: gr.Button
    adapters: Drawn
    place_notice: Drawn
    words: TextField
    find: gr.Button
    found: Drawn
    pull: Drawn
    notice: Drawn
    pulls: Pulls

    def screen(self, model: Block) -> list[Block]:
        """The parts that a `ModelsScreen` has values for, in its order."""
        return [self.here, self.found, self.pull, self.notice, model, self.adapters, self.place_notice]


def build(services: Services) -> ModelsParts:
    """Builds the tab; the hub is asked for nothing before a person does."""
    pulls = Pulls()
    events = ModelsEvents(services, pulls)
    with gr.Row(elem_id="models-columns"):
        with gr.Column(elem_id="models-here-column", elem_classes=["hw-column"], min_width=0):
            heading("To choose from")
            here = Drawn("model_rows", elem_id="models-here")
            heading("Adapters")
            with gr.Row(elem_id="models-adapter", visible=not services.settings.is_on_space):
                place = TextField(
                    label="Adapter's folder or GGUF file",
                    placeholder="runs/first",
                    elem_id="models-place",
                )
                base = gr.Dropdown(
                    events.bases(), label="Over", allow_custom_value=True, elem_id="models-base", min_width=0
                )
                look = gr.Button("Load", size="sm", elem_id="models-look")
            place_notice = Drawn("notice", elem_id="models-place-notice")
            adapters = Drawn("model_rows", elem_id="models-adapters")
        with gr.Column(elem_id="models-get-column", elem_classes=["hw-column"], min_width=0):
            heading("Get from the hub")
            with gr.Row(elem_id="models-search"):
                words = TextField(
                    label="Words of the model's name",
                    placeholder="Hermes 3 8B",
                    show_label=False,
                    container=False,
                    elem_id="models-words",
                )
                find = gr.Button("Find", size="sm", elem_id="models-find")
            notice = Drawn("notice", elem_id="models-notice")
            pull = Drawn("pull_bar", elem_id="models-pull")
            found = Drawn("model_rows", events.recommended(), elem_id="models-found")
    return ModelsParts(
        here=here, place=place, base=base, look=look, place_notice=place_notice, adapters=adapters,
        words=words, find=find, found=found, pull=pull, notice=notice, pulls=pulls,
    )  # fmt: skip


def wire(
    parts: ModelsParts, services: Services, tab: gr.Tab, tabs: gr.Tabs, model: Block
) -> list[Dependency]:
    """Lets the parts answer.

    Args:
        parts: Of the tab.
        services: The edges.
        tab: The tab itself; what is here is looked up each time that it is opened.
        tabs: All tabs: one that is used opens Play.
        model: The Play tab's model.

    Returns:
        What happens once a model was chosen, in any list.
    """
    events = ModelsEvents(services, parts.pulls)
    screen = parts.screen(model)
    listen(tab.select, events.on_open, [], screen)
    listen(any_of(parts.find.click, parts.words.submit), events.on_find, [parts.words], screen)
    asked = [parts.place, parts.base]
    listen(any_of(parts.look.click, parts.place.submit), events.on_look, asked, screen)
    listen(parts.found.event("show_repository"), events.on_show, [], screen)
    listen(parts.found.event("pull_model"), events.on_pull, [], screen)
    listen(parts.pull.event("stop_pull"), events.on_stop, is_queued=False)
    listen(parts.here.event("delete_model"), events.on_delete, [], screen)
    return [
        listen(rows.event("use_model"), events.on_use, [], [model, tabs, parts.notice])
        for rows in (parts.here, parts.found, parts.adapters)
    ]
