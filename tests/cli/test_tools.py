"""The commands of `workbench tools`."""

import json

import pytest
import yaml

from tests.cli.conftest import CHECKOUT
from tests.toolspec.wild import GOOD, WILD


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_HOME", str(CHECKOUT))
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))


def test_list_shows_every_tool_under_its_toolset(run_cli):
    done = run_cli("tools", "list")
    assert done.code == 0
    assert "\n  get_flumbuster\n" in done.out
    tools = json.loads(run_cli("tools", "list", "--json").out)["tools"]
    assert {"name": "calculate", "toolset": "arithmetic", "reason": None} in tools


def test_list_reports_failed_files_and_missing_variables(run_cli, tmp_path, monkeypatch):
    folder = tmp_path / "tools_catalog"
    folder.mkdir()
    (folder / "broken.py").write_text("import nothing_of_this_name")
    (folder / "keyed.py").write_text(
        "def register_tools(registry):\n"
        "    registry.register('keyed', 'set', {'parameters': {}}, lambda a: 1, requires_env=['MY_KEY'])\n"
    )
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_LOCAL_CODE", str(tmp_path))
    done = run_cli("tools", "list")
    assert "keyed  unavailable: the variable MY_KEY is not set" in done.out
    assert "tools_catalog/broken.py" in done.err
    assert run_cli("tools", "show", "keyed").code == 2


def test_show_prints_specs_and_their_fingerprint(run_cli):
    shown = json.loads(run_cli("tools", "show", "nonsense", "--json").out)
    assert [tool["function"]["name"] for tool in shown["tools"]] == ["get_flumbuster", "calculate_zorbix"]
    assert len(shown["fingerprint"]) == 64


def test_check_reports_invalid_specs_with_line_and_pointer(run_cli, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('[{"name": "f", "description": "F.",\n "parameters": {"type": "objekt"}}]')
    done = run_cli("tools", "check", bad)
    assert done.code == 1
    assert ":2:/0/parameters/type: error spec-unsound" in done.out
    catalog = tmp_path / "bad.yaml"
    catalog.write_text(
        "toolset: x\ntools:\n- function: {name: f}\n  mocks: [{template: '{% for a in b %}{% endfor %}'}]"
    )
    done = run_cli("tools", "check", catalog, "--json")
    assert done.code == 1
    [finding] = json.loads(done.out)["findings"]
    assert "/mocks/0/template" in finding["pointer"]
    assert "no loops" in finding["message"]


def test_check_gives_exit_code_0_for_warnings(run_cli):
    done = run_cli("tools", "check", "-", stdin='[{"name": "f", "parameters": {"type": "object"}}]')
    assert done.code == 0
    assert "warning tool-no-description" in done.out


def test_the_shipped_tools_have_no_warnings(run_cli):
    for toolset in (
        "nonsense",
        "weather",
        "search",
        "travel",
        "shop",
        "desk",
        "calendar",
        "mail",
        "web",
        "files",
        "arithmetic",
        "agent",
    ):
        done = run_cli("tools", "check", toolset)
        assert "warning" not in done.out, done.out


def test_export_writes_the_catalog_file_and_import_reads_other_formats(run_cli, tmp_path):
    written = run_cli("tools", "export", "nonsense").out
    assert yaml.safe_load(written) == yaml.safe_load((CHECKOUT / "tools_catalog/nonsense.yaml").read_text())
    for form in ("openai", "bare", "anthropic", "gemini", "mcp"):
        path = tmp_path / f"{form}.json"
        assert run_cli("tools", "export", "calendar", "--form", form, "--out", path).code == 0
        done = run_cli("tools", "import", path)
        assert done.code == 0, done.err
        assert f"{form}: 3 tools" in done.err
        assert json.loads(done.out)[0]["function"]["name"] == "list_events"
    assert run_cli("tools", "export", "nonsense", "--form", "xml").code == 2


def test_import_writes_a_catalog_file(run_cli, tmp_path):
    source = tmp_path / "f.py"
    source.write_text('def greet(name: str, times: int = 1) -> str:\n    """Greet someone."""\n')
    folder = tmp_path / "tools_catalog"
    folder.mkdir()
    done = run_cli("tools", "import", source, "--toolset", "mine", "--out", folder / "mine.yaml")
    assert done.code == 0
    assert run_cli("tools", "check", folder / "mine.yaml").code == 0


def test_call_prints_the_result_that_a_model_would_get(run_cli):
    done = run_cli("tools", "call", "get_flumbuster", '{"flumb": "cairo"}', "--json")
    assert json.loads(done.out) == {
        "result": {"flumb": "Cairo", "reading": 31, "unit": "metric usters"},
        "is_error": False,
        "rule": "mock rule 2",
        "findings": [],
    }
    done = run_cli("tools", "call", "calculate_zorbix", '{"zorb": "3", "bix": 4}')
    assert done.out == '{"zorbix": 7}\n'
    assert "/zorb: note coerced-by-schema" in done.err


def test_call_gives_exit_code_1_for_a_failed_tool_and_2_for_bad_usage(run_cli):
    assert run_cli("tools", "call", "get_weather", '{"city": "Atlantis"}').code == 1
    assert run_cli("tools", "call", "terminal", '{"command": "rm -rf /"}').code == 1
    assert "no such tool (did you mean 'get_weather'?)" in run_cli("tools", "call", "get_wether", "{}").err
    assert "no such tool (known tools: " in run_cli("tools", "call", "xyzzy", "{}").err
    assert run_cli("tools", "call", "get_weather", "{").code == 2
    assert run_cli("tools", "call", "get_weather", "[]").code == 2


def test_a_risky_command_is_denied_without_a_terminal(run_cli):
    done = run_cli("tools", "call", "terminal", '{"command": "rm -rf build"}')
    assert done.code == 1
    assert "Denied by the user: recursive delete" in done.out


def test_unusual_tools_are_reported_and_the_commands_go_on_with_the_others(run_cli, tmp_path):
    path = tmp_path / "tools.json"
    path.write_text(
        json.dumps([WILD["look-ahead"].tool, {"name": "broken", "parameters": {"type": "string"}}, GOOD])
    )
    checked = run_cli("tools", "check", str(path))
    assert checked.code == 1
    assert "warning schema-pattern: tool 'wild': " in checked.out and "error spec-unsound" in checked.out
    imported = run_cli("tools", "import", str(path))
    assert imported.code == 0 and "schema-pattern" in imported.err and "2 tools" in imported.err
    text = tmp_path / "answer.txt"
    text.write_text('<tool_call>\n{"name": "good", "arguments": {"n": "x"}}\n</tool_call>')
    parsed = run_cli("parse", str(text), "--tools", str(path))
    assert parsed.code == 0 and "invalid_arguments" in parsed.out.replace("-", "_")
    assert "warning schema-pattern: tool 'wild'" in parsed.err
