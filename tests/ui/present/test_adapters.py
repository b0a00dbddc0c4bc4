"""The list of adapters in the Models tab."""

from dataclasses import replace

from workbench.chat.json_value import JsonObject
from workbench.engines.adapters import Adapter
from workbench.ui.present.models import show_adapters

RECEIPT: JsonObject = {
    "function_calling": {"n_tool_calls_in_train": 1, "n_tools_declared": 12, "validator_issues": 0},
    "settings": {"batch": 4, "lora_rank": 16},
    "rows": {"rows": 2800},
    "steps": 480,
    "steps_planned": 480,
    "loss_by_step": [[1, 2.5], [480, 0.25]],
}
ADAPTER = Adapter(
    title="first", model="embedded+first", base="embedded", size_bytes=4_900_000, receipt=RECEIPT,
    is_receipted=True,
)  # fmt: skip


def test_a_row_shows_the_facts_of_the_receipt() -> None:
    (row,) = show_adapters([ADAPTER]).rows
    assert (row.name, row.title, row.badge, row.tone) == (
        "embedded+first",
        "first",
        "receipt matches the file",
        "quiet",
    )
    assert row.notes == (
        *("for embedded", "5 MB", "2,800 rows", "1 call to 12 tools", "0 validator issues"),
        *("480 steps", "last loss 0.25", "rank 16"),
    )
    assert '"validator_issues": 0' in row.receipt
    assert [action.event for action in row.actions] == ["use_model"]


def test_a_stopped_run_shows_its_steps_of_the_planned_steps() -> None:
    (row,) = show_adapters([replace(ADAPTER, receipt={**RECEIPT, "steps_planned": 1199})]).rows
    assert "480 of 1,199 steps" in row.notes


def test_a_run_that_continued_another_shows_the_steps_before_it() -> None:
    start: JsonObject = {"name": "adapter.gguf", "receipt": {"steps": 906}}
    (row,) = show_adapters([replace(ADAPTER, receipt={**RECEIPT, "start": start})]).rows
    place = row.notes.index("480 steps")
    assert row.notes[place : place + 2] == ("480 steps", "continued after 906 steps")


def test_an_average_shows_of_how_many_adapters_it_is() -> None:
    average: JsonObject = {"averaged": [{"weight": 0.5}, {"weight": 0.5}], "settings": {"lora_rank": 32}}
    (row,) = show_adapters([replace(ADAPTER, receipt=average)]).rows
    assert row.notes == ("for embedded", "5 MB", "average of 2 adapters", "rank 32")


def test_a_missing_receipt_and_a_receipt_of_another_file_are_reported() -> None:
    missing = show_adapters([replace(ADAPTER, receipt=None, is_receipted=False)]).rows[0]
    assert (missing.badge, missing.tone, missing.receipt) == ("no receipt", "warning", "")
    assert missing.notes == ("for embedded", "5 MB")
    other = show_adapters([replace(ADAPTER, is_receipted=False)]).rows[0]
    assert (other.badge, other.tone) == ("receipt does not match the file", "error")


def test_invalid_facts_of_a_receipt_are_left_out() -> None:
    odd: JsonObject = {
        "function_calling": 3,
        "settings": {"lora_rank": 0},
        "loss_by_step": [],
        "steps": "many",
    }
    assert show_adapters([replace(ADAPTER, receipt=odd)]).rows[0].notes == ("for embedded", "5 MB")


def test_an_empty_list_says_how_to_create_an_adapter() -> None:
    assert "workbench train" in show_adapters([]).hint
