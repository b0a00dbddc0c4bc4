"""The three parts of a suite, and what the final test says."""

import json

import pytest

from workbench.errors import BadInput
from workbench.suite.improve.outcome import lowest_difference
from workbench.suite.read_suite import parse_suite
from workbench.suite.suite_split import family_of, split_cases


def cases_of(*entries):
    return parse_suite(json.dumps({"suite": "s", "cases": list(entries)}), name="s").cases


def entry(number, *, expects_call=True):
    expected = {"calls": [{"name": "look", "arguments": {}}]} if expects_call else {"no_call": True}
    return {"id": str(number), "prompt": f"Request {number}", "expect": [expected]}


def test_a_family_stays_in_one_part_and_each_part_has_each_kind():
    template = {
        "id": "t-{{ city }}",
        "prompt": "Weather in {{ city }}?",
        "rows": [{"city": city} for city in ("Rome", "Oslo", "Lima", "Cairo")],
        "expect": [{"call_count": 1}],
    }
    cases = cases_of(template, *(entry(n, expects_call=n % 2 == 0) for n in range(24)))
    parts = split_cases(cases, 0)
    named = (set(parts.search), set(parts.choose), set(parts.kept))
    assert sum(map(len, named)) == len(set().union(*named)) == len(cases)
    assert len({family_of(case) for case in cases[:4]}) == 1
    assert [len(part & {case.key for case in cases[:4]}) for part in named].count(4) == 1
    for part in named:
        kinds = {int(key.split("/")[1]) % 2 for key in part if key.split("/")[1].isdigit()}
        assert kinds == {0, 1}


def test_the_split_depends_on_the_seed_alone():
    cases = cases_of(*map(entry, range(12)))
    assert split_cases(cases, 1) == split_cases(cases, 1)
    assert any(split_cases(cases, 0) != split_cases(cases, seed) for seed in range(1, 5))


def test_a_suite_of_few_families_is_refused():
    with pytest.raises(BadInput, match="at least 6"):
        split_cases(cases_of(*map(entry, range(5))), 0)


@pytest.mark.parametrize(
    ("better", "worse", "total", "lowest"),
    [
        pytest.param(0, 0, 20, -0.0748, id="20 equal pairs prove nothing"),
        pytest.param(0, 0, 200, -0.0081, id="200 equal pairs are"),
        pytest.param(10, 0, 20, 0.2646, id="10 of 20 fixed"),
    ],
)
def test_the_lower_bound_of_a_paired_difference(better, worse, total, lowest):
    assert lowest_difference(better, worse, total) == pytest.approx(lowest, abs=0.001)
