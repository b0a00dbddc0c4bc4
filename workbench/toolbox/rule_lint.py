"""Point out what is probably a mistake in valid mock rules."""

from collections.abc import Iterator
from typing import Any, Final

import yaml

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import pointer
from workbench.toolspec.yaml_text import compose_yaml

NOT_RENDERED: Final = "rule-placeholder"
"""Code of the finding that a `result` has a placeholder, which only a `template` renders."""


def lint_rules(rules_text: str) -> tuple[Finding, ...]:
    """Return a warning, with line and pointer, for each text of a `result` with `{{ … }}` in it."""
    try:
        return tuple(_placeholders(compose_yaml(rules_text), (), is_result=False))
    except yaml.YAMLError:
        return ()


def _placeholders(node: Any, place: tuple[str | int, ...], *, is_result: bool) -> Iterator[Finding]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = is_result or (key.value == "result" and "when" not in place)
            yield from _placeholders(value, (*place, str(key.value)), is_result=inner)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _placeholders(value, (*place, index), is_result=is_result)
    elif is_result and isinstance(node, yaml.ScalarNode) and "{{" in node.value and "}}" in node.value:
        yield Finding(
            code=NOT_RENDERED,
            message=f"mock rules, line {node.start_mark.line + 1}: a result is returned as it is written; "
            "use `template` to fill in placeholders",
            severity=Severity.WARNING,
            pointer=pointer(list(place)),
            line=node.start_mark.line + 1,
        )
