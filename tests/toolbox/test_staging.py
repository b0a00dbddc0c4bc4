"""The catalog as one conversation sees it."""

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


def test_a_conversation_s_own_rules_answer_in_place_of_the_catalog_s_and_nowhere_else(catalog):
    assert answer(catalog, mocks={"get_flumbuster": [{"error": "out of order"}]}) == (
        {"error": "out of order"},
        "mock rule 1",
    )
    assert answer(catalog)[0]["reading"] == 31


def test_a_tool_that_the_catalog_does_not_have_can_be_mocked(catalog):
    call = ToolCall(name="fly", arguments={"to": "Rome"})
    assert answer(catalog, call, mocks={"fly": [{"result": {"ok": True}}]})[0] == {"ok": True}


def test_a_renamed_tool_answers_as_itself(catalog):
    call = ToolCall(name="flumbuster_get", arguments={"flumb": "cairo"})
    assert answer(catalog, call, originals={"flumbuster_get": "get_flumbuster"})[0]["reading"] == 31


def test_what_really_acts_does_not_act_under_another_name(catalog):
    call = ToolCall(name="file_write", arguments={"path": "x", "content": "y"})
    names = [entry.name for entry in catalog.registry.entries()]
    assert "write_file" in names
    given, rule = answer(catalog, call, originals={"file_write": "write_file"})
    assert (given, rule) == ({"echo": {"path": "x", "content": "y"}}, "no mock: arguments echoed")


def test_rules_that_cannot_be_used_are_told(catalog):
    with pytest.raises(BadInput, match=r"mocks of 'get_flumbuster'"):
        catalog.toolbox(ToolTask(staging=Staging(mocks={"get_flumbuster": [{"answer": 1}]})))
