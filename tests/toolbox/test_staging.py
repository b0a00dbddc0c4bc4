"""Mock rules and renamed tools of one conversation."""

import json

import pytest

from tests.services import CHECKOUT
from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.entry import Staging, ToolTask

CALL = ToolCall(name="get_flumbuster", arguments={"flumb": "cairo"})


@pytest.fixture
def catalog():
    catalog = Catalog(CHECKOUT / "tools_catalog", packages=())
    yield catalog
    catalog.close()


def answer(catalog, call=CALL, **staging):
    run = catalog.toolbox(ToolTask(staging=Staging(**staging))).run(call)
    return json.loads(run.result.text), run.rule


def test_the_rules_of_a_conversation_replace_those_of_the_catalog_only_there(catalog):
    assert answer(catalog, mocks={"get_flumbuster": [{"error": "out of order"}]}) == (
        {"error": "out of order"},
        "mock rule 1",
    )
    assert answer(catalog)[0]["reading"] == 31


def test_a_tool_that_is_not_in_the_catalog_can_be_mocked(catalog):
    call = ToolCall(name="fly", arguments={"to": "Rome"})
    assert answer(catalog, call, mocks={"fly": [{"result": {"ok": True}}]})[0] == {"ok": True}


def test_a_renamed_mock_tool_answers_like_the_original(catalog):
    call = ToolCall(name="flumbuster_get", arguments={"flumb": "cairo"})
    assert answer(catalog, call, originals={"flumbuster_get": "get_flumbuster"})[0]["reading"] == 31


def test_a_tool_with_code_does_not_run_under_another_name(catalog):
    call = ToolCall(name="file_write", arguments={"path": "x", "content": "y"})
    names = [entry.name for entry in catalog.registry.entries()]
    assert "write_file" in names
    result, rule = answer(catalog, call, originals={"file_write": "write_file"})
    assert (result, rule) == ({"echo": {"path": "x", "content": "y"}}, "no mock: arguments echoed")


def test_invalid_rules_are_reported(catalog):
    with pytest.raises(BadInput, match=r"mocks of 'get_flumbuster'"):
        catalog.toolbox(ToolTask(staging=Staging(mocks={"get_flumbuster": [{"answer": 1}]})))
