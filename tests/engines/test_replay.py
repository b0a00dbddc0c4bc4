"""Recorded generations answer the same prompt, and no other one."""

import json
from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.app.export import choice_of, record
from workbench.engines.replay import load_replay
from workbench.errors import BadInput, EngineError, ModelMissing
from workbench.rollout.ports import FinishReason, GenerationRequest
from workbench.rollout.sampling import Sampling

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
ROW = {"prompt": "P", "sampling": {"max_tokens": 9}, "text": "It is noon.", "finish_reason": "stop"}
REQUEST = GenerationRequest(prompt="P", sampling=Sampling(max_tokens=9))


def recorded(folder, *rows):
    path = folder / "r.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return load_replay(path, name="replay:r")


def ask(engine, request=REQUEST, is_cancelled=lambda: False):
    return list(engine.generate(request, is_cancelled=is_cancelled))


def text_of(deltas):
    return "".join(delta.text for delta in deltas)


def test_the_same_prompt_gets_the_recorded_answer(tmp_path):
    deltas = ask(recorded(tmp_path, ROW))
    assert text_of(deltas) == "It is noon."
    assert deltas[-1].finish_reason is FinishReason.STOP


def test_several_answers_to_a_prompt_are_returned_in_turn(tmp_path):
    engine = recorded(tmp_path, ROW, {**ROW, "text": "It is one."})
    assert [text_of(ask(engine)) for _ in range(3)] == ["It is noon.", "It is one.", "It is noon."]


def test_thoughts_and_structured_calls_are_returned_as_recorded(tmp_path):
    row = {
        **ROW,
        "text": "",
        "is_exact": False,
        "thought": "Hm.",
        "calls": [{"name": "now", "arguments": {"a": 1}}],
    }
    engine = recorded(tmp_path, row)
    assert engine.capabilities.is_chat_only
    pieces = [piece for delta in ask(engine) for piece in delta.call_pieces]
    assert pieces[0].name == "now"
    assert "".join(piece.arguments_text for piece in pieces) == '{"a": 1}'


def test_stopping_ends_the_answer(tmp_path):
    answers = iter([False])
    deltas = ask(recorded(tmp_path, ROW), is_cancelled=lambda: next(answers, True))
    assert (text_of(deltas), deltas[-1].finish_reason) == ("It i", FinishReason.CANCELLED)


def test_another_prompt_is_refused(tmp_path):
    with pytest.raises(
        EngineError, match="this prompt is not in the recording of 1 generation; use the contract"
    ):
        ask(recorded(tmp_path, ROW), replace(REQUEST, prompt="Q"))


def test_different_sampling_settings_are_named(tmp_path):
    with pytest.raises(EngineError, match="recorded with other values of temperature, seed; use those"):
        ask(
            recorded(tmp_path, ROW),
            replace(REQUEST, sampling=Sampling(max_tokens=9, seed=3, temperature=1.0)),
        )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["{"], "line 1.*Invalid JSON"),
        ([ROW, {"prompt": "P"}], "line 2, sampling: 'sampling' is missing"),
        ([], "the file is empty"),
        ([ROW, {**ROW, "is_exact": False}], "mixes exact and predicted"),
    ],
)
def test_an_invalid_recording_is_reported_with_the_line(tmp_path, rows, message):
    with pytest.raises(BadInput, match=message):
        recorded(tmp_path, *rows)


def test_a_missing_file_is_reported_with_how_to_create_one(tmp_path):
    with pytest.raises(ModelMissing, match="--format generations"):
        load_replay(tmp_path / "none.jsonl", name="replay:none")


def test_a_recorded_session_can_be_repeated_without_its_model(tmp_path):
    with services_for(tmp_path, CALL, "It is 31.") as (services, play):
        session = play("What is the reading for cairo?")
        export = record(services, choice_of(services, [session]))
        before = [stored.message for stored in services.sessions.path(session)]
        assert export.row_count == 2
        recordings = tmp_path / "data" / "recordings"
        recordings.mkdir()
        (recordings / "cairo.jsonl").write_text(export.text)
        assert "replay:cairo" in services.models.names()
        again = play("What is the reading for cairo?", model="replay:cairo")
        assert [stored.message for stored in services.sessions.path(again)] == before
        with pytest.raises(EngineError, match="not in the recording"):
            play("And for paris?", model="replay:cairo")


def test_a_forced_call_is_recorded_with_its_prefill(tmp_path):
    with services_for(tmp_path, CALL, "It is 31.") as (services, play):
        session = play("What is the reading for cairo?", tool_choice="required")
        (tmp_path / "r.jsonl").write_text(record(services, choice_of(services, [session])).text)
        again = play(
            "What is the reading for cairo?", tool_choice="required", model=f"replay:{tmp_path}/r.jsonl"
        )
        assert [stored.message for stored in services.sessions.path(again)] == [
            stored.message for stored in services.sessions.path(session)
        ]


def test_an_unfinished_completion_is_skipped_and_reported(tmp_path):
    with services_for(tmp_path, "It is") as (services, _):
        from workbench.app.turn_request import TurnContext, TurnRequest
        from workbench.app.turns import begin_session, run_turn

        setup = services.setup_for()
        session = begin_session(services, setup).id
        list(
            run_turn(
                services,
                TurnRequest(setup=setup, session_id=session, text="Hi"),
                TurnContext(is_cancelled=lambda: True),
            )
        )
        export = record(services, choice_of(services, [session]))
    assert (export.row_count, len(export.left_out)) == (0, 1)
