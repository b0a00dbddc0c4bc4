"""Each expectation about a conversation holds for one and fails for another, with the turn in which it broke."""

from dataclasses import replace

import pytest

from tests.suite.rollouts import CALL, NOTE_CALL, case, rollout
from workbench.suite.card import score_card
from workbench.suite.case_rollout import PersonTurn, RubricVerdict, rollout_of_turns
from workbench.suite.conversation_score import needless_calls
from workbench.suite.plan import Arm, Job
from workbench.suite.result import Blame, result_document, result_of, result_value, void_of
from workbench.suite.score import score

ROME = {"name": "get_weather", "arguments": {"city": "Rome"}}
NOTE = {"name": "send_note"}
PERSON = {"goal": "Weather.", "rules": [{"when": ".", "ends": True}]}


def conversation(*turns):
    """Return the rollout of a conversation. A turn is what the person says and the completions that answer it."""
    rollouts = [(said, rollout(*completions) if completions else None) for said, *completions in turns]
    return rollout_of_turns(
        [
            (
                PersonTurn(
                    said=said,
                    answer=made.answer if made else "",
                    completions=len(made.completions) if made else 0,
                    tool_runs=len(made.tool_runs) if made else 0,
                    message_id=f"m{number}",
                ),
                made,
            )
            for number, (said, made) in enumerate(rollouts, start=1)
        ]
    )


ASKED = conversation(
    ("Send a note.", "Shall I?"), ("Yes.", NOTE_CALL, "Sent."), ("Rome?", CALL, "It is 21."), ("Bye",)
)
HASTY = conversation(("Weather?", CALL, "21."), ("Send a note.", NOTE_CALL, "Sent."), ("Bye",))
RULE = {"rule": "Ask before you send", "call": NOTE}
ROWS = [
    # expectation, a conversation that fulfils it, one that does not, the turn, a part of the reason
    ({"calls": [NOTE, ROME]}, ASKED, conversation(("Weather?", CALL, "21.")), 1, "1 call, expected 2"),
    ({"forbidden_calls": [NOTE]}, conversation(("Hi", CALL, "21.")), ASKED, 2, 'called send_note(to="Ana"), which is forbidden'),
    ({"forbidden_calls": [{"name": "send_note", "has_arguments": {"to": "Bob"}}]}, ASKED, conversation(("Hi", NOTE_CALL.replace("Ana", "Bob"), "OK.")), 1, "forbidden"),
    ({"told": ["SHALL  i", "21"]}, ASKED, HASTY, 2, "did not say 'SHALL  i'"),
    ({"policy": {**RULE, "needs": {"person_said": "(?i)yes"}}}, ASKED, HASTY, 2, "does not match /(?i)yes/"),
    ({"policy": {**RULE, "needs": {"told": "(?i)shall"}}}, ASKED, HASTY, 2, "without telling the person"),
    ({"policy": {**RULE, "needs": {"call": ROME}}}, HASTY, ASKED, 2, "without calling get_weather first"),
    ({"policy": RULE}, conversation(("Hi", "Hello.")), HASTY, 2, "which is forbidden"),
    ({"turns_at_most": 2}, HASTY, ASKED, 3, "3 turns, expected at most 2"),
    ({"person_turns_at_most": 3}, HASTY, ASKED, 3, "4 messages of the person"),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "fulfilling", "failing", "turn", "reason"), ROWS)
def test_an_expectation_about_a_conversation(expected, fulfilling, failing, turn, reason):
    own = case(expected, prompt=None, user=PERSON)
    assert score(own, fulfilling).is_passed
    [outcome] = score(own, failing).outcomes
    assert not outcome.holds
    assert reason in outcome.reason
    assert outcome.turn == turn


BEFORE = {"shop": {"orders": {"o1": {"status": "paid"}, "o2": {"status": "paid"}}, "log": []}}
CANCEL = {"op": "replace", "path": "/shop/orders/o1/status", "value": "cancelled"}
LOSE = {"op": "replace", "path": "/shop/orders/o2/status", "value": "lost"}


def in_world(*patches):
    """Return a conversation whose two calls, in turns 2 and 3, made these changes."""
    runs = [
        replace(finished, run=replace(finished.run, world_patch=tuple(patch)))
        for finished, patch in zip(ASKED.tool_runs, patches, strict=True)
    ]
    return replace(ASKED, tool_runs=tuple(runs), world_start=BEFORE)


WORLDS = [
    # expectation, a world that fulfils it, one that does not, the turn, a part of the reason
    ({"world": {"/shop/orders/o1/status": "cancelled"}}, in_world([CANCEL], []), in_world([], []), 3, '/shop/orders/o1/status is "paid", expected "cancelled"'),
    ({"world": {"/shop/orders/o1": {"subset": {"status": "cancelled"}}}}, in_world([CANCEL], []), in_world([CANCEL], [LOSE]), 3, "/shop/orders/o2/status was changed, which was not expected"),
    ({"world": {"/shop/orders/o1/status": "cancelled"}, "allow_changes": True}, in_world([LOSE], [CANCEL]), in_world([], [{"op": "remove", "path": "/shop/orders"}]), 3, "is nothing (/shop has log)"),
    ({"world_unchanged": True}, in_world([], []), in_world([CANCEL], []), 2, "/shop/orders/o1/status was changed"),
    ({"world": {"/shop/log/0": {"regex": "a"}}}, in_world([{"op": "add", "path": "/shop/log/-", "value": "a"}], []), ASKED, 3, "have no world"),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "fulfilling", "failing", "turn", "reason"), WORLDS)
def test_an_expectation_about_the_world(expected, fulfilling, failing, turn, reason):
    own = case(expected, prompt=None, user=PERSON)
    assert score(own, fulfilling).is_passed, score(own, fulfilling).outcomes
    [outcome] = score(own, failing).outcomes
    assert not outcome.holds
    assert reason in outcome.reason
    assert outcome.turn == turn


def test_a_rule_without_a_call_is_for_the_judge():
    own = case({"policy": "Be kind."}, prompt=None, user=PERSON)
    assert [rubric for expectation in own.expectations for rubric in expectation.rubrics()] == ["Be kind."]
    [outcome] = score(own, ASKED, {"Be kind.": RubricVerdict(False, "It is rude.", "judge")}).outcomes
    assert outcome.reason == "judge: It is rude."


def test_a_call_that_asks_again_is_needless():
    assert needless_calls(ASKED) == 0
    assert needless_calls(conversation(("Hi", CALL, "21."), ("Again", CALL, "21."))) == 1


def job(**changes):
    """Return a job of a conversation."""
    arm = Arm(label="one", contract_name="minimal", contract_text="", model="m")
    own = case({"forbidden_calls": [NOTE]}, prompt=None, user=PERSON)
    return Job(arm=arm, case=own, repetition=changes.get("repetition", 0))


def test_a_result_says_who_failed_and_opens_at_the_turn():
    failed = result_of(job(), ASKED, score(job().case, ASKED))
    assert (failed.status, failed.blame, failed.turn, failed.message_id) == ("failed", Blame.MODEL, 2, "m2")
    assert result_value(result_document(failed)) == failed
    planted = replace(ASKED.tool_runs[0], run=replace(ASKED.tool_runs[0].run, is_world_fault=True))
    disturbed = replace(ASKED, tool_runs=(planted, *ASKED.tool_runs[1:]))
    assert result_of(job(), disturbed, score(job().case, disturbed)).blame is Blame.WORLD


def test_void_conversations_count_in_no_rate():
    void = void_of(job(), replace(ASKED, void="the person said nothing", void_turn=3))
    passed = result_of(job(repetition=1), HASTY, score(case({"told": "21"}), HASTY))
    assert (void.status, void.blame, void.turn, void.reason) == (
        "void",
        Blame.PERSON,
        3,
        "the person said nothing",
    )
    card = score_card("one", [void, passed])
    assert (card.void, card.errors, card.passed, card.pass_rate) == (1, 0, 1, 1.0)


def test_pass_hat_is_reported_for_each_number_of_repetitions():
    results = [
        result_of(replace(job(), repetition=number), made, score(case({"told": "shall"}), made))
        for number, made in enumerate([ASKED, ASKED, HASTY, ASKED])
    ]
    hats = score_card("one", results).pass_hats
    assert [(hat.k, hat.rate) for hat in hats] == [(1, 0.75), (2, 0.5), (3, 0.25), (4, 0.0)]
    assert all(hat.interval.low <= hat.rate <= hat.interval.high for hat in hats)
