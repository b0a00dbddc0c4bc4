"""Each expectation holds for one scripted rollout and fails for another."""

import pytest

from tests.suite.rollouts import CALL, NOTE_CALL, called, case, rollout
from tests.suite.test_conversation_score import ROWS as CONVERSATIONS
from tests.suite.test_conversation_score import WORLDS
from workbench.suite.case_rollout import RubricVerdict
from workbench.suite.expectation import KINDS
from workbench.suite.score import score

ANSWER = "The weather in Rome is 21 degrees."
QUESTION = "For which city?"
BROKEN = "<tool_call>\nnonsense\n</tool_call>"
FIXED = "<tool_call>\n{'name': 'get_weather', 'arguments': {'city': 'Rome',}}\n</tool_call>"
TWO = CALL + "\n" + NOTE_CALL
ROME = {"name": "get_weather", "arguments": {"city": "Rome"}}
NOTE = {"name": "send_note"}
FUNCTION = {
    "name": "get_weather",
    "parameters": {"type": "dict", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
BFCL = {"function": [FUNCTION], "ground_truth": [{"get_weather": {"city": ["rome"]}}], "category": "simple"}

ROWS = [
    # expectation, completions that fulfil it, completions that do not, a part of the reason
    ({"calls": [ROME]}, [CALL], [called("get_weather", city="Oslo")], 'city is "Oslo", expected "Rome"'),
    ({"calls": [ROME]}, [CALL], [ANSWER], "no tool was called"),
    ({"calls": [ROME]}, [CALL, ANSWER], [TWO], "2 calls, expected 1"),
    ({"calls": [ROME]}, [CALL], [called("get_weather")], "argument 'city' is missing"),
    ({"calls": [ROME]}, [CALL], [called("get_weather", city="Rome", unit="c")], "unexpected argument 'unit'"),
    ({"calls": [ROME]}, [CALL], [NOTE_CALL], "called 'send_note', expected \"get_weather\""),
    ({"calls": [{"name": {"regex": "get_.*"}}]}, [CALL], [NOTE_CALL], "expected a match of /get_.*/"),
    ({"calls": [{"name": {"any_of": ["a", "send_note"]}}]}, [NOTE_CALL], [CALL], '"a" or "send_note"'),
    ({"calls": [{"has_arguments": {"city": "Rome"}}]}, [called("get_weather", city="Rome", unit="c")], [NOTE_CALL], "argument 'city' is missing"),
    ({"calls": [{"arguments": {"city": {"regex": "(?i)rome"}}}]}, [called("get_weather", city="ROME")], [called("get_weather", city="Roma")], "expected a match of"),
    ({"calls": [{"arguments": {"city": {"any_of": ["Roma", "Rome"]}}}]}, [CALL], [called("get_weather", city="Oslo")], '"Roma" or "Rome"'),
    ({"calls": [{"arguments": {"to": {"subset": {"a": 1}}}}]}, [called("send_note", to={"a": 1, "b": 2})], [called("send_note", to={"a": 2})], "a value that contains"),
    ({"calls": [{"arguments": {"to": {"schema": {"minLength": 3}}}}]}, [NOTE_CALL], [called("send_note", to="Al")], "a value that matches the schema"),
    ({"calls": [{"arguments_schema": {"required": ["city"]}}]}, [CALL], [NOTE_CALL], "required argument 'city'"),
    ({"calls": [{**ROME, "optional": {"unit": "c"}}]}, [called("get_weather", city="Rome", unit="c")], [called("get_weather", city="Rome", unit="f")], 'unit is "f"'),
    ({"calls": [{**NOTE, "count": 2}]}, [NOTE_CALL + NOTE_CALL.replace("Ana", "Ben")], [NOTE_CALL], "1 call, expected 2"),
    ({"calls": [NOTE, ROME]}, [TWO], [CALL + CALL.replace("Rome", "Oslo")], "called 'get_weather', expected"),
    ({"calls": [ROME, NOTE], "in_order": True}, [TWO], [NOTE_CALL + CALL], "in another order"),
    ({"calls": [ROME], "allow_extra": True}, [TWO], [NOTE_CALL], "expected \"get_weather\""),
    ({"calls": [NOTE], "within": "turn", "allow_extra": True}, [CALL, NOTE_CALL], [CALL, ANSWER], "expected \"send_note\""),
    ({"no_call": True}, [ANSWER], [CALL], 'called get_weather(city="Rome")'),
    ({"no_call": True}, [ANSWER], [BROKEN], "1 call that could not be read"),
    ({"asks": True}, [QUESTION], [ANSWER], "no question in"),
    ({"asks": True}, ["你要哪个城市？"], [QUESTION + CALL], "expected a question"),
    ({"asks": "city|town"}, [QUESTION], ["Why?"], "does not match /city|town/"),
    ({"call_count": 2}, [TWO], [CALL], "1 call, expected 2"),
    ({"call_count": {"at_least": 1, "at_most": 1}}, [CALL], [TWO], "at most 1"),
    ({"call_count": {"at_least": 2}, "within": "turn"}, [CALL, NOTE_CALL], [CALL, ANSWER], "expected at least 2"),
    ({"tool_sequence": ["get_weather", "send_note"]}, [CALL, NOTE_CALL, ANSWER], [NOTE_CALL, CALL], "called send_note → get_weather"),
    ({"tool_sequence": ["send_note"], "allow_extra": True}, [CALL, NOTE_CALL], [CALL, ANSWER], "expected send_note"),
    ({"valid_calls": True}, [CALL], [called("get_weather", town="Rome")], "get_weather: "),
    ({"valid_calls": True}, [ANSWER], [called("fly")], "no tool 'fly' is offered"),
    ({"valid_calls": True}, [TWO], [BROKEN], "could not be read"),
    ({"answered": True}, [ANSWER], [CALL], "the turn ended without an answer"),
    ({"answered": True}, [CALL, ANSWER], [""], "the answer is empty"),
    ({"text_contains": "ROME"}, [ANSWER], [QUESTION], "'ROME' is not in"),
    ({"text_contains": ["Rome", "21"]}, [CALL, ANSWER], ["Rome"], "'21' is not in"),
    ({"text_matches": r"\b\d+ degrees"}, [ANSWER], ["21"], r"/\b\d+ degrees/"),
    ({"answer_schema": {"required": ["a"]}}, ['{"a": 1}'], ["{}"], "'a'"),
    ({"answer_schema": {}}, ["1"], [ANSWER], "not JSON"),
    ({"fixes_at_most": 0}, [CALL], [FIXED], "fixes, expected at most 0"),
    ({"rounds_at_most": 1}, [ANSWER], [CALL, ANSWER], "2 rounds, expected at most 1"),
    ({"seconds_at_most": 5}, [ANSWER], [CALL, CALL, CALL, ANSWER], "seconds, expected at most 5"),
    ({"tokens_at_most": len(ANSWER)}, [ANSWER], [ANSWER + "."], "tokens written, expected at most"),
    ({"prompt_tokens_at_most": 1000}, [ANSWER], None, ""),
    ({"prompt_tokens_at_most": 3}, None, [ANSWER], "prompt tokens, expected at most 3"),
    ({"cost_at_most": 1.0}, [ANSWER], None, ""),
    ({"cost_at_most": 1e-6}, None, [ANSWER], "US dollars, expected at most"),
    ({"bfcl": BFCL}, [CALL], [called("get_weather", city="Oslo")], "expected one of ['rome']"),
    ({"not": {"no_call": True}}, [CALL], [ANSWER], "not expected: no tool was called"),
    ({"any_of": [{"no_call": True}, {"calls": [ROME]}]}, [CALL], [NOTE_CALL], "none holds"),
    ({"all_of": [{"no_call": True}, {"text_contains": "Rome"}]}, [ANSWER], [QUESTION], "'Rome' is not in"),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "good", "bad", "reason"), ROWS, ids=lambda value: str(value)[:60])
def test_an_expectation_holds_for_good_completions_and_fails_for_bad_ones(expected, good, bad, reason):
    if good is not None:
        scored = score(case(expected), rollout(*good, price=(1.0, 2.0)))
        assert scored.is_passed, scored.outcomes
        assert scored.outcomes[0].reason
    if bad is not None:
        scored = score(case(expected), rollout(*bad, price=(1.0, 2.0)))
        assert not scored.is_passed, scored.outcomes
        assert reason in scored.outcomes[0].reason


def test_the_verdict_of_a_judge_decides_whether_a_rubric_holds():
    rubric = {"judge": "It is polite."}
    for holds in (True, False):
        scored = score(
            case(rubric), rollout(ANSWER), {"It is polite.": RubricVerdict(holds, "It says please.", "big")}
        )
        assert scored.is_passed is holds
        assert scored.outcomes[0].reason == "big: It says please."


def test_every_kind_is_tested():
    tested = {kind for expected, *_ in (*ROWS, *CONVERSATIONS, *WORLDS) for kind in expected} | {
        "judge",
        "bfcl_conversation",
    }
    assert set(KINDS) <= tested


def test_a_maximum_cost_does_not_hold_if_the_cost_is_not_known():
    scored = score(case({"cost_at_most": 1.0}), rollout(ANSWER))
    assert not scored.is_passed
    assert "not known" in scored.outcomes[0].reason


def test_weights_and_a_threshold_let_a_case_pass_in_part():
    expectations = ({"calls": [ROME], "weight": 3}, {"text_contains": "snow"})
    run = rollout(CALL, ANSWER)
    assert not score(case(*expectations), run).is_passed
    scored = score(case(*expectations, threshold=0.75), run)
    assert (scored.is_passed, scored.share) == (True, 0.75)


def test_each_expected_call_needs_its_own_call():
    loose, tight = {"name": "get_weather"}, ROME
    both = CALL.replace("Rome", "Oslo") + CALL
    assert score(case({"calls": [loose, tight]}), rollout(both)).is_passed
    assert not score(case({"calls": [tight, tight]}), rollout(both)).is_passed
