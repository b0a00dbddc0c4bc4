"""The comparison with published templates finds every difference; with a template written for this test."""

from pathlib import Path
from random import Random

from tests.conformance.templates import compare_templates, generated_case
from tests.hermes.templates.test_check import QWEN_25

SEVERAL_TOOLS = QWEN_25.replace(
    "{{- tools[0] | tojson }}", "{{- tools | map('tojson') | join('\\n') }}"
).replace(
    "{'name': c.function.name, 'arguments': c.function.arguments} | tojson",
    "'{\"name\": \"' ~ c.function.name ~ '\", \"arguments\": ' ~ c.function.arguments | tojson ~ '}'",
)


def rows(folder: Path, source: str) -> list[str]:
    (folder / "Qwen-Qwen2.5-7B-Instruct.jinja").write_text(source, encoding="utf-8")
    (folder / "unknown.jinja").write_text("{{", encoding="utf-8")
    found = list(compare_templates(folder, count=60))
    assert [row.id for row in found] == [f"Qwen-Qwen2.5-7B-Instruct.jinja/{n:03}" for n in range(60)]
    assert all(row.agrees == (not row.difference) for row in found)
    return [row.difference for row in found if not row.agrees]


def test_a_template_that_renders_the_same_bytes_agrees_in_nearly_every_conversation(tmp_path: Path) -> None:
    # The template of the test writes an empty answer without its line break.
    assert all(difference.endswith("'") for difference in rows(tmp_path, SEVERAL_TOOLS))
    assert len(rows(tmp_path, SEVERAL_TOOLS)) < 10


def test_a_space_at_one_place_is_found(tmp_path: Path) -> None:
    few = len(rows(tmp_path, SEVERAL_TOOLS))
    assert len(rows(tmp_path, SEVERAL_TOOLS.replace("</tool_response>'", "</tool_response> '"))) > few


def test_a_crash_that_is_not_reported_is_found(tmp_path: Path) -> None:
    broken = rows(tmp_path, "{{ raise_exception('never') }}")
    assert "not reported: TemplateError: never" in broken


def test_the_conversations_are_the_same_in_every_run_and_of_many_kinds() -> None:
    cases = [generated_case(Random(number)) for number in range(300)]
    assert cases == [generated_case(Random(number)) for number in range(300)]
    text = repr(cases)
    for kind in ("None", "True", "2.5", "1e+21", "reasoning_content", "東京", "'anyOf'", "'strict'", "$defs"):
        assert kind in text
