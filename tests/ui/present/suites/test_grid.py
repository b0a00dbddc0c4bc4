"""The form of a run."""

import pytest

from tests.store.runs.examples import PLAN
from workbench.errors import BadInput
from workbench.suite.plan import ToolVariation
from workbench.ui.present.suites.grid import GridFields, plan_size, read_grid

FIELDS = GridFields(
    suites=["nonsense"], contracts=["minimal", "full@2"], models=["embedded"], tool_choices=["auto", "required"],
    grammars=["on", "off"], further=["ablate", "renamed"], repeat=3, temperatures=["0", "0,7"], top_ps=["0.9"],
    seed=7, max_tokens=64, tags=["simple"], limit=None, timeout_s=9, judge=None, person="",
)  # fmt: skip


def test_every_field_reaches_the_request():
    request = read_grid(FIELDS)
    assert request.contracts == ("minimal", "full@2")
    assert [
        (sampling.temperature, sampling.top_p, sampling.seed, sampling.max_tokens)
        for sampling in request.samplings
    ] == [
        (0.0, 0.9, 7, 64),
        (0.7, 0.9, 7, 64),
    ]
    assert (request.constraints, request.is_ablation, request.variations) == (
        (True, False),
        True,
        (ToolVariation.RENAMED,),
    )
    assert (request.repeat, request.tags, request.limit, request.timeout_s, request.judge) == (
        3,
        ("simple",),
        None,
        9,
        "",
    )


@pytest.mark.parametrize(("limit", "expected"), [(2, 2), (0, None), (None, None)])
def test_without_a_limit_all_cases_run(limit, expected):
    assert read_grid(FIELDS._replace(limit=limit)).limit == expected


def test_every_variation_can_be_selected():
    request = read_grid(FIELDS._replace(further=[variation.value for variation in ToolVariation]))
    assert request.variations == tuple(ToolVariation)
    assert not request.is_ablation


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"suites": []}, "Suites: nothing is selected"),
        ({"contracts": []}, "Contracts: nothing is selected"),
        ({"models": []}, "Models: nothing is selected"),
        ({"temperatures": []}, "Temperature: nothing is selected"),
        ({"temperatures": ["hot"]}, "Temperature: 'hot' is not a number"),
        ({"temperatures": ["9"]}, "not between 0 and 5"),
        ({"top_ps": ["nan"]}, "not between 0 and 1"),
        ({"repeat": 0}, "field 'repetitions': 0 is less than 1"),
        ({"repeat": 1.5}, "field 'repetitions': 1.5 .* whole number from 1 to 1,000"),
        ({"seed": None}, "field 'first seed': it is empty"),
        ({"max_tokens": 10**6}, "field 'max tokens'"),
        ({"limit": -1}, "field 'max cases .0 for all.': -1"),
        ({"timeout_s": None}, "field 'timeout per case in seconds': it is empty"),
    ],
)
def test_an_invalid_field_is_reported_with_its_name(changes, message):
    with pytest.raises(BadInput, match=message):
        read_grid(FIELDS._replace(**changes))


def test_a_plan_shows_its_size():
    assert plan_size(PLAN) == (
        "4 case runs: 2 cases × 1 arm × 2 repetitions. 4 repetitions per arm can show a difference of 100 points or more (80 % power)."
    )


def test_a_person_and_faults_reach_the_request():
    request = read_grid(FIELDS._replace(person="embedded", further=["faults"]))
    assert (request.person, str(request.faults)) == ("embedded", "tool faults 20%")
