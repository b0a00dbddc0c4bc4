"""The Inspect tab's handlers."""

from types import SimpleNamespace

import pytest

from tests.services import services_for
from workbench.ui.present.examples import EXAMPLES
from workbench.ui.tabs.inspect import InspectEvents


@pytest.fixture
def events(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        yield InspectEvents(services)


@pytest.mark.parametrize("index", range(len(EXAMPLES)))
def test_an_example_brings_all_that_its_reading_needs(events, index):
    text, toolset, tools, dialect, level, finish_reason, starts_in_thought = events.on_example(
        SimpleNamespace(index=index)
    )
    assert (text, toolset) == (EXAMPLES[index].text, "nonsense")
    read, calls, *_ = events.on_read(text, tools, dialect, level, finish_reason, starts_in_thought)
    assert read.sections
    assert {"unknown tool", "invalid arguments"}.isdisjoint(
        call.status.partition(" · ")[0] for call in calls.calls
    )


def test_a_toolset_fills_the_editor_and_none_empties_it(events):
    assert "get_flumbuster" in events.on_toolset("nonsense")
    assert events.on_toolset("") == ""
    assert events.on_toolset(None) == ""


def test_clearing_brings_the_examples_back(events):
    read, calls, _, differ, _ = events.on_read(events.on_clear(), "", "auto", "tolerant", "stop", False)
    assert (read.sections, calls.calls, differ.rows) == ((), (), ())
