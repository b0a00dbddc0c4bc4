"""Sessions become rows with corrections and fixes, or are skipped for a reason."""

import json

import pytest

from tests.records.corpus.sessions import CALL, SYSTEM, begin, label, rows_of, said, talk
from tests.services import services_for
from workbench.chat.message import ToolCall
from workbench.records.label import Verdict
from workbench.records.label_words import QueueState
from workbench.trajectory.formats.known import FORMATS, WRITTEN, format_named
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.system_text import split_system

TEXT_FORMATS = ("sharegpt", "hermes-agent", "raw")
CONVERSATIONS = [name for name in WRITTEN if FORMATS[name].content is RowContent.CONVERSATION]


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path, "Fine.") as (services, _):
        yield services


def codes(obstacles):
    return [item.code for item in obstacles]


def test_a_session_is_a_row_with_its_provenance(services):
    session_id, _ = talk(services)
    ((row,), obstacles) = rows_of(services)
    assert obstacles == []
    assert [item["from"] for item in row["conversations"]] == ["system", "human", "gpt", "tool", "gpt"]
    assert split_system(row["conversations"][0]["value"]) == (SYSTEM, "hermes-array")
    assert row["conversations"][2]["value"] == CALL
    assert row["session"] == session_id
    assert json.loads(row["tools"])[0]["function"]["name"] == "weather"


@pytest.mark.parametrize("form", WRITTEN)
def test_the_ephemeral_part_is_not_exported_in_any_format(tmp_path, form):
    with services_for(tmp_path, "Fine.", "Better.") as (services, play):
        session_id = play("Hi?", ephemeral="The user is Ada.")
        path = services.sessions.path(session_id)
        label(services, session_id, path[-1].id, verdict=Verdict.BAD_ANSWER, correction="Hello.")
        rows, _ = rows_of(services, form)
        assert rows
        assert "Ada" in path[-1].generation.prompt_text
        assert "Ada" not in json.dumps(rows)


def test_a_corrected_text_replaces_the_original(services):
    session_id, path = talk(services, answer="It rains.")
    label(services, session_id, path[-1].id, correction="It is clear.")
    ((row,), _) = rows_of(services)
    assert row["conversations"][-1]["value"] == "It is clear."


def test_a_corrected_call_replaces_even_a_guessed_one(services):
    session_id, path = talk(services, call=CALL.replace('"Rome"', '"Ro"me"'))
    assert codes(rows_of(services)[1]) == ["call-guessed"]
    label(
        services,
        session_id,
        path[2].id,
        call=0,
        correction=ToolCall(name="weather", arguments={"city": "Oslo"}),
    )
    assert codes(rows_of(services)[1]) == ["stale-message"]
    rows, obstacles = rows_of(services, includes_stale=True)
    assert obstacles == []
    assert rows[0]["conversations"][2]["value"] == CALL.replace("Rome", "Oslo")


def test_only_the_correction_of_a_deciding_label_counts(services):
    session_id, path = talk(services)
    label(services, session_id, path[-1].id, annotator="ann", correction="A")
    label(services, session_id, path[-1].id, annotator="bob", correction="B")
    assert codes(rows_of(services)[1]) == ["corrections-differ"]
    label(services, session_id, path[-1].id, annotator="eve", is_deciding=True, correction="C")
    assert rows_of(services)[0][0]["conversations"][-1]["value"] == "C"


def test_a_session_with_a_stale_message_is_skipped_until_it_is_accepted(services):
    session_id, path = talk(services)
    label(
        services,
        session_id,
        path[2].id,
        call=0,
        correction=ToolCall(name="weather", arguments={"city": "Oslo"}),
    )
    (obstacle,) = rows_of(services)[1]
    assert (obstacle.code, obstacle.is_defect, obstacle.message_id) == ("stale-message", False, path[3].id)
    for message in path[3:]:
        services.labels.accept(session_id, message.id)
    assert len(rows_of(services)[0]) == 1


def test_discarded_sessions_are_exported_only_on_request(services):
    session_id, _ = talk(services)
    services.labels.move(session_id, QueueState.DISCARDED)
    assert rows_of(services) == ([], [])
    assert len(rows_of(services, choice={"includes_discarded": True})[0]) == 1
    assert len(rows_of(services, choice={"state": QueueState.DISCARDED})[0]) == 1


@pytest.mark.parametrize("pairs", [(), (("user", "Hi?"),), (("user", "Hi?"), ("model", CALL), ("tool", "1"))])
def test_a_conversation_without_an_answer_is_not_ready_but_not_an_error(services, pairs):
    begin(services, *pairs)
    rows, (obstacle,) = rows_of(services)
    assert (rows, obstacle.code, obstacle.is_defect) == ([], "not-answered", False)


@pytest.mark.parametrize("answer", ["", " \n"])
def test_an_empty_answer_is_reported_with_its_message_and_what_to_do(services, answer):
    talk(services, answer=answer)
    rows, (obstacle,) = rows_of(services)
    assert (rows, obstacle.code, obstacle.is_defect, obstacle.pointer) == ([], "empty-answer", True, "")
    assert obstacle.message.startswith("message 5: the model wrote nothing")
    assert "regenerate the message, edit it, or show another branch" in obstacle.message


@pytest.mark.parametrize("form", CONVERSATIONS)
@pytest.mark.parametrize("answer", ["<think>\nIt rains.\n</think>", "<think>\nIt rains. So: it rains."])
def test_a_turn_that_ends_with_a_thought_is_not_exported(services, form, answer):
    _, path = talk(services, answer=answer)
    rows, obstacles = rows_of(services, form)
    assert rows == []
    assert {item.message_id for item in obstacles} == {path[-1].id}
    # OpenAI's format has no thoughts, so that the entry is empty. Where an unclosed thought ends would be a guess.
    expected = {"openai": "empty-entry"}.get(form, "thought-only")
    assert codes(obstacles) == [expected if answer.endswith("</think>") else "call-guessed"]


XML_TOOL = {
    "type": "function",
    "function": {
        "name": "plan",
        "description": "Plan a trip.",
        "parameters": {
            "type": "object",
            "properties": {
                "days": {"type": "integer"},
                "stops": {"type": "array"},
                "note": {"type": "string"},
            },
        },
    },
}
XML_CALL = (
    "<tool_call>\n<function=plan>\n<parameter=days>\n3\n</parameter>\n<parameter=stops>\n[1, true]\n</parameter>\n"
    "<parameter=note>\n7\n</parameter>\n</function>\n</tool_call>"
)


@pytest.mark.parametrize("form", CONVERSATIONS)
def test_a_session_with_xml_calls_is_exported_with_typed_values(services, form):
    pairs = (("user", "Plan it."), ("model", XML_CALL), ("tool", "ok"), ("model", "Done."))
    begin(services, *pairs, tool=XML_TOOL)
    (row,), obstacles = rows_of(services, form)
    assert obstacles == []
    trajectory = read_trajectory(format_named(form).read(row)).trajectory
    [call] = [call for message in trajectory.messages for call in message.calls]
    assert call.arguments == {"days": 3, "stops": [1, True], "note": "7"}
    if form in TEXT_FORMATS:
        assert "<function=" not in json.dumps(row)  # the system text that was added asks for JSON
        (row,), _ = rows_of(services, form, is_raw=True)
        assert json.dumps(XML_CALL)[1:-1] in json.dumps(row)


def test_safe_fixes_are_applied_and_counted(services):
    talk(services, call=CALL.replace('"Rome"}', '"Rome",}'))
    ((row,), _) = rows_of(services)
    assert row["conversations"][2]["value"] == CALL


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("<tool_call>\n{bad}\n</tool_call>", "call-unreadable"),
        (CALL.replace('"Rome"', '"Ro"me"'), "call-guessed"),
        (CALL.removesuffix("}\n</tool_call>"), "call-truncated"),
        (CALL.replace('"weather"', '"whether"'), "undeclared-tool"),
        (CALL.replace('"city"', '"town"'), "schema-missing-required"),
    ],
)
def test_an_error_names_its_message_and_raw_exports_it_anyway(services, call, code):
    _, path = talk(services, call=call)
    rows, obstacles = rows_of(services)
    assert rows == []
    assert code in codes(obstacles)
    assert {item.message_id for item in obstacles} == {path[2].id}
    assert all(item.is_defect for item in obstacles)
    for form in TEXT_FORMATS:
        (row,), _ = rows_of(services, form, is_raw=True)
        assert json.dumps(call)[1:-1] in json.dumps(row)


def test_a_finding_of_the_validator_has_its_place_in_the_row(services):
    talk(services, call=CALL.replace('"weather"', '"whether"'))
    for form, pointer in (("sharegpt", "/conversations/2/value"), ("openai", "/messages/2/tool_calls/0")):
        _, (obstacle,) = rows_of(services, form)
        assert obstacle.pointer.startswith(pointer)


def test_strict_refuses_what_a_format_cannot_hold(services):
    talk(services, call=f"<think>\nhm\n</think>\n{CALL}")
    assert len(rows_of(services, "openai")[0]) == 1
    rows, obstacles = rows_of(services, "openai", is_strict=True)
    assert rows == []
    assert codes(obstacles) == ["would-lose"]


def test_siblings_of_which_one_is_better_make_a_pair(services):
    session_id, path = talk(services, answer="It rains.")
    other = services.sessions.append(session_id, said("model", "It is clear."), parent_id=path[3].id)
    assert codes(rows_of(services, "dpo")[1]) == ["no-preference"]
    label(services, session_id, path[4].id, rating=2)
    label(services, session_id, other.id, rating=5)
    ((row,), _) = rows_of(services, "dpo")
    assert row["chosen"] == [{"role": "assistant", "content": "It is clear."}]
    assert row["rejected"] == [{"role": "assistant", "content": "It rains."}]
    assert [item["role"] for item in row["prompt"]] == ["system", "user", "assistant", "tool"]


def test_a_correction_is_a_pair_and_two_judged_answers(services):
    session_id, path = talk(services, answer="It rains.")
    label(services, session_id, path[4].id, verdict=Verdict.BAD_ANSWER, correction="It is clear.")
    ((row,), _) = rows_of(services, "dpo")
    assert (row["chosen"][0]["content"], row["rejected"][0]["content"]) == ("It is clear.", "It rains.")
    judged = {row["completion"][0]["content"]: row["label"] for row in rows_of(services, "kto")[0]}
    assert judged == {"It rains.": False, "It is clear.": True}


def test_verdicts_make_rows_of_good_and_bad_answers(services):
    session_id, path = talk(services)
    label(services, session_id, path[2].id, call=0, verdict=Verdict.RIGHT)
    label(services, session_id, path[4].id, verdict=Verdict.BAD_ANSWER)
    rows, _ = rows_of(services, "kto")
    assert [(len(row["prompt"]), row["label"]) for row in rows] == [(2, True), (4, False)]


def test_contradictory_verdicts_do_not_count(services):
    session_id, path = talk(services)
    for annotator, verdict in (("ann", Verdict.GOOD), ("bob", Verdict.BAD_ANSWER)):
        label(services, session_id, path[4].id, annotator=annotator, verdict=verdict)
    assert codes(rows_of(services, "kto")[1]) == ["not-judged"]
