"""Disguises: other names and shapes of everyday tools, and rows with them that are as valid as the others."""

import json
from collections import Counter

import pytest

from tests.training.rows import contracts, read
from workbench.hermes.parse import parse
from workbench.toolspec.check import check_arguments
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.training.everyday.disguise import DISGUISES, disguised, masked, words_of
from workbench.training.everyday.drawing import is_complete
from workbench.training.everyday.family import FamilySplit
from workbench.training.everyday.family_files import families_of
from workbench.training.everyday.rows import EverydayOptions, words_of_split
from workbench.training.synth.conversations import synth_rows
from workbench.training.synth.words import Dice
from workbench.trajectory.validate.check import RowsCheck

WORDS = words_of_split(FamilySplit.TRAIN)


@pytest.fixture(scope="module")
def families():
    """Loading them takes seconds, so it is not done when tests are collected."""
    return families_of(FamilySplit.TRAIN)


@pytest.fixture(scope="module")
def all_disguises(families):
    return [
        (family, variant, disguised(family, place, number, WORDS))
        for family in families
        for place, variant in enumerate(family.variants)
        for number in range(DISGUISES)
    ]


@pytest.mark.slow
def test_every_disguised_tool_has_a_name_of_its_own(families, all_disguises):
    names = Counter(tool.name for _, _, tools in all_disguises for tool in tools)
    assert [name for name, count in names.items() if count > 1] == []
    assert not names.keys() & {
        tool.name for family in families for variant in family.variants for tool in variant
    }


def test_disguises_differ_and_are_the_same_each_time(families):
    family = families[0]
    schemas = {
        json.dumps(disguised(family, 0, number, WORDS)[0].spec.document["function"]["parameters"])
        for number in range(DISGUISES)
    }
    assert len(schemas) > DISGUISES / 2
    assert disguised(family, 0, 3, WORDS) == disguised(family, 0, 3, WORDS)


@pytest.mark.slow
def test_a_disguise_still_fits_requests_of_its_family(all_disguises):
    for family, variant, tools in all_disguises:
        for tool, own in zip(tools, variant, strict=True):
            before, after = (
                sum(is_complete(one, request) for request in family.requests) for one in (own, tool)
            )
            assert after >= min(before, 4), (family.name, tool.name)


def flat(params):
    for param in params:
        yield param
        yield from flat(param.members)


def test_parameters_with_an_invented_name_are_described(families, all_disguises):
    known = {
        tuple(words_of(param.name))
        for family in families
        for variant in family.variants
        for tool in variant
        for param in flat(tool.params)
    }
    invented = [
        param
        for _, _, tools in all_disguises
        for tool in tools
        for param in flat(tool.params)
        if param.slot and tuple(words_of(param.name)) not in known
    ]
    assert len(invented) > 1000
    assert [param.name for param in invented if not param.schema.get("description")] == []


@pytest.fixture(scope="module")
def rows():
    options = EverydayOptions(split=FamilySplit.TRAIN, contracts=contracts("minimal"), disguised=1.0)
    return list(synth_rows(5, 150, options))


@pytest.mark.slow
def test_rows_with_disguised_tools_have_no_problems_and_their_calls_fit(rows):
    check = RowsCheck()
    assert [finding for row in rows for finding in check.check(read(row))] == []
    calls = 0
    for row in rows:
        tools = OfferedTools(
            specs=tuple(ToolSpec(document=document) for document in json.loads(row["tools"]))
        )
        for turn in row["conversations"]:
            if turn["from"] != "gpt":
                continue
            for call in parse(turn["value"], tools=tools).calls:
                calls += 1
                assert not check_arguments(tools.by_name[call.name], call.arguments), call
    assert calls > 100


@pytest.mark.slow
def test_a_masked_tool_has_a_name_without_a_meaning_and_keeps_its_description(families):
    options = EverydayOptions(
        split=FamilySplit.TRAIN, contracts=contracts("minimal"), kinds=(("near_miss", 1.0),), most_tools=1,
        most_exchanges=1, masked=1.0,
    )  # fmt: skip
    described = {
        tool.spec.description: words_of(tool.name)
        for family in families
        for variant in family.variants
        for tool in variant
    }
    rows = list(synth_rows(5, 60, options))
    named = [
        (tool["function"]["name"], tool["function"]["description"])
        for row in rows
        for tool in json.loads(row["tools"])
    ]
    assert len(named) >= 60
    for name, description in named:
        known = set(described[description])
        assert not description or known.isdisjoint(words_of(name)), (name, description)
    assert not any(
        "<tool_call>" in turn["value"]
        for row in rows
        for turn in row["conversations"]
        if turn["from"] == "gpt"
    )


def test_no_two_masked_tools_have_the_same_name(families):
    variant = next(
        variant for family in families for variant in family.variants if variant[0].spec.description
    )
    words, dice = words_of_split(FamilySplit.TRAIN), Dice("masks")
    names = [masked(dice, variant, words)[0].name for _ in range(20_000)]
    assert len(set(names)) == len(names)


def test_without_disguises_rows_are_as_before():
    options = EverydayOptions(split=FamilySplit.TEST, contracts=contracts("minimal"))
    named = {
        tool.name
        for family in families_of(FamilySplit.TEST)
        for variant in family.variants
        for tool in variant
    }
    for row in synth_rows(5, 30, options):
        assert {document["function"]["name"] for document in json.loads(row["tools"])} <= named
