"""Exported and imported sessions: complete or not at all, with receipt and card, equal in every format."""

import gzip
import json
from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest

from tests.bfcl import SETS, bfcl_trajectories
from tests.records.corpus.sessions import CALL, SYSTEM, TOOL, talk
from tests.services import services_for
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.label.records.project import QueueFilter
from workbench.library.datasets.export_target import ExportRefused, ExportSummary, ExportTarget
from workbench.library.datasets.row_files import read_rows
from workbench.library.datasets.row_import import CONTRACT, ImportOptions, import_rows
from workbench.records.corpus.material import SessionFilter
from workbench.records.corpus.session_rows import ExportOptions
from workbench.records.label_words import QueueState
from workbench.records.owner import Owner
from workbench.records.sessions import MessageOrigin
from workbench.trajectory.formats.known import FORMATS, WRITTEN
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.sets.split import RowSplit
from workbench.trajectory.trajectory import Prose, RowMessage
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import RowOptions

pytestmark = pytest.mark.slow

BROKEN = "<tool_call>\n{bad}\n</tool_call>"


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path, "Fine.") as (services, _):
        yield services


def export(services, out, *, split=None, skips=False, licence="", **options):
    summary = ExportSummary()
    target = ExportTarget(out=str(out), split=split, skips_invalid=skips, licence=licence)
    for _ in services.datasets.export(services.corpus, ExportOptions(**options), target, summary):
        pass
    return summary


def bring(services, file, read_as="auto", **options):
    rows = services.datasets.read(str(file), read_as)
    plain = services.setup_for()
    return list(import_rows(services.corpus, rows, plain, ImportOptions(file=file.name, **options)))


def lines_of(file):
    return [row.fields for row in read_rows(str(file))]


def write(file, *rows):
    file.write_text("".join(json.dumps(item) + "\n" for item in rows), encoding="utf-8")
    return file


def gold_rows(form, each=40):
    """Return rows of the Berkeley sets in one format."""
    for name in SETS:
        for trajectory in islice(bfcl_trajectories(name, is_sound=True), each):
            if FORMATS[form].content is RowContent.PAIR:
                trajectory = replace(
                    trajectory, rejected=(RowMessage(role=Role.ASSISTANT, parts=(Prose(text="No."),)),)
                )
            trajectory = replace(trajectory, label=True) if form.endswith("kto") else trajectory
            if form == "llamafactory-dpo":  # an answer is one message
                trajectory = replace(trajectory, messages=trajectory.messages[: trajectory.answer_index + 1])
            yield write_row(trajectory, FORMATS[form], RowOptions()).row


@pytest.mark.parametrize("form", [name for name in WRITTEN if FORMATS[name].log is None])
def test_gold_rows_become_sessions_and_the_same_rows_again(services, tmp_path, form):
    rows = list(gold_rows(form))
    done = bring(services, write(tmp_path / "rows.jsonl", *rows))
    assert [item.problem for item in done if item.problem] == []
    summary = export(services, tmp_path / "out.jsonl", format=form, arguments="object")
    assert summary.receipt is not None
    assert lines_of(tmp_path / "out.jsonl") == rows


def test_an_imported_row_is_stored_unchanged(services, tmp_path):
    call = CALL.replace('"Rome"}', '"Rome",}') + " \n"
    row = {
        "conversations": [
            {"from": "system", "value": SYSTEM + " {{ date }} {% x %}"},
            {"from": "human", "value": "  Hi? 🦉"},
            {"from": "gpt", "value": call},
        ],
        "tools": json.dumps([TOOL]),
    }
    (imported,) = bring(services, write(tmp_path / "rows.jsonl", row), tags=("a", "b"), is_queued=True)
    path = services.sessions.path(imported.session_id)
    assert [message.message.text for message in path] == [entry["value"] for entry in row["conversations"]]
    assert {message.origin for message in path} == {MessageOrigin.IMPORT}
    session = services.sessions.find_session(imported.session_id)
    assert session.tags == ("a", "b")
    assert session.setup.offered_tools().specs[0].document == TOOL
    assert session.setup.contract_name == CONTRACT
    assert session.setup.parsed().system_text(date="2026-11-22") == path[0].message.text
    queue = services.label_queues.queue(QueueFilter(state=QueueState.PENDING))
    assert [item.session_id for item in queue.items] == [imported.session_id]


def test_known_and_unreadable_rows_are_reported_and_do_not_stop_the_import(services, tmp_path):
    good = [next(gold_rows("openai")), *islice(gold_rows("openai"), 2, 3)]
    file = write(tmp_path / "rows.jsonl", good[0], {"no": "row"}, good[0], good[1])
    file.write_text(file.read_text() + "{bad\n")
    first = bring(services, file)
    assert [(item.number, item.is_new, bool(item.problem)) for item in first] == [
        (1, True, False), (2, False, True), (3, False, False), (4, True, False), (5, False, True),
    ]  # fmt: skip
    assert first[2].session_id == first[0].session_id
    again = bring(services, write(tmp_path / "other.jsonl", dict(reversed(good[0].items()))))
    assert (again[0].session_id, again[0].is_new) == (first[0].session_id, False)
    assert bring(services, tmp_path / "other.jsonl", allows_repeats=True)[0].is_new


def test_a_row_that_cannot_be_stored_is_reported_each_time_it_occurs(services, tmp_path):
    row = {"messages": [{"role": "user", "content": "\0"}, {"role": "assistant", "content": "No."}]}
    problems = [item.problem for item in bring(services, write(tmp_path / "rows.jsonl", row, row))]
    assert "NUL" in problems[0]
    assert problems[0] == problems[1]


def test_an_unreadable_call_is_imported_for_a_annotator_and_refused_by_the_export(services, tmp_path):
    row = {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": BROKEN}]}
    assert bring(services, write(tmp_path / "rows.jsonl", row))[0].is_new
    with pytest.raises(ExportRefused, match="1 of 1 sessions has errors, so nothing was written"):
        export(services, tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_an_error_prevents_the_export_unless_it_may_be_skipped(services, tmp_path):
    talk(services)
    talk(services, call=BROKEN)
    folder = tmp_path / "set"
    folder.mkdir()
    with pytest.raises(ExportRefused):
        export(services, folder / "rows.jsonl")
    assert list(folder.iterdir()) == []
    summary = export(services, folder / "rows.jsonl", skips=True, licence="mit")
    assert (summary.rows, summary.sessions, summary.left_out) == (1, 2, Counter({"call-unreadable": 1}))
    assert sorted(item.name for item in folder.iterdir()) == ["README.md", "receipt.json", "rows.jsonl"]
    assert "license: mit" in (folder / "README.md").read_text()


def test_the_same_sessions_give_the_same_bytes_compressed_and_with_receipt(services, tmp_path):
    for answer in ("A.", "B."):
        talk(services, answer=answer)
    made = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        export(services, tmp_path / name / "rows.jsonl.gz")
        made.append([(tmp_path / name / file).read_bytes() for file in ("rows.jsonl.gz", "receipt.json")])
    assert made[0] == made[1]
    assert len(gzip.decompress(made[0][0]).splitlines()) == 2


def test_fixes_and_corrections_are_counted_in_the_receipt(services, tmp_path):
    talk(services, call=CALL.replace('"Rome"}', '"Rome",}'))
    export(services, tmp_path / "rows.jsonl")
    receipt = json.loads((tmp_path / "receipt.json").read_text())["export"]
    assert (receipt["fixed_messages"], receipt["fixes"]) == (1, {"trailing-comma": 1})


def test_no_session_is_in_two_splits_and_those_that_begin_alike_share_one(services, tmp_path):
    for number in range(30):
        talk(services, answer=f"Answer {number}.", question=f"Question {number // 2}?")
    split = RowSplit(shares={"train": 0.5, "test": 0.5}, seed=1)
    summary = export(services, tmp_path / "set", split=split)
    assert set(summary.splits) == {"train", "test"}
    questions = {
        name: {row["conversations"][1]["value"] for row in lines_of(tmp_path / "set" / f"{name}.jsonl")}
        for name in split.shares
    }
    assert not questions["train"] & questions["test"]
    assert sum(summary.splits.values()) == 30


def test_raw_texts_are_written_as_they_are_without_a_receipt(services, tmp_path):
    talk(services)
    export(services, tmp_path / "rows.jsonl")
    talk(services, call=BROKEN)
    summary = export(services, tmp_path / "rows.jsonl", is_raw=True)
    assert lines_of(tmp_path / "rows.jsonl")[1]["conversations"][2]["value"] == BROKEN
    assert summary.receipt is None
    assert not (tmp_path / "receipt.json").exists()
    assert any("no receipt" in note for note in summary.notes)


def test_other_files_in_the_folder_are_not_overwritten(services, tmp_path):
    talk(services)
    (tmp_path / "README.md").write_text("Mine.")
    (tmp_path / "receipt.json").write_text('{"mine": true}')
    summary = export(services, tmp_path / "rows.jsonl", licence="mit")
    assert (tmp_path / "README.md").read_text() == "Mine."
    assert (tmp_path / "receipt.json").read_text() == '{"mine": true}'
    assert len(summary.notes) == 2


def test_parquet_contains_the_same_rows(services, tmp_path):
    talk(services)
    export(services, tmp_path / "rows.parquet", format="trl")
    (row,) = lines_of(tmp_path / "rows.parquet")
    assert row["messages"][2]["tool_calls"][0]["function"]["arguments"] == {"city": "Rome"}


@pytest.mark.parametrize("out", ["nowhere/rows.jsonl", "."])
def test_an_unwritable_target_is_reported_before_anything_is_read(services, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match="--out"):
        export(services, out)


def test_nobody_exports_or_imports_for_another_owner(services, tmp_path):
    talk(services)
    other = services.of(Owner(key="someone"))
    assert export(other, tmp_path / "rows.jsonl").sessions == 0
    assert not (tmp_path / "rows.jsonl").exists()
    (imported,) = bring(other, write(tmp_path / "in.jsonl", next(gold_rows("openai"))))
    assert services.sessions.find_session(imported.session_id) is None
    assert other.corpus.count(SessionFilter()) == 1
