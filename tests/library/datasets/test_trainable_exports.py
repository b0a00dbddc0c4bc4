"""What is exported can be trained on: tools in the text, one type per argument, judged answers, files for trainers."""

import json

import pytest

from tests.library.datasets.test_exporting import BROKEN, bring, export, lines_of, write
from tests.records.corpus.sessions import CALL, TOOL, label, talk
from tests.services import services_for
from workbench.app.export import record
from workbench.library.datasets.receipts import ReceiptMaker
from workbench.records.corpus.material import SessionFilter
from workbench.records.label import Verdict
from workbench.trajectory.system_text import split_system
from workbench.trajectory.writing.row_draft import RowOptions

pytestmark = pytest.mark.slow


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path, "Fine.") as (services, _):
        yield services


def openai(arguments, **more):
    function = {"name": TOOL["function"]["name"], "arguments": json.dumps(arguments)}
    return {
        "messages": [
            {"role": "user", "content": f"q {arguments}"},
            {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": "a", "content": "1"},
            {"role": "assistant", "content": "done"},
        ],
        "tools": [TOOL],
        **more,
    }


def test_exported_text_lists_the_tools_in_the_frame(services, tmp_path):
    bring(services, write(tmp_path / "rows.jsonl", openai({"city": "Rome"})))
    for frame in ("hermes-array", "template-qwen2.5"):
        export(services, tmp_path / "out.jsonl", row_options=RowOptions(frame=frame))
        (row,) = lines_of(tmp_path / "out.jsonl")
        assert split_system(row["conversations"][0]["value"]).frame == frame


def test_only_written_rows_decide_whether_arguments_are_text(services, tmp_path):
    """One skipped row with another type used to turn all arguments into text."""
    wrong = openai({"city": 7})
    bring(services, write(tmp_path / "rows.jsonl", openai({"city": "Rome"}), wrong))
    export(services, tmp_path / "out.jsonl", format="trl", skips=True)
    (row,) = lines_of(tmp_path / "out.jsonl")
    assert row["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"city": "Rome"}


def test_written_rows_with_several_types_have_arguments_as_text(services, tmp_path):
    free = json.loads(json.dumps(TOOL))
    free["function"]["parameters"] = {"type": "object", "properties": {"city": {}}}
    rows = [openai({"city": "Rome"}), openai({"city": 7}, tools=[free])]
    bring(services, write(tmp_path / "rows.jsonl", *rows))
    summary = export(services, tmp_path / "out.jsonl", format="trl")
    assert summary.rows == 2
    calls = [row["messages"][1]["tool_calls"][0]["function"] for row in lines_of(tmp_path / "out.jsonl")]
    assert [call["arguments"] for call in calls] == ['{"city": "Rome"}', '{"city": 7}']


@pytest.mark.parametrize("call", [BROKEN, CALL.replace('"Rome"', "7")])
def test_a_bad_example_is_exported_as_the_model_wrote_it(services, tmp_path, call):
    session_id, path = talk(services, call=call)
    label(services, session_id, path[2].id, verdict=Verdict.BAD_ANSWER)
    summary = export(services, tmp_path / "out.jsonl", format="kto")
    (row,) = lines_of(tmp_path / "out.jsonl")
    assert (row["label"], summary.defective) == (False, 0)
    (answer,) = row["completion"]
    if call == BROKEN:
        assert answer["content"] == BROKEN
    else:
        assert answer["tool_calls"][0]["function"]["arguments"] == {"city": 7}


def test_raw_writes_a_row_that_ends_with_a_result(services, tmp_path):
    row = openai({"city": "Rome"})
    row["messages"].pop()
    bring(services, write(tmp_path / "rows.jsonl", row))
    export(services, tmp_path / "out.jsonl", format="openai", is_raw=True)
    assert lines_of(tmp_path / "out.jsonl") == [row]
    export(services, tmp_path / "other.jsonl", format="trl", is_raw=True)
    assert lines_of(tmp_path / "other.jsonl")[0]["messages"][-1]["role"] == "tool"


def test_llamafactory_finds_the_rows_in_dataset_info(services, tmp_path):
    talk(services)
    (tmp_path / "dataset_info.json").write_text('{"mine": {"file_name": "mine.json"}}')
    summary = export(services, tmp_path / "rows.jsonl", format="llamafactory")
    info = json.loads((tmp_path / "dataset_info.json").read_text())
    assert info["mine"] == {"file_name": "mine.json"}
    assert info["rows"] == {
        "file_name": "rows.jsonl",
        "formatting": "sharegpt",
        "columns": {"messages": "conversations", "system": "system", "tools": "tools"},
    }
    assert str(tmp_path / "dataset_info.json") in summary.files


def test_an_ignored_code_does_not_prevent_the_export(services, tmp_path):
    row = openai({"city": "Rome"})
    row["messages"][0]["content"] = "What is {{ city }}?"
    bring(services, write(tmp_path / "rows.jsonl", row))
    summary = export(services, tmp_path / "out.jsonl", format="openai", ignored_codes=("placeholder",))
    assert lines_of(tmp_path / "out.jsonl") == [row]
    assert summary.receipt["ignored"] == ["placeholder"]


def test_a_receipt_names_the_format_that_all_rows_of_a_file_have(tmp_path):
    plain = {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]}
    rows = [plain, {**plain, "task": "t", "category": "c"}, {**plain, "completed": True}]
    trl = [json.loads(json.dumps(openai({"city": "Rome"}))), {"messages": [{"role": "user", "content": "q"}]}]
    trl[0]["messages"][1]["tool_calls"][0]["function"]["arguments"] = {"city": "Rome"}
    maker = ReceiptMaker()
    for name, content in (("a", rows), ("b", trl)):
        list(maker.add(str(write(tmp_path / f"{name}.jsonl", *content))))
    assert dict(maker.counts.formats) == {"sharegpt": 3, "trl": 2}


def test_generations_do_not_hold_the_ephemeral_text(tmp_path):
    with services_for(tmp_path, "A.") as (services, play):
        session_id = play("Hi?", ephemeral="The user is Ada.")
        recording = record(services, SessionFilter(session_ids=(session_id,)))
    assert recording.row_count == 1
    assert "The user is Ada." not in recording.text
