"""The shipped catalog, and invalid files."""

import json
from pathlib import Path

import pytest

from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.catalog_file import load_toolset, parse_toolset, render_toolset

CATALOG = Catalog(Path(__file__).parents[2] / "tools_catalog")


def run(name, **arguments):
    return CATALOG.toolbox().run(ToolCall(name=name, arguments=arguments))


def test_the_catalog_has_toolsets_for_many_conversations():
    toolsets = {name: tools.names for name, tools in CATALOG.toolsets().items()}
    assert toolsets["nonsense"] == ("get_flumbuster", "calculate_zorbix")
    assert toolsets["search"] == ("search_docs",)
    assert toolsets["weather"] == ("get_weather",)
    assert toolsets["office"] == (*toolsets["calendar"], *toolsets["mail"])
    assert len({name for names in toolsets.values() for name in names}) >= 25
    assert CATALOG.problems() == ()
    assert all(tool.is_available for tool in CATALOG.availability())


def test_every_mock_has_a_result_and_an_error():
    for toolset in CATALOG.files():
        for tool in toolset.tools:
            answers = [step for rule in tool.rules for step in (rule.sequence or (rule,))]
            assert any(not answer.error for answer in answers), tool.spec.name
            if toolset.name not in ("nonsense", "search"):
                assert any(answer.error for answer in answers), tool.spec.name


@pytest.mark.parametrize(
    ("name", "arguments", "result", "rule"),
    [
        ("get_flumbuster", {"flumb": "cairo"}, {"flumb": "Cairo", "reading": 31, "unit": "metric usters"}, 2),
        (
            "get_flumbuster",
            {"flumb": "Cairo, Egypt", "uster": "imperial"},
            {"flumb": "Cairo", "reading": 87.8, "unit": "imperial usters"},
            1,
        ),
        ("get_flumbuster", {"flumb": 'Li"ma'}, {"flumb": 'Li"ma', "reading": 15, "unit": "metric usters"}, 4),
        ("calculate_zorbix", {"zorb": 3, "bix": 4}, {"zorbix": 7}, 2),
        ("calculate_zorbix", {"zorb": 3, "bix": 4, "mode": "mul"}, {"zorbix": 12}, 1),
        (
            "get_weather",
            {"city": "Paris"},
            {"city": "Paris", "temperature": 18, "unit": "celsius", "conditions": "partly cloudy"},
            2,
        ),
        ("search_docs", {"query": "cheese"}, {"passages": []}, 3),
        ("find_orders", {"email": "bo@example.org"}, {"name": "Bo Lind", "orders": ["O-103", "O-104"]}, 1),
        (
            "cancel_order",
            {"order_id": "O-101"},
            {"order_id": "O-101", "status": "cancelled", "refund": 24},
            2,
        ),
        (
            "start_return",
            {"order_id": "O-102", "reason": "too small", "exchange_for": "mug"},
            {"reason": "too small", "exchange_for": "mug", "refund": 0},
            3,
        ),
        (
            "cancel_booking",
            {"booking_id": "B-502"},
            {"booking_id": "B-502", "status": "cancelled", "refund": 0},
            1,
        ),
        (
            "open_ticket",
            {"login": "kim", "title": "No net", "priority": "low", "team": "network"},
            {"ticket_id": "T-3", "status": "open"},
            1,
        ),
        (
            "grant_right",
            {"login": "sam", "right": "ledger", "approved_by": "lee"},
            {"login": "sam", "rights": ["mail", "ledger"]},
            1,
        ),
        ("list_events", {"date": "2026-11-29"}, {"events": []}, 3),
        ("web_search", {"query": "nothing of this"}, {"results": []}, 3),
        ("terminal", {"command": "echo hi"}, {"output": "hi", "exit_code": 0}, 9),
        (
            "send_mail",
            {"to": ["a@b"], "subject": "s", "body": " "},
            {"status": "sent", "warning": "the body is empty"},
            3,
        ),
    ],
)
def test_a_mock_answers_by_its_rule(name, arguments, result, rule):
    done = run(name, **arguments)
    assert json.loads(done.result.text) == result
    assert done.rule == f"mock rule {rule}"
    assert not done.result.is_error


def test_the_error_of_a_mock_is_json():
    done = run("get_weather", city="Atlantis")
    assert done.result.is_error
    assert json.loads(done.result.text) == {"error": "city not found"}


def test_the_call_of_an_unknown_tool_is_answered_with_its_arguments():
    done = run("invented_on_the_page", a=[1, "ü"])
    assert done.result.text == '{"echo": {"a": [1, "ü"]}}'
    assert done.rule == "no mock: arguments echoed"


def test_toolsets_tools_and_files_can_be_selected_without_duplicates(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text('[{"name": "mine", "parameters": {"type": "object"}}]')
    tools = CATALOG.select_files(["get_weather", "nonsense", "calculate_zorbix", str(file)])
    assert tools.names == ("get_weather", "get_flumbuster", "calculate_zorbix", "mine")


def test_different_tools_of_the_same_name_are_refused(tmp_path):
    for name, text in (("a", "one"), ("b", "two"), ("c", "one")):
        spec = [{"name": "mine", "description": text, "parameters": {"type": "object"}}]
        (tmp_path / f"{name}.json").write_text(json.dumps(spec))
    files = {path.stem: str(path) for path in tmp_path.glob("*.json")}
    assert CATALOG.select_files([files["a"], files["c"]]).names == ("mine",)
    with pytest.raises(BadInput, match=r"tool 'mine': .*a.json' and .*b.json' have different tools"):
        CATALOG.select_files([files["a"], files["b"]])


def test_a_toolset_may_list_tools_of_other_toolsets(tmp_path):
    (tmp_path / "a.yaml").write_text(
        "toolset: a\ntools:\n- function: {name: f, description: First. Then use `g`.}\n- function: {name: x}"
    )
    (tmp_path / "b.yaml").write_text("toolset: b\ninclude_tools: [f, ff]\ntools:\n- function: {name: g}\n")
    (tmp_path / "c.yaml").write_text("toolset: c\ninclude_tools: [f]\n")
    catalog = Catalog(tmp_path)
    names = {name: tools.names for name, tools in catalog.toolsets().items()}
    assert (names["a"], names["b"], names["c"]) == (("f", "x"), ("g", "f"), ("f",))
    assert catalog.problems() == (
        "toolset 'b': it includes the tool 'ff', which does not exist (did you mean 'f'?)",
    )
    assert catalog.select(["c", "b"]).names == ("f", "g")
    assert catalog.select(["c", "b"]).by_name["f"].function["description"] == "First. Then use `g`."
    assert catalog.select(["c"]).by_name["f"].function["description"] == "First."
    loaded = load_toolset(tmp_path / "b.yaml")
    assert parse_toolset(render_toolset(loaded), where="again") == loaded


def test_selecting_an_unknown_name_reports_the_known_toolsets():
    with pytest.raises(BadInput, match=r"no tool or toolset 'qqq' .*nonsense, office, search"):
        CATALOG.select(["qqq"])


@pytest.mark.parametrize(("name", "near"), [("nonsens", "nonsense"), ("get_flumbustr", "get_flumbuster")])
def test_selecting_a_misspelled_name_suggests_the_right_one(name, near):
    with pytest.raises(BadInput, match=f"'{name}' .did you mean '{near}'"):
        CATALOG.select([name])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("toolset: [", "catalog bad.yaml: .*line 1"),
        ("toolset: x\ntools: []", "catalog bad.yaml, tools: must not be empty"),
        (
            "toolset: x\ntools:\n- function: {name: f}\n  mock: []",
            r"tools.0.mock: unknown key 'mock'; did you mean 'mocks'",
        ),
        (
            "toolset: x\ntools:\n- function: {name: f}\n  mocks: [{when: {a: {regexp: x}}, result: 1}]",
            "`regexp` is not a condition; did you mean `regex`",
        ),
        (
            "toolset: x\ntools:\n- function: {name: f, parameters: {type: object, properties: {city: {}}}}\n"
            "  mocks: [{when: {citty: Rome}, result: 1}]",
            "no argument 'citty'; did you mean 'city'",
        ),
        (
            "toolset: x\ntools:\n- function: {name: f}\n  mocks: [{result: 1, error: oh}]",
            "exactly one of result, template, error and sequence",
        ),
        ("toolset: x\ntools:\n- function: {name: f, parameters: {type: objekt}}", "tool 'f'"),
    ],
)
def test_an_invalid_file_is_reported_with_its_place(tmp_path, text, message):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match=message):
        load_toolset(path)


def test_a_name_in_two_toolsets_is_refused(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(f"toolset: {name}\ntools:\n- function: {{name: f}}")
    with pytest.raises(BadInput, match="tool 'f' is also declared in toolset 'a'"):
        Catalog(tmp_path).toolsets()


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        (
            "calculate",
            {"expression": "(3 + 4) * 2 ** 3 - 1"},
            {"expression": "(3 + 4) * 2 ** 3 - 1", "result": 55},
        ),
        ("calculate", {"expression": "1 / 0"}, {"error": "division by zero"}),
        ("calculate", {"expression": "9 ** 9 ** 9"}, {"error": "the power is too large"}),
        ("calculate", {"expression": "(-8) ** 0.5"}, {"error": "the result is no real number"}),
        (
            "calculate",
            {"expression": "__import__('os').system('x')"},
            {"error": "only numbers, operators and the named functions are allowed"},
        ),
        (
            "calculate",
            {"expression": "(" * 300 + "1" + ")" * 300},
            {"error": "the expression is over 500 characters"},
        ),
        ("calculate", {"expression": "2 +"}, {"error": "that is no arithmetic expression"}),
        ("convert_units", {"value": 2, "from_unit": "km", "to_unit": "m"}, {"value": 2000.0, "unit": "m"}),
        (
            "convert_units",
            {"value": 2, "from_unit": "km", "to_unit": "kg"},
            {"error": "km cannot be converted to kg"},
        ),
        (
            "describe_numbers",
            {"numbers": [1, 2, 9]},
            {"count": 3, "mean": 4.0, "median": 2, "smallest": 1, "largest": 9},
        ),
        (
            "read_file",
            {"path": "./notes//todo.txt"},
            {"path": "notes/todo.txt", "content": "- buy oats\n- call Ana\n- fix the flumbuster\n"},
        ),
        ("read_file", {"path": "/etc/passwd"}, {"error": "no such file: etc/passwd"}),
        ("write_file", {"path": "../x", "content": ""}, {"error": "the path leaves the workspace"}),
    ],
)
def test_tools_with_code_return_results_and_errors(name, arguments, result):
    assert json.loads(run(name, **arguments).result.text) == result


def test_each_session_has_its_own_files():
    from workbench.toolbox.entry import ToolTask

    first, second = (CATALOG.toolbox(ToolTask(session_id=name)) for name in ("one", "other"))
    first.run(ToolCall(name="write_file", arguments={"path": "a", "content": "mine"}))
    found = [
        json.loads(box.run(ToolCall(name="search_files", arguments={"text": "mine"})).result.text)["total"]
        for box in (first, second)
    ]
    assert found == [1, 0]


def test_a_sequence_continues_within_a_session_and_restarts_in_the_next():
    from workbench.toolbox.entry import ToolTask

    call = ToolCall(name="book_flight", arguments={"flight": "AF006", "passengers": [{"name": "Ana"}]})
    errors = [
        CATALOG.toolbox(ToolTask(session_id=name)).run(call).result.is_error
        for name in ("s1", "s1", "s1", "s2")
    ]
    assert errors == [True, False, True, True]
