"""Saved toolsets replace their files for their owner."""

import json
from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.records.owner import Owner
from workbench.records.versions import NewVersion, VersionKind
from workbench.toolbox.entry import ToolDraft
from workbench.ui.tabs.tools.edit_events import is_run_by_code

CALL = '<tool_call>\n{"name": "%s", "arguments": {"flumb": "cairo"}}\n</tool_call>'


def save(services, draft, toolset):
    found = services.versions.find(VersionKind.TOOLS, toolset)
    text = services.studio.merged_text(draft, toolset=toolset, before=found.text if found else None)
    services.versions.save(NewVersion(kind=VersionKind.TOOLS, name=toolset, text=text))


def test_a_saved_tool_answers_with_its_own_rules(tmp_path):
    with services_for(tmp_path, CALL % "get_flumbuster", "Done.") as (services, play):
        assert services.saved_toolsets() == {}
        assert services.tools is services.catalog
        draft = services.studio.open_tool("get_flumbuster")
        save(services, replace(draft, rules_text="- result: {mine: 1}"), "nonsense")
        assert list(services.saved_toolsets()) == ["nonsense"]
        names = services.tools.select(("nonsense",)).names
        assert names == services.catalog.select(("nonsense",)).names
        path = services.sessions.path(play("go"))
        results = [json.loads(stored.message.text) for stored in path if stored.message.role is Role.TOOL]
        assert results == [{"mine": 1}]
        reopened = services.studio.open_tool("get_flumbuster", services.saved_toolsets())
        assert "mine: 1" in reopened.rules_text
        services.versions.restore(services.versions.find(VersionKind.TOOLS, "nonsense", "1").id)
        assert services.saved_toolsets() == {}


def test_a_visitor_s_saved_tools_are_offered_to_nobody_else(tmp_path):
    with services_for(tmp_path, "Hi.") as (services, _):
        ann = replace(services, owner=Owner(key="ann"))
        save(
            ann, ToolDraft(spec_text='{"name": "anns", "description": "D."}', rules_text="- result: 1"), "own"
        )
        assert ann.tools.select(("own",)).names == ("anns",)
        with pytest.raises(BadInput, match="own"):
            services.tools.select(("own",))


def test_an_unusable_saved_toolset_is_reported_and_the_file_is_used(tmp_path):
    with services_for(tmp_path, "Hi.") as (services, _):
        conflicting = "toolset: other\ntools:\n- function: {name: get_flumbuster, description: D.}\n"
        for name, text in (("nonsense", "tools: 3"), ("other", conflicting)):
            services.versions.save(NewVersion(kind=VersionKind.TOOLS, name=name, text=text))
        problems = [
            line for line in services.tools.problems() if "saved toolset" in line or "'other'" in line
        ]
        assert len(problems) == 2
        assert services.tools.select(("nonsense",)) == services.catalog.select(("nonsense",))


def test_a_tool_that_runs_code_cannot_be_redefined(tmp_path):
    with services_for(tmp_path, "Hi.") as (services, _):
        draft = services.studio.open_tool("calculate")
        assert is_run_by_code(services, draft)
        assert not is_run_by_code(services, replace(draft, rules_text="- result: 1"))
        with pytest.raises(BadInput, match="implemented in code"):
            is_run_by_code(
                services, replace(draft, spec_text='{"name": "calculate", "description": "Other."}')
            )


def test_a_turn_has_the_same_tools_to_its_end_and_reads_them_once(tmp_path):
    draft = ToolDraft(spec_text='{"name": "late", "description": "D."}', rules_text="- result: 1")
    with services_for(tmp_path, "Hi.") as (services, _), services.at_work() as counted:
        before = counted.tools
        save(services, draft, "lately")
        assert counted.tools is before
        assert services.tools.select(("lately",)).names == ("late",)
        guest = replace(counted, owner=Owner(key="ann"))
        assert guest.tools is not before
