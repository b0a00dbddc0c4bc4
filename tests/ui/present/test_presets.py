"""The setup that the browser stores, the list of presets, and a field per variable."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.ui.present.test_setup import SETUP
from workbench.contract.contract import parse_contract
from workbench.records.presets import ListedPreset
from workbench.records.run_config import RunConfig
from workbench.rollout.sampling import Sampling
from workbench.settings import read_settings
from workbench.toolbox.catalog import Catalog
from workbench.toolspec.tools_text import render_tools
from workbench.ui.present.presets import defaults_key, show_presets, stored_setup
from workbench.ui.present.setup import show_setup
from workbench.ui.present.variables import VariableField, show_variable_fields

SETTINGS = read_settings({})
CATALOG = Catalog(Path(__file__).parents[3] / "tools_catalog")
TOOLS = render_tools(CATALOG.select(["weather", "calendar"]))
DEFAULT = RunConfig(contract_name="c", contract_text="t", tools_text="[]")


def stored(setup, disabled=(), **changes):
    """Return the JSON that the browser stores."""
    values = {**show_setup(setup), "disabled_tools": list(disabled)}
    form = values.pop("sampling").values
    return json.dumps({**values, **form, "defaults": defaults_key(SETTINGS), **changes})


def test_a_stored_setup_is_read_as_it_was():
    setup = replace(SETUP, tools_text=TOOLS, disabled_tools=frozenset({"get_weather"}))
    assert stored_setup(stored(setup, ["get_weather", "gone", 5]), DEFAULT, SETTINGS) == setup


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{", '{"model": "x"}', stored(SETUP, defaults="[]"), '{"defaults": 1}', "9" * 5000],
)
def test_without_a_setup_for_these_defaults_the_default_is_used(text):
    assert stored_setup(text, DEFAULT, SETTINGS) == DEFAULT


def test_an_invalid_field_has_its_default():
    text = stored(
        SETUP, contract_text=5, max_rounds="many", temperature=None, variables="x", seed=8, stop=[1]
    )
    found = stored_setup(text, DEFAULT, SETTINGS)
    assert (found.contract_text, found.max_rounds, found.variables) == ("t", 8, {})
    assert found.sampling == replace(
        SETUP.sampling, temperature=Sampling().temperature, seed=8, stop=("[1]",)
    )


def test_presets_have_addresses():
    preset = ListedPreset(
        id="1", name="a & b", contract_name="c", model="m", updated_at=datetime(2026, 1, 1, tzinfo=UTC)
    )
    [line] = show_presets([preset], SETTINGS).presets
    assert (line.link, line.shared_link, line.note) == ("?preset=a+%26+b", "", "c · m")
    [line] = show_presets([replace(preset, share_key="k")], SETTINGS).presets
    assert line.shared_link == "?shared_preset=k"


@pytest.mark.parametrize(
    "names", [("weather",), ("weather", "calendar"), ("calendar", "weather"), ("office",), ("mail", "search")]
)
def test_the_toolsets_of_a_text_are_found(names):
    assert CATALOG.toolsets_of(render_tools(CATALOG.select(names))) == names


def test_a_text_with_other_tools_has_no_toolsets():
    weather = render_tools(CATALOG.select(["weather"]))
    for text in ("[]", "{", weather.replace("city", "town"), '[{"name": "x"}]'):
        assert CATALOG.toolsets_of(text) == ()


CONTRACT = parse_contract(
    "---\ntitle: A\nfamily: hermes-lines\nvariables:\n  tone: plain\n  city: ''\n---\n"
    "{{ date }} {{ tone }}\n{{ city }} {{ toen }} {{ tools }}",
    name="a",
)


def test_each_variable_has_a_field_that_says_what_is_wrong():
    fields = show_variable_fields(CONTRACT, {"tone": "formal", "place": "x"}).fields
    assert fields == (
        VariableField(name="tone", default="plain"),
        VariableField(name="city", default="", problem="No value and no default: it is replaced by nothing."),
        VariableField(
            name="toen",
            default="",
            problem="Line 9 uses it, but the contract does not declare it (did you mean 'tone'?).",
            is_declared=False,
        ),
        VariableField(
            name="place",
            default="",
            problem="The contract does not declare it (remove it).",
            is_declared=False,
        ),
    )
