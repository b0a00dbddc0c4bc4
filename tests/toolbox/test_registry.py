"""The registry: registration, toolsets, definitions and availability."""

import json
from importlib.metadata import EntryPoint

import pytest

from workbench.errors import BadInput
from workbench.toolbox.discovery import discover_entry_points, discover_modules
from workbench.toolbox.registry import Registry
from workbench.toolspec.spec import canonical_json

SCHEMA = {"description": "Does it.", "parameters": {"type": "object", "properties": {}}}


def handler(arguments):
    return "{}"


def registry_of(*names, environment=None, **options):
    registry = Registry(environment)
    for name in names:
        registry.register(name, "set", SCHEMA, handler, **options)
    return registry


def offered(registry, *names):
    toolsets = registry.toolsets()
    return registry.offer(
        sorted({tool for name in names or toolsets.names for tool in toolsets.resolve(name)})
    )


def test_a_schema_may_be_bare_or_wrapped_and_the_registered_name_is_used():
    registry = Registry()
    registry.register("a", "set", {"name": "other", **SCHEMA}, handler)
    registry.register("b", "set", {"type": "function", "function": SCHEMA}, handler)
    registry.register("c", "set", {"parameters": {}}, handler, description="Given at registration.")
    assert offered(registry).names == ("a", "b", "c")
    assert registry.find("c").spec.description == "Given at registration."
    assert list(registry.find("a").spec.function) == ["name", "description", "parameters"]


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("text", "not an object"),
        ({}, "no `parameters` object"),
        ({"parameters": []}, "no `parameters` object"),
        ({"parameters": {"type": "array"}}, "must have type object"),
        (
            {"parameters": {"type": "object", "properties": {"a": {"type": "objekt"}}}},
            "the schema is invalid",
        ),
    ],
)
def test_an_invalid_schema_is_refused_at_registration(schema, message):
    with pytest.raises(BadInput, match=message):
        Registry().register("a", "set", schema, handler)


def test_a_handler_that_is_not_callable_and_a_missing_toolset_are_refused():
    with pytest.raises(BadInput, match="not callable"):
        Registry().register("a", "set", SCHEMA, "handler")
    with pytest.raises(BadInput, match="no toolset"):
        Registry().register("a", "", SCHEMA, handler)


def test_a_name_from_another_toolset_is_refused_unless_overridden():
    registry = registry_of("a")
    with pytest.raises(
        BadInput, match=r"toolset 'other': tool 'a' is also declared in toolset 'set' .*override"
    ):
        registry.register("a", "other", SCHEMA, handler)
    assert registry.find("a").toolset == "set"
    registry.register("a", "other", SCHEMA, handler, override=True)
    assert registry.find("a").toolset == "other"


def test_definitions_are_sorted_and_their_fingerprint_ignores_the_order_of_registration():
    first, second = registry_of("b", "a"), registry_of("a", "b")
    assert offered(first).names == ("a", "b")
    assert offered(first).fingerprint == offered(second).fingerprint
    assert offered(first).fingerprint != offered(registry_of("a")).fingerprint
    documents = [spec.document for spec in offered(first).specs]
    assert json.loads(canonical_json(documents)) == documents


def test_a_shared_check_runs_once_and_a_failing_check_makes_tools_unavailable():
    calls = []

    def check():
        """The service is not running."""
        calls.append(1)
        return False

    def broken():
        raise OSError("no socket")

    registry = registry_of("a", "b", check_fn=check)
    registry.register("c", "set", SCHEMA, handler, check_fn=broken)
    registry.register("d", "set", SCHEMA, handler, check_fn=lambda: False)
    registry.register("e", "set", SCHEMA, handler)
    reasons = {tool.name: tool.reason for tool in registry.availability()}
    assert reasons == {
        "a": "The service is not running.",
        "b": "The service is not running.",
        "c": "no socket",
        "d": "its check failed",
        "e": "",
    }
    assert calls == [1]
    assert offered(registry).names == ("e",)


def test_required_variables_are_looked_up_only_in_the_given_mapping(monkeypatch):
    monkeypatch.setenv("SOME_KEY", "set in the process")
    assert (
        registry_of("a", requires_env=["SOME_KEY"]).availability()[0].reason
        == "the variable SOME_KEY is not set"
    )
    assert registry_of("a", requires_env=["SOME_KEY"], environment={"SOME_KEY": "x"}).usable() == {"a"}
    both = registry_of("a", requires_env=["X", "Y"], environment={"X": ""})
    assert both.availability()[0].reason == "these variables are not set: X, Y"


def test_toolsets_include_others_and_cycles_are_harmless():
    registry = registry_of("a", "b")
    registry.register("c", "other", SCHEMA, handler)
    registry.register_toolset("all", "Both.", includes=["set", "other", "round"])
    registry.register_toolset("round", includes=["all"])
    registry.register_toolset("picked", tools=["c", "a"])
    toolsets = registry.toolsets()
    assert toolsets.names == ("all", "other", "picked", "round", "set")
    assert toolsets.resolve("all") == ("a", "b", "c")
    assert toolsets.resolve("round") == ("a", "b", "c")
    assert toolsets.resolve("picked") == ("c", "a")
    assert toolsets.describe("all") == "Both."


def test_previous_names_work_and_unknown_names_are_reported():
    registry = Registry()
    registry.register("find", "search", SCHEMA, handler)
    assert offered(registry, "search_tools").names == ("find",)
    with pytest.raises(BadInput, match=r"no toolset 'nonsens'.*available toolsets: search"):
        offered(registry, "nonsens")
    registry.register_toolset("odd", includes=["gone"])
    with pytest.raises(BadInput, match="toolset 'odd': it includes 'gone'"):
        offered(registry, "odd")


def test_mentions_of_tools_that_are_not_offered_are_removed():
    registry = registry_of("web_search")
    schema = {
        "description": "Run code. Use `web_search` to find pages. Use read_file for files. Search is fine.",
        "parameters": {
            "type": "object",
            "properties": {"tool": {"type": "string", "enum": ["web_search", "read_file", "none"]}},
        },
    }
    registry.register("execute_code", "set", schema, handler)
    registry.register("read_file", "files", SCHEMA, handler, check_fn=lambda: False)
    spec = offered(registry).by_name["execute_code"]
    assert spec.description == "Run code. Use `web_search` to find pages. Search is fine."
    assert spec.properties["tool"]["enum"] == ["web_search", "none"]
    alone = registry.offer(["execute_code"]).specs[0]
    assert alone.description == "Run code. Search is fine."
    assert registry.find("execute_code").spec.description == schema["description"]


GOOD = """
SCHEMA = {"description": "Says hello.", "parameters": {"type": "object", "properties": {}}}

def register_tools(registry):
    registry.register(name="hello", toolset="greetings", schema=SCHEMA, handler=lambda arguments, **context: "{}")
"""


def test_a_module_that_fails_is_reported_and_does_not_affect_the_others(tmp_path):
    (tmp_path / "a_broken.py").write_text("import nothing_of_this_name")
    (tmp_path / "b_syntax.py").write_text("def (")
    (tmp_path / "c_good.py").write_text(GOOD)
    (tmp_path / "d_empty.py").write_text("")
    (tmp_path / "e_taken.py").write_text(GOOD.replace("greetings", "other"))
    (tmp_path / "f_exits.py").write_text("raise SystemExit(3)")
    (tmp_path / "_private.py").write_text("raise RuntimeError")
    registry = Registry()
    problems = discover_modules(tmp_path, registry)
    assert [problem.split(":")[0] for problem in problems] == [
        f"tools_catalog/{name}.py" for name in ("a_broken", "b_syntax", "d_empty", "e_taken", "f_exits")
    ]
    assert "nothing_of_this_name" in problems[0]
    assert "no function register_tools(registry)" in problems[2]
    assert "declared in toolset 'greetings'" in problems[3]
    assert offered(registry).names == ("hello",)


def test_installed_packages_add_tools_by_an_entry_point(tmp_path, monkeypatch):
    (tmp_path / "greeting_package.py").write_text(GOOD)
    monkeypatch.syspath_prepend(str(tmp_path))
    points = [
        EntryPoint("mine", "greeting_package:register_tools", "workbench.tools"),
        EntryPoint("module", "greeting_package", "workbench.tools"),
        EntryPoint("gone", "no_such_package", "workbench.tools"),
    ]
    registry = Registry()
    problems = discover_entry_points(registry, points)
    assert offered(registry).names == ("hello",)
    assert len(problems) == 1
    assert "entry point 'gone'" in problems[0]
