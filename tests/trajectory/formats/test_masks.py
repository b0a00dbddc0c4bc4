"""Loss masks are read under every name that trainers use, and a value that none understands is an error."""

import math
from typing import Any

import pytest

from workbench.trajectory.formats.known import FORMATS, detect_format
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.writing.convert import Converted, convert_row
from workbench.trajectory.writing.row_draft import RowOptions

NAMES = ["weight", "train", "training", "loss", "loss_weight", "loss_mask", "step_loss_mask"]
SHAPES = ["from", "role"]
DETAIL = [
    {"begin_offset": 0, "end_offset": 2, "train": False},
    {"begin_offset": 3, "end_offset": 4, "train": True},
]


def row_with(shape: str, *answers: dict[str, Any]) -> dict[str, Any]:
    """Return a row that asks and answers as often as there are answers."""
    entries: list[dict[str, Any]] = []
    for keys in answers:
        if shape == "from":
            entries += [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello", **keys}]
        else:
            entries += [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello", **keys}]
    return {"conversations" if shape == "from" else "messages": entries}


def convert(row: dict[str, Any], to: str) -> Converted:
    form = detect_format(row)
    assert form is not None
    return convert_row(row, form, FORMATS[to], RowOptions())


def entries_of(done: Converted) -> list[dict[str, Any]]:
    assert done.row is not None, done.problems
    entries: Any = done.row.get("messages", done.row.get("conversations"))
    return entries


def problems_of(row: dict[str, Any]) -> list[str]:
    form = detect_format(row)
    assert form is not None
    return [finding.code for finding in check_completely(form.read(row)).findings]


@pytest.mark.parametrize("to", ["sharegpt", "hermes-agent", "openai"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", NAMES)
def test_each_name_and_value_of_a_mask_becomes_a_weight(name: str, shape: str, to: str) -> None:
    row = row_with(shape, {name: False}, {name: 0}, {name: 0.0}, {name: True}, {name: 1}, {name: 1.0}, {})
    done = convert(row, to)
    assert [entry.get("weight") for entry in entries_of(done)[1::2]] == [0, 0, 0, 1, 1, 1, None]
    assert all(name == "weight" or name not in entry for entry in entries_of(done))
    assert not done.losses and not problems_of(row)


@pytest.mark.parametrize("shape", SHAPES)
def test_masked_means_the_opposite(shape: str) -> None:
    done = convert(row_with(shape, {"masked": True}, {"masked": False}), "openai")
    assert [entry["weight"] for entry in entries_of(done)[1::2]] == [0, 1]


@pytest.mark.parametrize("value", [0.5, 2, -1, "0", "false", "", [False], {"a": 1}, math.nan, math.inf])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", NAMES)
def test_a_value_that_is_no_mask_is_an_error(name: str, shape: str, value: Any) -> None:
    row = row_with(shape, {}, {name: value})
    if name == "loss_weight" and value in (0.5, 2):
        assert problems_of(row) == []
        return
    # What JSON cannot hold at all is a finding of its own.
    assert "mask-value" in problems_of(row)
    done = convert(row, "sharegpt")
    assert done.row is None
    assert [(problem.code, problem.entry) for problem in done.problems] == [("mask-value", 3)]


@pytest.mark.parametrize("shape", SHAPES)
def test_masks_that_agree_are_one_and_others_are_an_error(shape: str) -> None:
    done = convert(row_with(shape, {"weight": 0, "train": False, "masked": True}), "openai")
    assert entries_of(done)[1] == {"role": "assistant", "content": "Hello", "weight": 0}
    assert problems_of(row_with(shape, {"weight": 0, "train": True})) == ["mask-value"]


@pytest.mark.parametrize("shape", SHAPES)
def test_mask_alone_does_not_say_what_it_means(shape: str) -> None:
    assert problems_of(row_with(shape, {"mask": True})) == ["mask-value"]
    for value in ("0", "false", 2, 0.5):
        assert problems_of(row_with(shape, {"mask": value})) == ["mask-value"]
    assert entries_of(convert(row_with(shape, {"mask": "a.png"}), "openai"))[1]["mask"] == "a.png"


@pytest.mark.parametrize("to", ["trl", "llamafactory", "dpo", "kto", "llamafactory-dpo", "llamafactory-kto"])
@pytest.mark.parametrize("keys", [{"loss": False}, {"train_detail": DETAIL}])
def test_formats_of_trainers_without_masks_report_the_loss(to: str, keys: dict[str, Any]) -> None:
    answers = {"role": "assistant", "content": "Hello", **keys}, {"role": "assistant", "content": "No"}
    pair = {"prompt": [{"role": "user", "content": "Hi"}], "chosen": [answers[0]], "rejected": [answers[1]]}
    done = convert_row(pair, FORMATS["dpo"], FORMATS[to], RowOptions(label=True))
    assert done.row is not None, done.problems
    assert [(loss.code, loss.entry) for loss in done.losses if loss.code != "rejected"] == [("loss-mask", 1)]


@pytest.mark.parametrize("to", ["sharegpt", "openai"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_mask_of_characters_is_kept_while_the_text_stays_the_same(shape: str, to: str) -> None:
    done = convert(row_with(shape, {"train_detail": DETAIL}), to)
    assert entries_of(done)[1]["train_detail"] == DETAIL
    assert not done.losses


@pytest.mark.parametrize("to", ["ms-swift", "llamafactory-v1"])
def test_a_mask_of_characters_is_reported_where_the_trainer_has_none(to: str) -> None:
    done = convert(row_with("role", {"train_detail": DETAIL}), to)
    assert [(loss.code, loss.entry) for loss in done.losses] == [("loss-mask", 1)]
    assert "train_detail" not in str(done.row)


@pytest.mark.parametrize(
    ("to", "key"), [("ms-swift", "loss"), ("llamafactory-v1", "loss_weight"), ("openai", "weight")]
)
def test_parts_that_are_all_masked_are_a_masked_message(to: str, key: str) -> None:
    parts = [{"type": "text", "text": "Good", "weight": 0}, {"type": "text", "text": " day", "weight": 0}]
    row = row_with("role", {"content": parts})
    done = convert(row, to)
    assert entries_of(done)[1][key] == 0 and not done.losses


@pytest.mark.parametrize(
    "to", ["sharegpt", "hermes-agent", "openai", "trl", "llamafactory", "ms-swift", "raw"]
)
@pytest.mark.parametrize("shape", SHAPES)
def test_how_much_the_loss_counts_is_lost_where_no_trainer_reads_it(shape: str, to: str) -> None:
    row = row_with(shape, {"loss_weight": 0.5}, {})
    done = convert(row, to)
    assert [(loss.code, loss.entry, loss.detail) for loss in done.losses] == [("loss-mask", 1, "loss_weight")]
    assert "loss_weight" not in str(done.row)
    assert entries_of(convert(row, "llamafactory-v1"))[1]["loss_weight"] == 0.5
    assert not convert(row, "llamafactory-v1").losses


def test_the_version_1_of_llamafactory_counts_any_message_that_has_a_weight() -> None:
    row = {
        "messages": [
            {"role": role, "content": [{"type": "text", "value": "x"}], "loss_weight": weight}
            for role, weight in (
                ("system", 1.0),
                ("user", 1.0),
                ("assistant", 0.0),
                ("user", 0.0),
                ("assistant", 1.0),
            )
        ]
    }
    done = convert_row(row, FORMATS["llamafactory-v1"], FORMATS["llamafactory-v1"], RowOptions())
    assert done.row == row and not done.losses


def test_a_call_of_ms_swift_has_the_mask_of_the_text_before_it() -> None:
    text, call = (
        {"role": "assistant", "content": "x"},
        {"role": "tool_call", "content": '{"name": "f", "arguments": {}}'},
    )
    row: dict[str, Any] = {
        "messages": [{"role": "user", "content": "a"}, {**text, "loss": False}, {**call, "loss": False}]
    }
    done = convert_row(row, FORMATS["ms-swift"], FORMATS["openai"], RowOptions())
    assert entries_of(done)[1]["weight"] == 0
    row["messages"][2]["loss"] = True
    [finding] = [
        one for one in check_completely(FORMATS["ms-swift"].read(row)).findings if one.code == "mask-value"
    ]
    assert (
        finding.pointer == "/messages/2/loss" and "joined" in finding.message and "[" not in finding.message
    )


def test_a_mask_beside_the_data_of_langchain_is_read() -> None:
    row = {
        "messages": [
            {"type": "human", "data": {"content": "Hi", "type": "human"}, "rating": 3},
            {"type": "ai", "data": {"content": "Hello", "type": "ai"}, "weight": 0},
        ]
    }
    entries = entries_of(convert(row, "openai"))
    assert entries[0]["rating"] == 3 and entries[1]["weight"] == 0


def test_a_mask_of_characters_is_lost_when_the_text_changes() -> None:
    row = row_with("from", {"train_detail": DETAIL})
    assert [loss.code for loss in convert(row, "raw").losses] == ["loss-mask"]
    assert [loss.code for loss in convert(row, "hermes-agent").losses] == ["loss-mask"]
    row["conversations"][1]["value"] = (
        '<think>\nHm\n</think>\n<tool_call>\n{"name": "f", "arguments": {},}\n</tool_call>'
    )
    assert [loss.code for loss in convert(row, "sharegpt").losses] == ["loss-mask"]
    row["conversations"][1]["value"] = "<think>\nHm\n</think>\nYes"
    assert "loss-mask" in [loss.code for loss in convert(row, "openai").losses]
    assert convert(row, "sharegpt").losses == convert(row, "hermes-agent").losses == ()


def test_spans_of_a_part_of_a_turn_are_an_error() -> None:
    text = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n"
    start = text.index("Hello")
    assert problems_of({"text": text, "loss_spans": [[start, start + 15]]}) == []
    assert problems_of({"text": text, "loss_spans": [[start + 1, start + 15]]}) == ["mask-value"]


@pytest.mark.parametrize(
    ("spans", "pointer"),
    [
        ([[52, 67], [67, 69]], "/loss_spans/1"),
        ([[-1, 67]], "/loss_spans/0"),
        ([[67, 52]], "/loss_spans/0"),
        ([[52, 52]], "/loss_spans/0"),
        ([[52, 67], [52, 67]], "/loss_spans/1"),
        ([[52, 67], [17, 29]], "/loss_spans/1"),
        ([[52.0, 67.0]], "/loss_spans"),
        ([["52", "67"]], "/loss_spans"),
        ([[52, True]], "/loss_spans"),
        ([[52, 67, 1]], "/loss_spans"),
        ([52, 67], "/loss_spans"),
        ("52-67", "/loss_spans"),
        ({"start": 52}, "/loss_spans"),
    ],
)
def test_spans_outside_of_the_text_and_spans_that_overlap_are_an_error(spans: object, pointer: str) -> None:
    text = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n"
    row = {"text": text, "loss_spans": spans}
    found = check_completely(FORMATS["raw"].read(row)).findings
    assert [(finding.code, finding.pointer) for finding in found] == [("mask-value", pointer)]
    assert len(found[0].message) < 100
