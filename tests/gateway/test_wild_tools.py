"""A request with unusual tools is answered; what is unusual, and what is left out, is in the answer."""

import pytest

from tests.gateway.serving import gateway_over
from tests.toolspec.wild import GOOD, LEFT_OUT, WILD

CALL = '<tool_call>\n{"name": "good", "arguments": {"n": "1"}}\n</tool_call>'


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    with gateway_over(tmp_path_factory.mktemp("gateway"), *[CALL] * (len(WILD) + 3)) as served:
        yield served


@pytest.mark.parametrize("name", WILD)
def test_a_request_with_a_wild_tool_is_answered_and_its_neighbour_is_checked(gateway, name):
    row = WILD[name]
    response = gateway.chat(tools=[row.tool, GOOD])
    assert response.status_code == 200, response.text
    hermes = response.json()["hermes"]
    assert set(row.codes) <= set(hermes["findings"])
    reported = {entry["code"] for entry in hermes.get("tools", ()) if entry["severity"] != "note"}
    assert reported == set(row.codes)
    is_left_out = any(entry["severity"] == "error" for entry in hermes.get("tools", ()))
    assert is_left_out == (LEFT_OUT in row.codes)
    [called] = response.json()["choices"][0]["message"]["tool_calls"]
    assert called["function"] == {"name": "good", "arguments": '{"n": 1}'}


@pytest.mark.parametrize("tools", ["get_weather", {"name": "f"}, [5], ["f"]])
def test_only_a_list_that_holds_no_tools_is_refused(gateway, tools):
    response = gateway.chat(tools=tools)
    assert response.status_code == 400 and response.json()["error"]["param"].startswith("tools")


def test_of_two_tools_with_one_name_the_first_counts(gateway):
    response = gateway.chat(tools=[GOOD, GOOD])
    assert response.status_code == 200
    assert response.json()["hermes"]["findings"] == ["spec-declared-twice"]
