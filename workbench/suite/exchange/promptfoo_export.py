"""A suite as promptfoo's YAML; see `workbench.suite.exchange.promptfoo` for the source."""

from typing import Any, Final

from workbench.chat.message import Role
from workbench.suite.case import Case, Suite
from workbench.suite.exchange.bfcl import ExportedSuite
from workbench.suite.exchange.promptfoo import NEGATION, NO_CALL
from workbench.suite.expectation import CallPattern, Expectation, expects_call
from workbench.toolspec.yaml_text import dump_yaml

FILE: Final = "promptfooconfig.yaml"
"""What promptfoo looks for."""


def export_promptfoo(suite: Suite) -> ExportedSuite:
    """A promptfoo configuration of a suite; the provider is for the reader to name."""
    left_out: list[str] = []
    tests: list[dict[str, Any]] = []
    tools: list[Any] = []
    for case in suite.cases:
        if len(case.messages) != 1 or case.messages[0].role is not Role.USER:
            left_out.append(f"{case.id}: it has a history, and the prompt is one text")
            continue
        assertions = [one for wanted in case.expectations for one in _asserted(case, wanted, left_out)]
        if assertions:
            said = {"prompt": case.messages[0].text}
            tests.append({"description": case.id, "vars": said, "assert": assertions})
            tools.extend(spec for spec in case.tool_specs if spec not in tools)
    config: dict[str, Any] = {
        "description": suite.description or suite.name,
        "prompts": ["{{prompt}}"],
        "providers": [{"id": "openai:chat:MODEL", "config": {"tools": tools}}],
        "tests": tests,
    }
    return ExportedSuite(files={FILE: dump_yaml(config)}, left_out=tuple(left_out))


def _asserted(case: Case, one: Expectation, left_out: list[str]) -> list[dict[str, Any]]:
    # Promptfoo's check of calls wants one; ours holds where there is none, too.
    is_looser = one.valid_calls and not expects_call(case.expectations)
    found = None if is_looser else _assertions(one)
    if found is None:
        left_out.append(f"{case.id}: {one.kind} has no assertion in promptfoo")
        return []
    weight = {"weight": one.weight} if one.weight != 1 else {}
    return [{**assertion, **weight} for assertion in found]


def _assertions(one: Expectation) -> list[dict[str, Any]] | None:
    """The assertions that say the same; None where there are none."""
    if one.not_:
        inner = _assertions(one.not_)
        if not inner or len(inner) != 1 or inner[0]["type"].startswith(NEGATION):
            return None
        return [{**inner[0], "type": NEGATION + inner[0]["type"]}]
    if one.calls:
        return _calls_asserted(one)
    if one.text_contains is not None:
        texts = [one.text_contains] if isinstance(one.text_contains, str) else one.text_contains
        return [{"type": "icontains", "value": text} for text in texts]
    plain = {
        "regex": one.text_matches,
        "is-json": one.answer_schema,
        "llm-rubric": one.judge,
    }
    for kind, value in plain.items():
        if value is not None:
            return [{"type": kind, "value": value}]
    return _limits_asserted(one)


def _limits_asserted(one: Expectation) -> list[dict[str, Any]] | None:
    if one.no_call:
        return [{"type": NO_CALL}]
    if one.valid_calls:
        return [{"type": "is-valid-openai-tools-call"}]
    if one.seconds_at_most is not None:
        return [{"type": "latency", "threshold": one.seconds_at_most * 1000}]
    if one.cost_at_most is not None:
        return [{"type": "cost", "threshold": one.cost_at_most}]
    if one.tool_sequence is not None:
        mode = "in_order" if one.allow_extra else "exact"
        return [{"type": "trajectory:tool-sequence", "value": {"steps": one.tool_sequence, "mode": mode}}]
    return None


def _calls_asserted(one: Expectation) -> list[dict[str, Any]] | None:
    found: list[dict[str, Any]] = []
    names: list[str] = []
    for pattern in one.calls or ():
        arguments = _plain_arguments(pattern)
        if arguments is None or not isinstance(pattern.name, str):
            return None
        names.extend([pattern.name] * pattern.count)
        if pattern.count > 1:
            # Names alone are a set there: how often one is called is said apart.
            times = {"name": pattern.name, "min": pattern.count}
            found.append({"type": "trajectory:tool-used", "value": times})
        mode = "partial" if pattern.arguments is None else "exact"
        value = {"name": pattern.name, "args": arguments, "mode": mode}
        found.append({"type": "trajectory:tool-args-match", "value": value})
    if one.in_order:
        if len(set(names)) < len(names):
            return None
        steps = {"steps": names, "mode": "in_order"}
        found.append({"type": "trajectory:tool-sequence", "value": steps})
    whole = [] if one.allow_extra else [{"type": "tool-call-f1", "value": names, "threshold": 1.0}]
    return [*whole, *found]


def _plain_arguments(pattern: CallPattern) -> dict[str, Any] | None:
    """Arguments that are values and no conditions; None where one is a condition."""
    given = pattern.arguments if pattern.arguments is not None else pattern.has_arguments or {}
    if pattern.optional or pattern.arguments_schema or any(isinstance(one, dict) for one in given.values()):
        return None
    return dict(given)
