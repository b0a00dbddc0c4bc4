"""The Decision pane, from values."""

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


def weighed(**changes):
    tokens = tuple(
        EmittedToken(id=number, text=text, logprob=log(share) if share else None)
        for number, (text, share) in enumerate([("a", 0.99), ("b", 0.6), ("c", 0.3), ("d", 0.1), ("e", 0.01), ("f", None), ("", 0.5)])
    )  # fmt: skip
    return CompletionLogprobs(**({"decision": DECISION, "tokens": tokens, "is_writer": True} | changes))


def test_the_likeliest_tool_comes_first_and_what_was_written_is_told(rounds):
    view = show_logprobs(rounds[2][0], weighed())
    assert [(row.label, row.value, row.is_chosen) for row in view.bars] == [
        ("get_flumbuster", "60.0 %", True),
        ("calculate_zorbix", "10.0 %", False),
        ("no call", "25.0 %", False),
        ("another name", "5.0 %", False),
    ]


def test_an_answer_chose_no_call(rounds):
    assert [row.label for row in show_logprobs(rounds[2][1], weighed()).bars if row.is_chosen] == ["no call"]


def test_the_hotter_the_less_likely(rounds):
    heat = show_logprobs(rounds[2][0], weighed()).heat
    assert [(token.text, token.warmth) for token in heat] == [
        ("a", 0), ("b", 1), ("c", 2), ("d", 3), ("e", 4), ("f", -1),
    ]  # fmt: skip


def test_another_model_than_the_writer_is_told(rounds):
    assert "Another" not in show_logprobs(rounds[2][0], weighed()).note
    assert "another model" in show_logprobs(rounds[2][0], weighed(is_writer=False)).note


def test_before_it_is_weighed_the_pane_offers_to(rounds):
    assert show_decision(None).message_id == ""
    assert show_decision(rounds[2][0]).message_id == rounds[2][0].kept.id


def test_a_model_that_tells_no_probabilities_says_so(rounds):
    services, session, (one, _) = rounds
    with pytest.raises(BadInput, match="does not tell probabilities"):
        message_logprobs(services, session.setup, one.kept, is_cancelled=lambda: False)
