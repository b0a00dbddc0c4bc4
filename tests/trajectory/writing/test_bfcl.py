"""The Berkeley sets are written in every format, read back equal, and loaded with `datasets`.

Their tools have type names of Python, which become those of JSON Schema. This is reported.
"""

import json
from dataclasses import replace

import pytest

from tests.bfcl import SETS, bfcl_trajectories, sound
from workbench.chat.message import Role
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.formats.known import FORMATS, WRITTEN, detect_format
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import Call, Prose, RowMessage, is_same_trajectory
from workbench.trajectory.writing.argument_columns import ArgumentTypes
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import RowOptions

pytestmark = [pytest.mark.slow, pytest.mark.long]
REFUSAL = RowMessage(role=Role.ASSISTANT, parts=(Prose(text="I cannot do that."),))


def for_format(trajectory, name):
    """Return the trajectory with what preference formats need: a label or a rejected answer."""
    content = FORMATS[name].content
    if content is RowContent.VERDICT:
        trajectory = replace(trajectory, label=True)
    if content is RowContent.PAIR:
        trajectory = replace(trajectory, rejected=(REFUSAL,))
    if name == "llamafactory-dpo":  # an answer is one message
        trajectory = replace(trajectory, messages=trajectory.messages[: trajectory.answer_index + 1])
    if name == "llamafactory-kto":
        trajectory = replace(trajectory, answer_start=len(trajectory.messages) - 1)
    return trajectory


def with_ids(trajectory):
    """Return the row with ids, as chat APIs give them."""
    ids = iter(range(100))
    messages = []
    for message in trajectory.messages:
        parts = tuple(
            replace(part, id=f"c{next(ids)}") if isinstance(part, Call) else part for part in message.parts
        )
        messages.append(replace(message, parts=parts))
    calls = [part.id for message in messages for part in message.parts if isinstance(part, Call)]
    answers = iter(calls)
    messages = [
        replace(message, parts=(replace(message.parts[0], id=next(answers)),))
        if message.role is Role.TOOL
        else message
        for message in messages
    ]
    return replace(trajectory, messages=tuple(messages))


def with_json_types(tools):
    """Return the tools with JSON Schema's words for types, by the table of `tests.bfcl`."""
    return OfferedTools(specs=tuple(ToolSpec.of_function(sound(spec.function)) for spec in tools.specs))


def reported_tools(changes):
    """Return the names of the tools whose schemas are reported as changed."""
    return [change.detail for change in changes if change.code == "schema-types"]


@pytest.fixture(scope="module")
def trajectories():
    found = [trajectory for name in SETS for trajectory in bfcl_trajectories(name)]
    assert len(found) > 800
    return found


@pytest.mark.parametrize("name", WRITTEN)
def test_every_row_is_written_and_read_back_equal(trajectories, name):
    form = FORMATS[name]
    types = ArgumentTypes()
    for trajectory in trajectories:
        types.add(trajectory)
    assert types.form == "text"  # the sets' arguments are of many kinds
    options = RowOptions(arguments=types.form)
    without_ids = name in (
        "sharegpt",
        "hermes-messages",
        "llamafactory",
        "llamafactory-dpo",
        "llamafactory-kto",
        "llamafactory-v1",
        "llamafactory-v1-dpo",
        "ms-swift",
        "ms-swift-dpo",
        "raw",
        "trl",
        "dpo",
        "kto",
    )
    for trajectory in trajectories:
        given = for_format(trajectory if without_ids else with_ids(trajectory), name)
        done = write_row(given, form, options)
        assert done.row is not None, done.problems
        assert done.losses == ()
        tools = with_json_types(given.tools)
        assert reported_tools(done.changes) == [
            tool.name for tool, own in zip(tools.specs, given.tools.specs, strict=True) if tool != own
        ]
        row = json.loads(json.dumps(done.row))
        reading = read_trajectory(form.read(row))
        back = reading.trajectory
        assert reported_tools(reading.changes) == []
        # Rows without calls look alike in kindred formats; they must then mean the same.
        assert is_same_trajectory(read_trajectory(detect_format(row).read(row)).trajectory, back)
        assert [message.parts for message in back.messages if message.parts] == [
            message.parts for message in given.messages
        ]
        assert back.tools.fingerprint == tools.fingerprint
        assert (back.label, back.columns["id"]) == (given.label, given.columns["id"])
        assert len(back.rejected) == len(given.rejected)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", WRITTEN)
def test_datasets_loads_the_rows_of_every_format(trajectories, name, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    import datasets

    form = FORMATS[name]
    rows = [
        write_row(for_format(trajectory, name), form, RowOptions(arguments="text")).row
        for trajectory in trajectories
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    loaded = datasets.load_dataset(
        "json", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert loaded.num_rows == len(rows)
    for number in (0, 500, len(rows) - 1):
        fields = {key: value for key, value in loaded[number].items() if value is not None}
        back = read_trajectory(form.read(fields)).trajectory
        expected = read_trajectory(form.read(rows[number])).trajectory
        assert is_same_trajectory(replace(back, tools=expected.tools), expected)
