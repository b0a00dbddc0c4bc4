"""The file that the Tools tab shows is the whole file of the toolset, with the edited tool in it."""

import pytest
import yaml

from tests.services import CHECKOUT, services_for
from workbench.records.versions import NewVersion, VersionKind
from workbench.toolbox.catalog_file import parse_toolset
from workbench.toolbox.entry import ToolDraft
from workbench.ui.tabs.tools.edit_events import file_text

SPEC = '{"name": "f", "description": "F.", "parameters": {"type": "object", "properties": {}}}'
SHIPPED = (CHECKOUT / "tools_catalog/nonsense.yaml").read_text(encoding="utf-8")


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        yield services


def names(text):
    return [tool.spec.name for tool in parse_toolset(text, where="file").tools]


def test_an_edited_tool_is_shown_among_the_others_of_its_toolset(services):
    draft = services.studio.open_tool("get_flumbuster")
    edited = ToolDraft(spec_text=draft.spec_text, rules_text="- result: {reading: 99}")
    text = file_text(services, edited, "nonsense")
    assert names(text) == names(SHIPPED) and len(names(text)) > 1
    tools = {tool["function"]["name"]: tool for tool in yaml.safe_load(text)["tools"]}
    shipped = {tool["function"]["name"]: tool for tool in yaml.safe_load(SHIPPED)["tools"]}
    assert tools.pop("get_flumbuster")["mocks"] == [{"result": {"reading": 99}}]
    assert shipped.pop("get_flumbuster") and tools == shipped


def test_an_unchanged_tool_shows_the_file_as_it_is(services):
    assert file_text(services, services.studio.open_tool("get_flumbuster"), "nonsense") == SHIPPED


def test_a_new_tool_is_added_to_the_newest_version_of_the_toolset(services):
    saved = services.studio.merged_text(ToolDraft(spec_text=SPEC), toolset="own", before=None)
    services.versions.save(NewVersion(kind=VersionKind.TOOLS, name="own", text=saved))
    assert names(file_text(services, ToolDraft(spec_text=SPEC.replace('"f"', '"g"')), "own")) == ["f", "g"]
    assert names(file_text(services, ToolDraft(spec_text=SPEC), "other")) == ["f"]


@pytest.mark.parametrize("spec", ["", "[]", "{", '{"name": 3}'])
def test_an_invalid_draft_shows_no_file(services, spec):
    assert file_text(services, ToolDraft(spec_text=spec), "nonsense") == ""


def test_a_tool_with_code_does_not_change_the_file(services):
    draft = services.studio.open_tool("calculate")
    assert file_text(services, draft, "nonsense") == SHIPPED
