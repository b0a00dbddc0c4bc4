"""Adapters as the Models tab shows them."""

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


def test_a_row_tells_what_was_trained_on_what() -> None:
    (row,) = show_adapters([ADAPTER]).rows
    assert (row.name, row.title, row.badge, row.tone) == (
        "embedded+first",
        "first",
        "receipt and file agree",
        "quiet",
    )
    assert row.notes == (
        *("over embedded", "5 MB", "2,800 rows", "1 call of 12 tools", "0 validator issues"),
        *("480 steps", "last loss 0.25", "rank 16"),
    )
    assert '"validator_issues": 0' in row.receipt
    assert [action.event for action in row.actions] == ["use_model"]


def test_a_run_that_was_stopped_says_how_far_it_came() -> None:
    (row,) = show_adapters([replace(ADAPTER, receipt={**RECEIPT, "steps_planned": 1199})]).rows
    assert "480 of 1,199 steps" in row.notes


def test_a_run_that_went_on_from_another_says_after_how_many_steps() -> None:
    start: JsonObject = {"name": "adapter.gguf", "receipt": {"steps": 906}}
    (row,) = show_adapters([replace(ADAPTER, receipt={**RECEIPT, "start": start})]).rows
    place = row.notes.index("480 steps")
    assert row.notes[place : place + 2] == ("480 steps", "after 906 of an earlier run")


def test_a_receipt_that_is_missing_or_of_another_file_is_told() -> None:
    none = show_adapters([replace(ADAPTER, receipt=None, is_receipted=False)]).rows[0]
    assert (none.badge, none.tone, none.receipt) == ("no receipt", "warning", "")
    assert none.notes == ("over embedded", "5 MB")
    other = show_adapters([replace(ADAPTER, is_receipted=False)]).rows[0]
    assert (other.badge, other.tone) == ("the receipt is of another file", "error")


def test_odd_receipts_leave_facts_out() -> None:
    odd: JsonObject = {
        "function_calling": 3,
        "settings": {"lora_rank": 0},
        "loss_by_step": [],
        "steps": "many",
    }
    assert show_adapters([replace(ADAPTER, receipt=odd)]).rows[0].notes == ("over embedded", "5 MB")


def test_an_empty_list_says_how_to_get_one() -> None:
    assert "workbench train" in show_adapters([]).hint
