"""The table of template families."""

import pytest

from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES, family_named


def test_all_documented_families_exist() -> None:
    documented = [
        "hermes-3",
        "nous-python",
        "qwen2.5",
        "qwen3",
        "qwen3-coder",
        "qwen3.5",
        "qwen3.6",
        "hermes-array",
        "hermes-lines",
    ]
    assert set(documented) <= set(FAMILIES)


def test_each_family_is_found_by_its_name() -> None:
    assert all(family_named(name).name == name for name in FAMILIES)


def test_the_error_for_an_unknown_family_lists_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"family 'gpt': there is no such family \(use one of hermes-3, "):
        family_named("gpt")


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_the_tools_text_of_a_family_has_one_placeholder(family) -> None:
    assert family.system.tools_text.count("{tools}") == 1


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_a_sane_variant_exists_and_has_no_variant_itself(family) -> None:
    if family.sane_name is not None:
        assert family_named(family.sane_name).sane_name is None


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_a_thought_prompt_is_empty_or_opens_a_thought(family) -> None:
    assert family.thought_prompt in ("", "<think>\n")
