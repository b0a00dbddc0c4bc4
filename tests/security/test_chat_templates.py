"""A chat template of a model file cannot take hours or gigabytes, and a step that hangs only ends its own process."""

import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.security.template_bombs import CHAT_TEMPLATES
from tests.security.watched import PAUSE_S, Watched
from workbench.engines.gguf_files import template_process
from workbench.engines.gguf_files.template_process import template_in_child
from workbench.errors import BadInput
from workbench.hermes.templates.check import check_template
from workbench.hermes.templates.template import ChatTemplate, TemplateInput, parse_template, render_template

HI = TemplateInput(messages=[{"role": "user", "content": "Hi"}], now=datetime(2026, 11, 27, tzinfo=UTC))
ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


def start_child(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, **limits: int) -> None:
    """Let the child process have other limits, as if a step had an estimate that is much too low."""
    lines = "".join(f"{name.replace('__', '.')} = {limit}\n" for name, limit in limits.items())
    (tmp_path / "other_child.py").write_text(
        "from workbench.engines.gguf_files import template_child\n"
        "from workbench.hermes.templates import template\n"
        f"{lines}template_child.main()\n"
    )
    monkeypatch.setattr(template_process, "CHILD", "other_child")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.parametrize("source", CHAT_TEMPLATES, ids=range(len(CHAT_TEMPLATES)))
@pytest.mark.slow
def test_no_operation_of_a_template_takes_hours_or_gigabytes(source: str) -> None:
    started_s = time.thread_time()
    with Watched() as watched, pytest.raises(BadInput) as refused:
        render_template(parse_template(source), HI)
    assert time.thread_time() - started_s < 8
    assert watched.longest_s < PAUSE_S, "it stopped other threads"
    assert str(refused.value).startswith("template")
    assert "MemoryError" not in str(refused.value)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ 'a'|center(5) }}|{{ 'a'.ljust(3) }}|{{ '%5.2f'|format(1.5) }}|{{ '%s-%s' % (1, 'b') }}", "  a  |a  | 1.50|1-b"),
        ("{{ '{:>4}{x}'.format(1, x='y') }}{{ 1234.5678|round(2) }}", "   1y1234.57"),
        ("{{ 'a b'.replace(' ', '_').split('_')|join(', ') }}", "a, b"),
        ("{{ 'a\nb'|indent(2) }}{{ [1, [2]]|tojson(indent=1) }}", "a\n  b[\n 1,\n [\n  2\n ]\n]"),
        ("{{ 1 < 2 < 3 }}{{ 'a' in 'ab' }}{{ 'b' not in {'a': 1} }}{{ [1] == [1] }}{{ 2 is gt 1 }}{{ [1, 2]|max }}", "TrueTrueTrueTrueTrue2"),
        ("{{ [[1], [2]]|select('==', [2])|list }}{{ [1, 2].index(2) }}{{ 'a' in nothing }}", "[[2]]1False"),
        ("{{ [3, 1, 2]|sort|map('string')|join }}{{ [1, 2, 3]|batch(2)|list }}", "123[[1, 2], [3]]"),
    ],
)  # fmt: skip
def test_ordinary_operations_work(source: str, text: str) -> None:
    assert render_template(parse_template(source), HI) == text


def test_the_length_of_a_conversation_hardly_matters() -> None:
    source = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m['content']|trim }}<|im_end|>\n{% endfor %}"
    )
    messages = [{"role": "user", "content": "word " * 200}] * 2000
    text = render_template(parse_template(source), TemplateInput(messages=messages, now=HI.now))
    assert text.count("word") == 400_000


def test_a_check_of_a_template_ends_soon() -> None:
    template = parse_template("{% for a in range(99999) %}{{ 'x' * 9000 }}{% endfor %}")
    started_s = time.thread_time()
    assert any(finding.code == "template-fails" for finding in check_template(template, now=HI.now))
    assert time.thread_time() - started_s < 20


def test_a_template_in_a_child_process_renders_the_same() -> None:
    source = "{{ strftime_now('%Y') }}{{ messages[0].content }}{{ tools }}{{ x }}\ud800"
    given = TemplateInput(messages=[{"role": "user", "content": "é\ud83d"}], now=HI.now, variables={"x": [1]})
    with template_in_child(source) as template:
        assert template.render(given) == render_template(parse_template(source), given)
    with (
        template_in_child("{{ raise_exception('Refused') }}") as other,
        pytest.raises(BadInput, match="Refused"),
    ):
        other.render(given)


def test_a_template_that_is_not_jinja_is_refused_by_the_child() -> None:
    with pytest.raises(BadInput, match="template, line 1: "), template_in_child("{% if %}"):
        pass


@pytest.fixture
def endless_child(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ChatTemplate]:
    """A template that never ends, in a child process without budgets that is ended after three seconds."""
    start_child(monkeypatch, tmp_path, template__RENDER_STEPS=10**12, template__MAX_STEPS=10**12)
    # On a busy machine, the start alone may take three seconds.
    monkeypatch.setattr(template_process, "LIMIT_S", 60.0)
    with template_in_child(ENDLESS) as template:
        monkeypatch.setattr(template_process, "LIMIT_S", 3.0)
        yield template


@pytest.mark.slow
def test_a_step_that_hangs_ends_only_the_child(endless_child: ChatTemplate) -> None:
    with pytest.raises(BadInput, match="it takes too much time or memory"):
        endless_child.render(HI)


@pytest.mark.slow
def test_a_child_that_has_ended_answers_every_further_question(endless_child: ChatTemplate) -> None:
    findings = check_template(endless_child, now=HI.now)
    assert any("it takes too much time or memory" in finding.message for finding in findings)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
def test_memory_of_the_child_is_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    start_child(monkeypatch, tmp_path, template_child__MEMORY_BYTES=400_000_000, template__RENDER_STEPS=10**9)
    source = "{% set ns = namespace(l=[]) %}{% for i in range(999) %}{% set ns.l = ns.l + ['x' * 3000000 ~ i] %}{% endfor %}"
    with template_in_child(source) as template, pytest.raises(BadInput, match="memory"):
        template.render(HI)
