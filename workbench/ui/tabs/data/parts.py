"""Build the fields that the pages of the place Data share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.ui.components.fields import TextField
from workbench.ui.components.heading import heading
from workbench.ui.gradio_parts.names import Block
from workbench.ui.tabs.data.form import CHOICES, INCLUDABLE, DataForm

ROW_FILE_TYPES: Final = [".jsonl", ".json", ".gz", ".zst", ".parquet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterParts:
    """The first fields of a `DataForm`, which choose sessions, with the same names."""

    tag: TextField
    verdict: gr.Dropdown
    min_rating: gr.Dropdown
    state: gr.Dropdown
    contract: TextField
    model: TextField
    source: gr.Dropdown
    since: TextField
    until: TextField
    included: gr.CheckboxGroup

    def values(self) -> list[Block]:
        """Return the components in the order of `DataForm`."""
        return [getattr(self, name) for name in DataForm._fields if hasattr(self, name)]


def build_filters(title: str, page: str) -> FilterParts:
    """Build the fields that choose sessions.

    Args:
        title: The heading above them.
        page: The beginning of their element ids, such as `data`.
    """
    heading(title, about="how-to/export-training-rows")
    with gr.Row(elem_classes=["data-pair"]):
        tag = text_field("Tag", "any", f"{page}-tag")
        state = choice_field("Labelling state", CHOICES["state"], f"{page}-state")
    with gr.Row(elem_classes=["data-pair"]):
        verdict = choice_field("Verdict", CHOICES["verdict"], f"{page}-verdict")
        min_rating = choice_field("Minimum rating", CHOICES["rating"], f"{page}-min-rating")
    with gr.Row(elem_classes=["data-pair"]):
        contract = text_field("Contract", "any", f"{page}-contract")
        model = text_field("Model", "any", f"{page}-model")
    source = choice_field("Source", CHOICES["source"], f"{page}-source")
    with gr.Row(elem_classes=["data-pair"]):
        since = text_field("Used since", "2026-11-21", f"{page}-since")
        until = text_field("Used before", "2026-11-28", f"{page}-until")
    return FilterParts(
        tag=tag, verdict=verdict, min_rating=min_rating, state=state, contract=contract, model=model, source=source,
        since=since, until=until, included=build_check_boxes("Also include", INCLUDABLE, f"{page}-taken"),
    )  # fmt: skip


def row_file(label: str, elem_id: str) -> gr.File:
    """Build a field that takes a file of rows."""
    return gr.File(label=label, file_types=ROW_FILE_TYPES, height=120, elem_id=elem_id)


def text_field(label: str, placeholder: str, elem_id: str) -> TextField:
    """Build a field of one line."""
    return TextField(label=label, placeholder=placeholder, lines=1, max_lines=1, min_width=0, elem_id=elem_id)


def choice_field(
    label: str, choices: Sequence[str], elem_id: str, *, value: str | None = None
) -> gr.Dropdown:
    """Build a dropdown. Without a value, the first choice is chosen."""
    values = [str(choice) for choice in choices]
    return gr.Dropdown(values, value=value or values[0], label=label, min_width=0, elem_id=elem_id)


def build_check_boxes(label: str, choices: tuple[str, ...], elem_id: str) -> gr.CheckboxGroup:
    """Build a group of check boxes."""
    return gr.CheckboxGroup(list(choices), label=label, elem_id=elem_id)
