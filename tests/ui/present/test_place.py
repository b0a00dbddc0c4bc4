"""Addresses of places on the page."""

import json
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInput
from workbench.ui.page import HEAD_SCRIPTS
from workbench.ui.present.place import (
    HOME,
    MAX_CHARS,
    NAMES,
    OLD,
    PLACES,
    names_for_browser,
    parse_place,
    write_place,
)
from workbench.ui.tabs.data.form import FILTERS, FIRST, read_filters
from workbench.ui.tabs.inspect import FIRST_KIND, read_kind


@pytest.mark.parametrize(
    ("query", "tab", "values"),
    [
        ("", "play", {}),
        ("?", "play", {}),
        ("?__theme=dark", "play", {}),
        ("?session=a&message=b", "play", {"session": "a", "message": "b"}),
        ("?tab=play&message=b&session=a", "play", {"session": "a", "message": "b"}),
        ("?shared=k", "play", {"shared": "k"}),
        ("?compare=c", "compare", {"compare": "c"}),
        ("?run=r&case=s%2Fone&arm=full", "suites", {"run": "r", "case": "s/one", "arm": "full"}),
        ("?label=x", "label", {"item": "x"}),
        ("?tab=contracts&contract=minimal&version=3", "contracts", {"contract": "minimal", "version": "3"}),
        ("?tab=contracts&session=a", "contracts", {}),
        ("?tab=data&verdict=right&tag=%20", "data", {"verdict": "right"}),
        ("?tab=models&tab=data", "models", {}),
    ],
)
def test_an_address_names_a_tab_and_what_it_shows(query: str, tab: str, values: dict[str, str]) -> None:
    place = parse_place(query)
    assert (place.tab, place.values) == (tab, values)


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("?tab=nowhere", "there is no such tab"),
        (f"?tab={'x' * 9000}", "there is no such tab"),
        ("?session=" + "x" * (MAX_CHARS + 1), "longer than 200 characters"),
        ("?session=a%00b", "cannot be shown"),
        ("?session=a%0Ab", "cannot be shown"),
        ("?" + "&".join(f"p{number}=1" for number in range(500)), "too many parameters"),
    ],
)
def test_an_address_that_cannot_be_used_says_why(query: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem) as error:
        parse_place(query)
    assert len(str(error.value)) < 250


_VALUES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=MAX_CHARS)


@given(st.data())
def test_what_is_written_is_parsed(data: st.DataObject) -> None:
    tab = data.draw(st.sampled_from(sorted(NAMES)))
    names = NAMES[tab].all
    values = data.draw(st.dictionaries(st.sampled_from(names), _VALUES)) if names else {}
    place = parse_place(write_place(tab, **values))
    assert (place.tab, place.values) == (tab, values)


@given(st.dictionaries(st.text(max_size=20), st.text(max_size=300), max_size=8))
def test_any_query_is_parsed_or_explained(given_values: dict[str, str]) -> None:
    try:
        place = parse_place(urlencode(given_values))
    except BadInput as error:
        assert error.where and error.problem
    else:
        assert set(place.values) <= set(NAMES[place.tab].all)


def test_an_address_has_no_parameters_of_other_tabs() -> None:
    with pytest.raises(ValueError, match="tool"):
        write_place("contracts", tool="x")


def test_the_browser_has_the_same_names() -> None:
    assert json.dumps(names_for_browser()) in "".join(HEAD_SCRIPTS)
    assert HOME in NAMES
    every_name = [name for names in NAMES.values() for name in names.all]
    assert set(OLD.values()) <= set(every_name) and not set(OLD) & set(every_name)


def test_each_tab_is_in_one_place() -> None:
    assert sorted(tab for tabs in PLACES.values() for tab in tabs) == sorted(NAMES)


def test_data_filters_that_do_not_exist_are_reported_and_left_out() -> None:
    assert set(FILTERS) == set(NAMES["data"].all)
    values, wrong = read_filters({"tag": "demo", "verdict": "nope", "rating": ""})
    assert values == {**FIRST, "tag": "demo"}
    assert wrong == ["The address names an unknown verdict: 'nope'."]


def test_options_of_inspect_that_do_not_exist_are_reported_and_left_out() -> None:
    assert {*FIRST_KIND, "toolset"} == set(NAMES["inspect"].all)
    values, wrong = read_kind({"level": "strict", "dialect": "<b>"}, "nonsense")
    assert values == {**FIRST_KIND, "level": "strict", "toolset": "nonsense"}
    assert wrong == ["The address names an unknown dialect: '<b>'."]


def test_the_documentation_lists_every_parameter() -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "addresses.md"
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\| `(\S+)` \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    documented = {tab: tuple(re.findall(r"`(\w+)`", names)) for tab, names, _ in rows}
    assert documented == {tab: names.all for tab, names in NAMES.items()}
    for tab, _, example in rows:
        place = parse_place(example)
        assert place.tab == tab
        assert write_place(tab, **place.values).replace("%2F", "/") == example


def test_the_script_sends_every_filter_of_an_address() -> None:
    script = Path(__file__).parents[3] / "workbench" / "ui" / "scripts" / "data" / "row_preview.js"
    found = re.search(r"const FILTERS = \[(.*?)\]", script.read_text(encoding="utf-8"), re.DOTALL)
    assert found and re.findall(r'"(\w+)"', found.group(1)) == list(FILTERS)
