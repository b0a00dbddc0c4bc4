"""Drafts of tools are checked, tried and written as files."""

import json

import pytest
import yaml

from tests.services import CHECKOUT
from workbench.errors import BadInput
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.catalog_file import parse_toolset, parse_world, render_world
from workbench.toolbox.entry import ToolDraft
from workbench.toolbox.studio import ToolStudio
from workbench.toolspec.conditions import first_violation
from workbench.toolspec.world.session_world import DeclaredWorld
from workbench.ui.present.tools import show_tried

SPEC = '{"name": "f", "description": "F.",\n "parameters": {"type": "object", "properties": {}}}'


@pytest.fixture(scope="module")
def studio():
    studio = ToolStudio(Catalog(CHECKOUT / "tools_catalog", packages=()))
    yield studio
    studio.close()


def value_of(run):
    return json.loads(run.result.text)


@pytest.mark.parametrize("name", ["get_flumbuster", "book_flight", "calculate", "web_search"])
def test_every_kind_of_tool_opens_as_a_valid_draft(studio, name):
    draft = studio.open_tool(name)
    findings = studio.check_draft(draft)
    assert (findings.spec, findings.rules) == ((), ())
    assert bool(draft.rules_text) == (name != "calculate")


@pytest.mark.parametrize(
    ("rules", "pointers"),
    [
        ("- result: {a: plain}", []),
        ("- template: '{{ city }}'", []),
        ("- when: {result: '{{ x }}'}\n  result: 1", []),
        ("- result: {customer: '{{ customer_id }}'}", ["/0/result/customer"]),
        ("mocks:\n- sequence:\n  - result: ['{{ a }}']\n  - result: 2", ["/mocks/0/sequence/0/result/0"]),
    ],
)
def test_placeholders_in_a_result_are_pointed_out(studio, rules, pointers):
    lint = studio.check_draft(ToolDraft(spec_text=SPEC, rules_text=rules)).lint
    found = [finding for finding in lint if finding.code == "rule-placeholder"]
    assert [finding.pointer for finding in found] == pointers
    assert all("use `template`" in finding.message for finding in found)


def test_a_trial_call_of_every_shipped_tool_begins_with_valid_arguments(studio):
    for entry in studio._catalog.registry.entries():
        arguments = json.loads(studio.open_tool(entry.spec.name).arguments_text)
        assert not first_violation(entry.spec.schema, arguments), entry.spec.name


def test_an_unknown_tool_is_reported(studio):
    with pytest.raises(BadInput, match="no such tool"):
        studio.open_tool("nothing")


@pytest.mark.parametrize(
    ("spec", "line", "pointer"),
    [
        ("{", 1, ""),
        ('{"name": "f",\n "parameters": {"type": "objekt"}}', 2, "/parameters/type"),
        ('{"type": "function",\n "function":\n {"name": 5}}', 3, "/function/name"),
    ],
)
def test_errors_of_a_spec_have_line_and_pointer(studio, spec, line, pointer):
    finding = studio.check_draft(ToolDraft(spec_text=spec)).spec[0]
    assert (finding.line, finding.pointer) == (line, pointer)


@pytest.mark.parametrize(
    ("spec", "words"),
    [("", "no tool"), ("[]", "no tool"), (f"[{SPEC}, {SPEC.replace('f', 'g', 1)}]", "2 tools")],
)
def test_a_spec_without_exactly_one_tool_is_reported(studio, spec, words):
    findings = studio.check_draft(ToolDraft(spec_text=spec))
    assert words in findings.spec[0].message
    with pytest.raises(BadInput, match=words):
        studio.merged_text(ToolDraft(spec_text=spec), toolset="own", before=None)


@pytest.mark.parametrize(
    ("rules", "line", "pointer"),
    [
        ("- result: [", 1, ""),
        ("- result: 1\n- when: {a: {regex: '('}}\n  result: 2", 2, "/1/when/a"),
        ("mocks:\n- result: 1\n  error: x", 2, "/mocks/0"),
        ("mocks:\n- answer: 1", 2, "/mocks/0/answer"),
        ("- template: '{% set a = 1 %}'", 1, "/0/template"),
        ("returns: {type: integer}\nmocks:\n- result: 1\n- result: x", 4, "/mocks/1/result"),
        ("returns:\n  type: objekt", 2, "/returns"),
        ("- sequence:\n  - result: 1\n  - template: '{{'", 3, "/0/sequence/1/template"),
        ("just text", 1, ""),
    ],
)
def test_errors_of_rules_have_line_and_pointer(studio, rules, line, pointer):
    findings = studio.check_draft(ToolDraft(spec_text=SPEC, rules_text=rules)).rules
    assert (line, pointer) in [(finding.line, finding.pointer) for finding in findings]


def test_all_errors_are_reported(studio):
    rules = "- template: '{{ a.__b__ }}'\n- template: '{% for a in b %}{% endfor %}'"
    findings = studio.check_draft(ToolDraft(spec_text=SPEC, rules_text=rules)).rules
    assert [finding.line for finding in findings] == [1, 2]


def tried(studio, draft, arguments, *, call_number=1):
    toolbox = Catalog(CHECKOUT / "tools_catalog", packages=()).toolbox()
    return studio.try_draft(draft, arguments, call_number=call_number, seed=0, toolbox=toolbox)


def test_a_draft_can_be_tried_without_saving(studio):
    draft = ToolDraft(spec_text=SPEC, rules_text="- sequence: [{result: 1}, {template: '{{ call_number }}'}]")
    runs = [tried(studio, draft, {}, call_number=number) for number in (1, 2)]
    assert [value_of(run) for run in runs] == [1, 2]
    assert value_of(tried(studio, studio.open_tool("calculate"), {"expression": "2*3"}))["result"] == 6
    with pytest.raises(BadInput, match="template"):
        tried(studio, ToolDraft(spec_text=SPEC, rules_text="- template: '{{'"), {})


def test_a_draft_is_written_as_a_catalog_file(studio):
    draft = studio.open_tool("get_flumbuster")
    text = studio.merged_text(draft, toolset="mine", before=None)
    toolset = parse_toolset(text, where="mine")
    assert (toolset.name, toolset.tools[0].spec.name) == ("mine", "get_flumbuster")
    shipped = yaml.safe_load((CHECKOUT / "tools_catalog/nonsense.yaml").read_text())["tools"][0]
    assert yaml.safe_load(text)["tools"] == [shipped]


def test_a_tool_of_another_toolset_is_added_to_a_toolset_and_removed(studio):
    text = studio.included_text("get_weather", toolset="trip", before=None, is_included=True)
    assert parse_toolset(text, where="trip").include_tools == ("get_weather",)
    more = studio.included_text("send_mail", toolset="trip", before=text, is_included=True)
    again = studio.included_text("get_weather", toolset="trip", before=more, is_included=True)
    assert parse_toolset(again, where="trip").include_tools == ("send_mail", "get_weather")
    less = studio.included_text("get_weather", toolset="trip", before=again, is_included=False)
    assert parse_toolset(less, where="trip").include_tools == ("send_mail",)
    with pytest.raises(BadInput, match="no tool would be left"):
        studio.included_text("send_mail", toolset="trip", before=less, is_included=False)
    own = "toolset: trip\ntools:\n- function: {name: f}"
    with pytest.raises(BadInput, match="the tool 'f' is declared in it"):
        studio.included_text("f", toolset="trip", before=own, is_included=True)


def test_a_trial_call_reads_and_changes_the_world_of_its_toolset(studio):
    rules = """
- effects: [{increment: /n, by: "{{ by }}"}]
  result: "{{ world.n }}"
"""
    spec = '{"name": "add", "parameters": {"type": "object", "properties": {"by": {"type": "integer"}}}}'
    draft, world = ToolDraft(spec_text=spec, rules_text=rules), DeclaredWorld(value={"n": 40})
    for _ in range(2):  # every trial starts with the declared world
        run = studio.try_draft(
            draft, {"by": 2}, call_number=1, seed=0, toolbox=studio._catalog.toolbox(), world=world
        )
        assert run.result.text == "42"
        shown = show_tried(run, world)
        assert [(change.place, change.before, change.after) for change in shown.world_changes] == [
            ("/n", "40", "42")
        ]
    assert world.value == {"n": 40}
    alone = studio.try_draft(draft, {"by": 2}, call_number=1, seed=0, toolbox=studio._catalog.toolbox())
    assert "the toolset has no world (declare one with `world`)" in alone.result.text
    assert show_tried(alone).world_changes == ()


def test_the_world_of_a_toolset_is_replaced_and_checked(studio):
    file = """
toolset: own
tools:
- function: {name: f}
  mocks: [{result: "{{ world.n }}"}]
"""
    world = "world: {n: 1}\nworld_schema: {properties: {n: {type: integer}}}"
    after = studio.world_text(world, toolset="own", before=file)
    declared = parse_toolset(after, where="own").world
    assert declared == DeclaredWorld(value={"n": 1}, schema={"properties": {"n": {"type": "integer"}}})
    assert parse_world(render_world(declared), where="world") == declared
    assert parse_toolset(studio.world_text("", toolset="own", before=after), where="own").world is None
    uses_world = file.replace("result:", "effects: [{set: /n, value: 2}], result:").replace(
        "tools:", "world: {n: 1}\ntools:"
    )
    for text, before, problem in (
        ("world: {n: x}\nworld_schema: {properties: {n: {type: integer}}}", file, "does not match"),
        ("world_schema: {}", file, "there is no world"),
        ("n: 1", file, "n"),
        ("world: [", file, "world"),
        ("world: " + "x" * 5_000_000, file, "over 1,000,000 characters"),
        ("", uses_world, "needs a world"),
        (world, None, "save one with mock rules first"),
    ):
        with pytest.raises(BadInput, match=problem):
            studio.world_text(text, toolset="own", before=before)
