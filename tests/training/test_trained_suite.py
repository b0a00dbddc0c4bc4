"""The suite of requests over tools in training."""

from collections import Counter

import pytest

from scripts.trained_suite import suite_document
from workbench.suite.read_suite import parse_suite
from workbench.suite.suite_split import split_cases
from workbench.toolspec.yaml_text import dump_yaml
from workbench.training.everyday.family import FamilySplit
from workbench.training.everyday.family_files import families_of


def names_of(split):
    return {
        tool.spec.name for family in families_of(split) for variant in family.variants for tool in variant
    }


@pytest.mark.slow
def test_sixty_requests_over_tools_in_training():
    text = dump_yaml(suite_document(60, 43))
    cases = parse_suite(text, name="trained").cases
    assert Counter(case.tags for case in cases) == {
        ("single",): 36, ("parallel",): 8, ("missing",): 8, ("near_miss",): 8,
    }  # fmt: skip
    used = {spec["function"]["name"] for case in cases for spec in case.tool_specs}
    assert used <= names_of(FamilySplit.TRAIN)
    assert dump_yaml(suite_document(60, 43)) == text
    parts = split_cases(cases, 0)
    assert len(parts.search) + len(parts.choose) + len(parts.kept) == 60
