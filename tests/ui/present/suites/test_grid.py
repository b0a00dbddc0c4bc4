"""What the fields of a run ask for."""

import pytest

from tests.store.runs import PLAN
from workbench.errors import BadInput
from workbench.suite.plan import ToolVariation
from workbench.ui.present.suites.grid import GridFields, read_grid, told_size

FIELDS = GridFields(
    suites=["nonsense"], contracts=["minimal", "full@2"], models=["embedded"], tool_choices=["auto", "required"],
    grammars=["on", "off"], further=["ablate", "renamed"], repeat=3, temperatures=["0", "0,7"], top_ps=["0.9"],
    seed=7, max_tokens=64, tags=["simple"], limit=None, timeout_s=9, judge=None,
)  # fmt: skip


def test_every_field_reaches_the_run():
    wanted = read_grid(FIELDS)
    assert wanted.contracts == ("minimal", "full@2")
    assert [(one.temperature, one.top_p, one.seed, one.max_tokens) for one in wanted.samplings] == [
        (0.0, 0.9, 7, 64),
        (0.7, 0.9, 7, 64),
    ]
    assert (wanted.constraints, wanted.is_ablation, wanted.variations) == (
        (True, False),
        True,
        (ToolVariation.RENAMED,),
    )
    assert (wanted.repeat, wanted.tags, wanted.limit, wanted.timeout_s, wanted.judge) == (
        3,
        ("simple",),
        None,
        9,
        "",
    )


@pytest.mark.parametrize(("limit", "wanted"), [(2, 2), (0, None), (None, None)])
def test_no_limit_plays_all(limit, wanted):
    assert read_grid(FIELDS._replace(limit=limit)).limit == wanted


def test_every_variation_can_be_chosen():
    wanted = read_grid(FIELDS._replace(further=[one.value for one in ToolVariation]))
    assert wanted.variations == tuple(ToolVariation)
    assert not wanted.is_ablation


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"suites": []}, "Suites: nothing is chosen"),
        ({"contracts": []}, "Contracts: nothing is chosen"),
        ({"models": []}, "Models: nothing is chosen"),
        ({"temperatures": []}, "Temperature: nothing is chosen"),
        ({"temperatures": ["hot"]}, "Temperature: 'hot' is no number"),
        ({"temperatures": ["9"]}, "not between 0 and 5"),
        ({"top_ps": ["nan"]}, "not between 0 and 1"),
        ({"repeat": 0}, "field 'plays of each case': 0 is less than 1"),
        ({"repeat": 1.5}, "field 'plays of each case': 1.5 .* whole number from 1 to 1,000"),
        ({"seed": None}, "field 'seed of the first play': it is empty"),
        ({"max_tokens": 10**6}, "field 'tokens of a completion at most'"),
        ({"limit": -1}, "field 'cases at most, 0 for all': -1"),
        ({"timeout_s": None}, "field 'seconds a case may take': it is empty"),
    ],
)
def test_what_cannot_be_used_is_told_by_its_field(changes, told):
    with pytest.raises(BadInput, match=told):
        read_grid(FIELDS._replace(**changes))


def test_a_plan_says_how_much_it_is():
    assert told_size(PLAN) == "4 plays: 2 cases × 1 arm × 2"
