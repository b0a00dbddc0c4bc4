"""The API as programs use it: gradio_client with a real server."""

import json

import pytest
from gradio_client.exceptions import AppError

from tests.served import Server, served, write_script
from tests.ui.api.conftest import Connect
from workbench.app.passwords import hash_password

pytestmark = pytest.mark.slow

BROKEN = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo",}}\n</tool_call>'
FUNCTIONS = ["/chat", "/check", "/export", "/parse", "/render", "/run"]
ANN, BOB = {"x-workbench-key": "a" * 32}, {"x-workbench-key": "b" * 32}


def test_the_api_describes_six_functions_with_types(own_server: Server, connect: Connect) -> None:
    offered = connect(own_server).view_api(return_format="dict", print_info=False)
    assert isinstance(offered, dict)
    assert sorted(offered["named_endpoints"]) == FUNCTIONS
    assert offered["unnamed_endpoints"] == {}
    chat = offered["named_endpoints"]["/chat"]
    assert "Run one turn" in chat["description"]
    types = {
        parameter["parameter_name"]: parameter["python_type"]["type"] for parameter in chat["parameters"]
    }
    assert types["text"] == "str"
    assert "int" in types["max_tokens"]


def test_parse_reads_a_completion_at_the_chosen_level(own_server: Server, connect: Connect) -> None:
    client = connect(own_server)
    read = json.loads(client.predict(BROKEN, ["nonsense"], api_name="/parse"))
    assert read["calls"][0] | {"span": None} == {
        "name": "get_flumbuster",
        "arguments": {"flumb": "cairo"},
        "status": "ready",
        "span": None,
    }
    assert [fix["code"] for fix in read["fixes"]] == ["trailing-comma"]
    strict = json.loads(client.predict(text=BROKEN, level="strict", api_name="/parse"))
    assert strict["calls"] == [] and strict["dropped"] == 1


def test_render_returns_the_prompt_of_a_family(own_server: Server, connect: Connect) -> None:
    spec = {"name": "look_up", "parameters": {"type": "object", "properties": {}}}
    result = json.loads(
        connect(own_server).predict(
            [{"role": "user", "content": "Hi"}], family="qwen2.5", tools=[spec], api_name="/render"
        )
    )
    assert '"name": "look_up"' in result["prompt"]
    assert result["prompt"].endswith("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n")


def test_check_reports_the_place_of_each_finding(own_server: Server, connect: Connect) -> None:
    row = json.dumps(
        {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello."}]}
    )
    report = json.loads(connect(own_server).predict(f"{row}\nno row\n{row}", api_name="/check"))
    assert report["summary"]["rows"] == 3
    assert ("unreadable-row", 2) in [(finding["code"], finding["row"]) for finding in report["findings"]]
    double = next(finding for finding in report["findings"] if finding["code"] == "duplicate-row")
    assert (double["row"], double["message"]) == (3, "the same conversation as row 1")


def test_a_turn_is_run_saved_continued_and_exported(own_server: Server, connect: Connect) -> None:
    client = connect(own_server)
    first = json.loads(client.predict("What is the reading for cairo?", tools=["nonsense"], api_name="/chat"))
    assert [call["name"] for call in first["calls"]] == ["get_flumbuster"]
    assert first["answer"] == "It is 31 °C."
    again = json.loads(client.predict("And now?", session=first["session"], api_name="/chat"))
    assert again["session"] == first["session"]
    assert len(own_server.path(first["session"])) == len(again["messages"]) > len(first["messages"])
    result = json.loads(client.predict(sessions=[first["session"]], format="openai", api_name="/export"))
    assert len(result["rows"]) == 1 and result["left_out"] == []
    assert result["rows"][0]["messages"][2]["tool_calls"][0]["function"]["name"] == "get_flumbuster"


def test_a_suite_is_run_and_reported(own_server: Server, connect: Connect) -> None:
    report = json.loads(connect(own_server).predict(["nonsense"], limit=2, api_name="/run"))
    assert (report["total"], report["state"], len(report["results"])) == (2, "done", 2)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        ("/parse", {"text": "x", "tools": ["/etc/passwd"]}, "no toolset or tool has this name"),
        ("/parse", {"text": "x", "level": "bad"}, "level: must be 'strict'"),
        ("/parse", {"text": 7}, "text: must be a text"),
        ("/render", {"messages": [{"role": "user", "content": "x"}], "family": "none"}, "'none'"),
        ("/check", {"rows": "{}", "format": "none"}, "'none'"),
        ("/chat", {"text": "x", "session": "none"}, "there is no such session"),
        ("/chat", {"text": "x", "contract": "none"}, "'none'"),
        ("/export", {"sessions": ["none"]}, "no such session"),
        ("/export", {"format": "none"}, "'none'"),
        ("/run", {"suites": ["none"]}, "no such suite"),
    ],
)
def test_an_invalid_call_is_an_error_of_one_line(
    own_server: Server, connect: Connect, function: str, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(AppError, match=message) as caught:
        connect(own_server).predict(**arguments, api_name=function)
    assert "\n" not in str(caught.value)


def test_callers_of_a_space_cannot_see_each_others_data(space_server: Server, connect: Connect) -> None:
    ann, bob, nobody = (connect(space_server, headers=key) for key in (ANN, BOB, {}))
    session = json.loads(ann.predict("Ann's question", api_name="/chat"))["session"]
    assert len(json.loads(ann.predict(api_name="/export"))["rows"]) == 1
    for other in (bob, nobody):
        assert json.loads(other.predict(api_name="/export")) == {"rows": [], "left_out": []}
        with pytest.raises(AppError, match="there is no such session"):
            other.predict("Mine?", session=session, api_name="/chat")
    json.loads(nobody.predict("Nobody's question", api_name="/chat"))
    assert json.loads(nobody.predict(api_name="/export")) == {"rows": [], "left_out": []}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": "/etc/passwd"}, "there is no such model here"),
        ({"model": "scripted:/etc/passwd"}, "there is no such model here"),
        ({"model": "embedded+/etc/passwd"}, "there is no such model here"),
        ({"model": "hf:owner/name/file.gguf+/etc/passwd"}, "there is no such model here"),
        ({"model": "zerogpu:hf:owner/name/file.gguf+/etc/passwd"}, "there is no such model here"),
        ({"max_tokens": 100_000}, "at most 2,048 are allowed"),
        ({"max_rounds": 99}, "at most 8 are allowed"),
        ({"text": "x" * 200_001}, "200,001 characters; at most 200,000 are allowed"),
    ],
)
def test_the_limits_of_a_space_apply_to_programs(
    space_server: Server, connect: Connect, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(AppError, match=message):
        connect(space_server, headers=ANN).predict(**{"text": "x", **arguments}, api_name="/chat")


def test_a_run_on_a_space_is_limited(space_server: Server, connect: Connect) -> None:
    with pytest.raises(AppError, match="case runs; at most 200 are allowed"):
        connect(space_server, headers=ANN).predict(["nonsense"], repeat=500, api_name="/run")


def test_an_account_calls_the_api_with_its_password_and_sees_its_own_data(
    tmp_path_factory: pytest.TempPathFactory, connect: Connect
) -> None:
    folder = tmp_path_factory.mktemp("locked")
    script = write_script(folder / "script.yaml", "Hello.")
    accounts = ",".join(f"{name}:{hash_password(name + '!', n=2**10)}" for name in ("ann", "bob"))
    for server in served(folder, f"scripted:{script}", WORKBENCH_AUTH=accounts):
        ann, bob = (connect(server, auth=(name, f"{name}!")) for name in ("ann", "bob"))
        ann.predict("Ann's question", api_name="/chat")
        assert len(json.loads(ann.predict(api_name="/export"))["rows"]) == 1
        assert json.loads(bob.predict(api_name="/export"))["rows"] == []
