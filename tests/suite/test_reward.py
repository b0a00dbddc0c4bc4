"""A reward is the score of the suite, for the same completions."""

import json

import pytest

from tests.services import services_for
from tests.suite.environments import COMPLETIONS, exported, scored_by_a_run
from tests.suite.rollouts import CALL, NOTE_CALL, case
from workbench.suite.reward import is_single_turn, reward, shape_of


@pytest.mark.slow
def test_200_completions_get_the_same_scores_by_the_reward_as_by_a_run(tmp_path):
    with services_for(tmp_path, *COMPLETIONS) as (services, _):
        scored = scored_by_a_run(services)
    rows = {
        row["id"]: row
        for row in map(json.loads, exported("trl", {"result": 1})["s_env/cases.jsonl"].splitlines())
    }
    assert len(scored) == 200 and len({share for _, _, share, _ in scored}) >= 3
    for key, completion, share, is_passed in scored:
        assert reward(rows[key], completion, shape_of({"result": 1})) == is_passed
        assert reward(rows[key], completion, shape_of({"arguments": 1})) == share


@pytest.mark.parametrize(
    ("part", "good", "bad"),
    [
        pytest.param("format", CALL, CALL.replace('"Rome"}}', '"Rome"},}'), id="format"),
        pytest.param("name", CALL, NOTE_CALL, id="name"),
        pytest.param("arguments", CALL, CALL.replace("Rome", "Oslo"), id="arguments"),
        pytest.param("result", CALL, NOTE_CALL, id="result"),
        pytest.param("no_needless_call", CALL, "It rains.", id="missing call"),
    ],
)
def test_each_part_of_a_reward_is_one_for_a_good_completion_and_zero_for_a_bad_one(part, good, bad):
    row = json.loads(exported("trl", {part: 1})["s_env/cases.jsonl"].splitlines()[0])
    assert (reward(row, good, shape_of({part: 1})), reward(row, bad, shape_of({part: 1}))) == (1, 0)
    assert (
        0 < reward(row, bad, shape_of({part: 1, "format": 1, "no_needless_call": 1})) < 1 or part == "format"
    )


@pytest.mark.parametrize("weights", [{}, {"nothing": 1}, {"result": 0}, {"result": 1, "name": -1}])
def test_a_reward_without_a_known_part_is_refused(weights):
    with pytest.raises(ValueError, match="positive weight"):
        shape_of(weights)


def test_cases_that_one_completion_does_not_decide_are_not_exported():
    assert is_single_turn(case({"call_count": 1}, {"any_of": [{"asks": True}, {"no_call": True}]}))
    for expected in ({"answered": True}, {"call_count": 1, "within": "turn"}, {"text_contains": "x"}):
        assert not is_single_turn(case(expected))
        assert not is_single_turn(case({"not": expected}))
