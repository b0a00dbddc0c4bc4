"""Names of versions and references to them."""

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from workbench.errors import BadInput
from workbench.records.versions import Reference, VersionKind, check_name, check_tag, parse_reference


@pytest.mark.parametrize(
    ("text", "kind", "name", "which"),
    [
        ("minimal", None, "minimal", ""),
        ("minimal@3", None, "minimal", "3"),
        ("contract:hermes-3@production", VersionKind.CONTRACT, "hermes-3", "production"),
        ("tools:my tools@3f2a", VersionKind.TOOLS, "my tools", "3f2a"),
    ],
)
def test_a_reference_is_kind_name_and_which(text, kind, name, which):
    assert parse_reference(text) == Reference(kind=kind, name=name, which=which)


@pytest.mark.parametrize("text", ["", "@3", "tools:", "recipe:minimal", ":minimal"])
def test_a_reference_without_a_name_or_of_an_unknown_kind_is_refused(text):
    with pytest.raises(BadInput):
        parse_reference(text)


@pytest.mark.parametrize("name", ["minimal", "hermes-3", "my tools v2", "Größe", "a.b", "x"])
def test_file_names_are_valid_names(name):
    check_name(name)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "a\\b", "a:b", "a@b", ".hidden", "x ", "x\n", "x" * 101]
)
def test_a_name_that_is_not_a_file_name_everywhere_is_refused(name):
    with pytest.raises(BadInput):
        check_name(name)


@given(name=st.text(max_size=20))
def test_a_name_can_be_parsed_from_its_reference(name):
    try:
        check_name(name)
    except BadInput:
        reject()
    assert parse_reference(f"tools:{name}@v2") == Reference(kind=VersionKind.TOOLS, name=name, which="v2")


@pytest.mark.parametrize("tag", ["production", "candidate", "v3-rc.1", "A"])
def test_words_are_valid_tags(tag):
    check_tag(tag)


@pytest.mark.parametrize("tag", ["", "3", "v3", "a b", "-x", "a@b", "größe"])
def test_a_number_or_unusual_characters_are_not_a_tag(tag):
    with pytest.raises(BadInput):
        check_tag(tag)
