"""The table of render families."""

import pytest

from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES, family_named


def test_all_promised_families_are_there() -> None:
    promised = [
        "hermes-3",
        "nous-python",
        "qwen2.5",
        "qwen3",
        "qwen3-coder",
        "qwen3.6",
        "hermes-array",
        "hermes-lines",
    ]
    assert set(promised) <= set(FAMILIES)


def test_each_family_is_found_by_its_own_name() -> None:
    assert all(family_named(name).name == name for name in FAMILIES)


def test_an_unknown_family_is_bad_input_that_names_those_there_are() -> None:
    with pytest.raises(BadInput, match=r"family 'gpt': there is no such family \(use one of hermes-3, "):
        family_named("gpt")


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_the_tools_have_one_place_in_a_familys_text(family) -> None:
    assert family.system.tools_text.count("{tools}") == 1


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_a_sane_variant_exists_and_has_none_of_its_own(family) -> None:
    if family.sane_name is not None:
        assert family_named(family.sane_name).sane_name is None


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_a_completion_begins_in_a_thought_only_where_the_reader_is_told(family) -> None:
    assert family.thought_prompt in ("", "<think>\n")
