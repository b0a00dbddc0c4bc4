"""The Decision pane: possible starts of an answer and the probabilities of its tokens."""

from math import log

import pytest

from tests.services import services_for
from workbench.app.token_sheet import CompletionLogprobs, message_logprobs
from workbench.errors import BadInput
from workbench.rollout.logprobs import Decision, DecisionBar
from workbench.rollout.ports import EmittedToken
from workbench.ui.present.conversation import read_path
from workbench.ui.present.decision import show_decision, show_logprobs

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


def bar(tool, share):
    return DecisionBar(tool=tool, logprob=log(share))


DECISION = Decision(
    tools=(bar("calculate_zorbix", 0.1), bar("get_flumbuster", 0.6)),
    no_call=bar(None, 0.25),
    other_name=bar(None, 0.05),
)


@pytest.fixture
def rounds(tmp_path):
    with services_for(tmp_path, CALL, "It is 31.") as (services, play):
        session_id = play("Reading?")
        session = services.sessions.find_session(session_id)
        yield services, session, read_path(services.sessions.path(session_id), session.setup.offered_tools())


def logprobs(**changes):
    tokens = tuple(
        EmittedToken(id=number, text=text, logprob=log(share) if share else None)
        for number, (text, share) in enumerate([("a", 0.99), ("b", 0.6), ("c", 0.3), ("d", 0.1), ("e", 0.01), ("f", None), ("", 0.5)])
    )  # fmt: skip
    return CompletionLogprobs(**({"decision": DECISION, "tokens": tokens, "is_writer": True} | changes))


def test_the_likeliest_tool_comes_first_and_the_actual_start_is_marked(rounds):
    view = show_logprobs(rounds[2][0], logprobs())
    assert [(row.label, row.value, row.is_chosen) for row in view.bars] == [
        ("get_flumbuster", "60.0 %", True),
        ("calculate_zorbix", "10.0 %", False),
        ("no call", "25.0 %", False),
        ("another name", "5.0 %", False),
    ]


def test_an_answer_without_a_call_marks_no_call(rounds):
    assert [row.label for row in show_logprobs(rounds[2][1], logprobs()).bars if row.is_chosen] == ["no call"]


def test_a_call_threshold_is_a_line_on_the_probability_of_any_call(rounds):
    view = show_logprobs(rounds[2][0], logprobs(call_threshold=0.3))
    assert [(row.label, row.value, row.threshold) for row in view.bars][:2] == [
        ("any call", "75.0 %", 0.3),
        ("get_flumbuster", "60.0 %", 0),
    ]
    assert "from 30.0 %" in view.note
    assert "hreshold" not in show_logprobs(rounds[2][0], logprobs()).note


def test_less_likely_tokens_are_hotter(rounds):
    heat = show_logprobs(rounds[2][0], logprobs()).heat
    assert [(token.text, token.warmth) for token in heat] == [
        ("a", 0), ("b", 1), ("c", 2), ("d", 3), ("e", 4), ("f", -1),
    ]  # fmt: skip


def test_a_different_model_than_the_writer_is_reported(rounds):
    assert "different model" not in show_logprobs(rounds[2][0], logprobs()).note
    assert "different model" in show_logprobs(rounds[2][0], logprobs(is_writer=False)).note


def test_before_the_probabilities_are_computed_the_pane_names_the_completion(rounds):
    assert show_decision(None).message_id == ""
    assert show_decision(rounds[2][0]).message_id == rounds[2][0].stored.id


def test_a_model_without_probabilities_is_reported(rounds):
    services, session, (one, _) = rounds
    with pytest.raises(BadInput, match="does not report probabilities"):
        message_logprobs(services, session.setup, one.stored, is_cancelled=lambda: False)
