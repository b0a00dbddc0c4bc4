"""The page Explore opens with charts of what is stored, and of what went wrong in recorded sessions."""

from dataclasses import replace
from pathlib import Path

from tests.exchanges import SETUP, Agent, answered, said
from tests.services import services_for
from tests.ui.requests import page_request
from workbench.ui.present.data import RowsView
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.data.form import Jobs
from workbench.ui.tabs.data.look_events import LookEvents

UNKNOWN = '<tool_call>\n{"name": "get_wether", "arguments": {"city": "Rome"}}\n</tool_call>'


def test_the_tab_shows_the_problems_of_recorded_sessions(tmp_path: Path) -> None:
    with services_for(tmp_path, "Hello.") as (services, play):
        play("Hi")
        events = LookEvents(services, Jobs())
        before = events.on_open(TabState(), page_request())
        assert isinstance(before, RowsView)
        assert [chart.title for chart in before.charts if "Problems" in chart.title] == []
        request = Agent(setup=replace(SETUP, model="one")).request(said("Weather in Rome?"))
        services.recordings.record("a" * 32, request, answered(UNKNOWN, engine_name="one"))
        after = events.on_open(TabState(), page_request())
        assert isinstance(after, RowsView)
        figures = {chart.title: {mark.category: mark.y for mark in chart.marks} for chart in after.charts}
    assert figures["Problems in recorded sessions"]["unknown-tool"] == 1
    assert figures["Problems by model"] == {"one": 1}
