"""Convert promptfoo's YAML to a suite and back.

*Source:* promptfoo's reference of the configuration (https://www.promptfoo.dev/docs/configuration/reference/) and of
its deterministic, trajectory and model-graded assertions
(https://www.promptfoo.dev/docs/configuration/expected-outputs/). Assertions that run code are skipped and reported.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

import yaml

from workbench.chat.json_value import load_json
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.suite.case import Case, Suite
from workbench.suite.exchange.bfcl import ExportedSuite, ImportedSuite
from workbench.suite.exchange.promptfoo_tests import (
    FILE_MARK,
    MOST_TESTS,
    PromptfooTest,
    ReadFile,
    expanded_tests,
    read_reference,
)
from workbench.suite.expectation import CallPattern, Expectation, expects_call
from workbench.suite.read_suite import parse_case
from workbench.suite.suite_text import Filling
from workbench.toolspec.yaml_text import dump_yaml, load_yaml

NEGATION: Final = "not-"
"""Prefix of the type of an assertion that must not hold."""
NO_CALL: Final = "not-is-valid-openai-tools-call"
"""In promptfoo: the output is not a call. Here: `no_call`."""
_Assertion = Mapping[str, Any]


def import_promptfoo(text: str, *, name: str, read_file: ReadFile | None = None) -> ImportedSuite:
    """Import a suite from a promptfoo configuration.

    Args:
        text: The configuration.
        name: Name of the suite.
        read_file: Reads the files that the configuration refers to. None if they cannot be read.

    Raises:
        BadInput: The text is not a promptfoo configuration.
    """
    try:
        config = load_yaml(text)
    except yaml.YAMLError as error:
        raise BadInput("promptfoo", f"not YAML: {' '.join(str(error).split())[:200]}") from error
    fields: Mapping[str, Any] = cast(Mapping[str, Any], config) if isinstance(config, Mapping) else {}
    if not any(isinstance(fields.get(key), list) for key in ("tests", "scenarios")):
        raise BadInput("promptfoo", "no list of tests", "write the tests into the file")
    read_file = read_file or _unreadable
    left_out: list[str] = []
    prompts = _prompts(fields, read_file)
    tools = _tools(fields)
    cases: list[Case] = []
    filling = Filling()
    for test in expanded_tests(fields, read_file, left_out):
        if len(cases) > MOST_TESTS:
            raise BadInput("promptfoo", f"more than {MOST_TESTS:,} tests", "split the configuration")
        for number, prompt in enumerate(prompts, start=1):
            document = _document(prompt, test, filling, left_out)
            if document is None:
                continue
            if len(prompts) > 1:
                document["id"] += f"-{number}"
            cases.append(parse_case({**document, "tool_specs": tools}, suite=name, where=test.id))
    description = str(fields.get("description") or "")
    return ImportedSuite(
        suite=Suite(name=name, description=description, cases=tuple(cases)), left_out=tuple(left_out)
    )


def _unreadable(path: str) -> str:
    raise BadInput(f"file {path!r}", "it is not part of the configuration", "import the file with its folder")


def _prompts(config: Mapping[str, Any], read_file: ReadFile) -> Sequence[str]:
    found: list[str] = []
    for prompt in cast(list[Any], config.get("prompts") or ["{{prompt}}"]):
        text = cast(Mapping[str, Any], prompt).get("raw", "") if isinstance(prompt, Mapping) else prompt
        if not isinstance(text, str):
            raise BadInput("promptfoo, prompts", f"{str(text)[:60]!r} is not a text")
        found.append(read_reference(text, read_file) if text.startswith(FILE_MARK) else text)
    return found


def _tools(config: Mapping[str, Any]) -> list[Any]:
    providers = cast(list[Any], config.get("providers") or [])
    for provider in providers:
        if not isinstance(provider, Mapping):
            continue
        tools = cast(Mapping[str, Any], provider).get("config", {}).get("tools")
        if isinstance(tools, list):
            return cast(list[Any], tools)
    return []


def _document(
    prompt: str, test: PromptfooTest, filling: Filling, left_out: list[str]
) -> dict[str, Any] | None:
    """Return the case of a test, or None if it has assertions and none of them can be imported."""
    assertions = cast(list[_Assertion], filling.fill([*test.assertions], test.variables, where=test.id))
    has_calls = any(assertion.get("type") in _CALLS for assertion in assertions)
    expected: list[Any] = []
    for assertion in assertions:
        found = None if assertion.get("transform") else _expected(assertion, has_calls=has_calls)
        if found is None:
            beside = " with a transform" if assertion.get("transform") else ""
            left_out.append(f"{test.id}: assertion {assertion.get('type')!r}{beside} is not supported")
        else:
            weight = {"weight": assertion["weight"]} if assertion.get("weight") else {}
            expected.append({**found, **weight})
    if not expected and assertions:
        left_out.append(f"{test.id}: has no supported assertions")
        return None
    filled_prompt = str(filling.fill(prompt, test.variables, where=test.id))
    # Without assertions, promptfoo passes each answer. A case needs one, so its calls must be valid.
    document: dict[str, Any] = {"id": test.id, "expect": expected or [{"valid_calls": True}]}
    messages = _messages(filled_prompt)
    return {**document, **({"messages": messages} if messages else {"prompt": filled_prompt})}


def _messages(prompt: str) -> list[Any] | None:
    """Return the messages of a prompt that is a chat in JSON, or None if it is plain text."""
    try:
        value = load_json(prompt)
    except ValueError:
        return None
    return cast(list[Any], value) if isinstance(value, list) else None


def _expected(assertion: _Assertion, *, has_calls: bool) -> dict[str, Any] | None:
    kind = str(assertion.get("type", ""))
    if kind == "is-json" and has_calls:
        # There, the output of an answer with calls is the JSON of the calls, so it is JSON whatever the text is.
        return None if assertion.get("value") else {"call_count": {"at_least": 1}}
    if kind == NO_CALL:
        return {"no_call": True}
    is_negated = kind.startswith(NEGATION)
    maker = _MAKERS.get(kind.removeprefix(NEGATION))
    found = maker(assertion) if maker else None
    return {"not": found} if found and is_negated else found


def _listed(value: Any) -> list[str]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")]
    return [str(part) for part in cast(list[Any], value or [])]


def _pattern(text: Any) -> dict[str, Any]:
    """Return the expectation that the answer contains a text. As in promptfoo, case is significant."""
    return {"text_matches": re.escape(str(text))}


def _of_calls(patterns: list[dict[str, Any]], *, is_whole: bool = False) -> dict[str, Any]:
    options: dict[str, Any] = {} if is_whole else {"allow_extra": True, "within": "turn"}
    return {"calls": patterns, **options}


def _tool_used(assertion: _Assertion) -> dict[str, Any] | None:
    value = assertion.get("value")
    if not isinstance(value, Mapping):
        return _of_calls([{"name": name} for name in _listed(value)])
    fields = cast(Mapping[str, Any], value)
    if "name" not in fields:
        return None
    found: list[dict[str, Any]] = []
    least = int(fields.get("min", 0 if "max" in fields else 1))
    if least:
        found.append(_of_calls([{"name": fields["name"], "count": least}]))
    if "max" in fields:
        found.append({"not": _of_calls([{"name": fields["name"], "count": int(fields["max"]) + 1}])})
    return found[0] if len(found) == 1 else {"all_of": found}


def _tool_sequence(assertion: _Assertion) -> dict[str, Any]:
    value = assertion.get("value")
    fields = cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {"steps": value}
    return {"tool_sequence": _listed(fields.get("steps")), "allow_extra": fields.get("mode") != "exact"}


def _tool_arguments(assertion: _Assertion) -> dict[str, Any] | None:
    value = cast(Mapping[str, Any], assertion.get("value") or {})
    arguments = value.get("args", value.get("arguments"))
    if "name" not in value or not isinstance(arguments, Mapping):
        return None
    key = "arguments" if value.get("mode") == "exact" else "has_arguments"
    return _of_calls([{"name": value["name"], key: arguments}])


def _tool_names(assertion: _Assertion) -> dict[str, Any] | None:
    """Convert `tool-call-f1`. Only a threshold of 1 can be expressed: exactly these names are called."""
    if float(assertion.get("threshold", 1.0)) < 1.0:
        return None
    return _of_calls([{"name": name} for name in _listed(assertion.get("value"))], is_whole=True)


def _valid_calls(_assertion: _Assertion) -> dict[str, Any]:
    return {"all_of": [{"call_count": {"at_least": 1}}, {"valid_calls": True}]}


def _schema(assertion: _Assertion) -> dict[str, Any]:
    value = assertion.get("value")
    return {"answer_schema": value if isinstance(value, Mapping) else {}}


_CALLS: Final = frozenset(
    {"is-valid-openai-tools-call", "is-valid-openai-function-call", "is-valid-function-call", "tool-call-f1"}
)
"""Types of assertions that the output is a call."""
_MAKERS: Final[Mapping[str, Callable[[_Assertion], dict[str, Any] | None]]] = {
    "contains": lambda one: _pattern(one.get("value")),
    "icontains": lambda one: {"text_contains": str(one.get("value"))},
    "contains-all": lambda one: {"all_of": [_pattern(text) for text in _listed(one.get("value"))]},
    "icontains-all": lambda one: {"text_contains": _listed(one.get("value"))},
    "contains-any": lambda one: {"any_of": [_pattern(text) for text in _listed(one.get("value"))]},
    "icontains-any": lambda one: {"any_of": [{"text_contains": text} for text in _listed(one.get("value"))]},
    "equals": lambda one: {"text_matches": rf"\A{re.escape(str(one.get('value')))}\Z"},
    "starts-with": lambda one: {"text_matches": rf"\A{re.escape(str(one.get('value')))}"},
    "regex": lambda one: {"text_matches": str(one.get("value"))},
    "is-json": _schema,
    "llm-rubric": lambda one: {"judge": str(one.get("value"))},
    "latency": lambda one: (
        {"seconds_at_most": float(one["threshold"]) / 1000} if "threshold" in one else None
    ),
    "cost": lambda one: {"cost_at_most": float(one["threshold"])} if "threshold" in one else None,
    "is-valid-openai-tools-call": _valid_calls,
    "is-valid-openai-function-call": _valid_calls,
    "is-valid-function-call": _valid_calls,
    "tool-call-f1": _tool_names,
    "trajectory:tool-used": _tool_used,
    "trajectory:tool-sequence": _tool_sequence,
    "trajectory:tool-args-match": _tool_arguments,
}
"""Type of an assertion to a function that returns the expectation, or None if it cannot be expressed."""


FILE: Final = "promptfooconfig.yaml"
"""The default name of a promptfoo configuration."""


def export_promptfoo(suite: Suite) -> ExportedSuite:
    """Export a suite as a promptfoo configuration. Its provider has the placeholder `MODEL`."""
    left_out: list[str] = []
    tests: list[dict[str, Any]] = []
    tools: list[Any] = []
    for case in suite.cases:
        if len(case.messages) != 1 or case.messages[0].role is not Role.USER:
            left_out.append(f"{case.id}: has earlier messages, but a prompt is one text")
            continue
        assertions = [
            assertion
            for expectation in case.expectations
            for assertion in _asserted(case, expectation, left_out)
        ]
        if assertions:
            variables = {"prompt": case.messages[0].text}
            tests.append({"description": case.id, "vars": variables, "assert": assertions})
            tools.extend(spec for spec in case.tool_specs if spec not in tools)
    config: dict[str, Any] = {
        "description": suite.description or suite.name,
        "prompts": ["{{prompt}}"],
        "providers": [{"id": "openai:chat:MODEL", "config": {"tools": tools}}],
        "tests": tests,
    }
    return ExportedSuite(files={FILE: dump_yaml(config)}, left_out=tuple(left_out))


def _asserted(case: Case, expectation: Expectation, left_out: list[str]) -> list[dict[str, Any]]:
    # promptfoo's check of calls requires a call; `valid_calls` also holds without any.
    is_looser = expectation.valid_calls and not expects_call(case.expectations)
    found = None if is_looser else _assertions(expectation)
    if found is None:
        left_out.append(f"{case.id}: promptfoo has no assertion for {expectation.kind}")
        return []
    weight = {"weight": expectation.weight} if expectation.weight != 1 else {}
    return [{**assertion, **weight} for assertion in found]


def _assertions(expectation: Expectation) -> list[dict[str, Any]] | None:
    """Return equivalent assertions, or None if promptfoo has no such assertions."""
    if expectation.not_:
        inner = _assertions(expectation.not_)
        if not inner or len(inner) != 1 or inner[0]["type"].startswith(NEGATION):
            return None
        return [{**inner[0], "type": NEGATION + inner[0]["type"]}]
    if expectation.calls:
        return _calls_asserted(expectation)
    contained = expectation.text_contains
    if contained is not None:
        texts = [contained] if isinstance(contained, str) else contained
        return [{"type": "icontains", "value": text} for text in texts]
    plain = {
        "regex": expectation.text_matches,
        "is-json": expectation.answer_schema,
        "llm-rubric": expectation.judge,
    }
    for assertion_type, value in plain.items():
        if value is not None:
            return [{"type": assertion_type, "value": value}]
    return _limits_asserted(expectation)


def _limits_asserted(expectation: Expectation) -> list[dict[str, Any]] | None:
    if expectation.no_call:
        return [{"type": NO_CALL}]
    if expectation.valid_calls:
        return [{"type": "is-valid-openai-tools-call"}]
    if expectation.seconds_at_most is not None:
        return [{"type": "latency", "threshold": expectation.seconds_at_most * 1000}]
    if expectation.cost_at_most is not None:
        return [{"type": "cost", "threshold": expectation.cost_at_most}]
    if expectation.tool_sequence is not None:
        mode = "in_order" if expectation.allow_extra else "exact"
        value = {"steps": expectation.tool_sequence, "mode": mode}
        return [{"type": "trajectory:tool-sequence", "value": value}]
    return None


def _calls_asserted(expectation: Expectation) -> list[dict[str, Any]] | None:
    found: list[dict[str, Any]] = []
    names: list[str] = []
    for pattern in expectation.calls or ():
        arguments = _plain_arguments(pattern)
        if arguments is None or not isinstance(pattern.name, str):
            return None
        names.extend([pattern.name] * pattern.count)
        if pattern.count > 1:
            # `tool-call-f1` compares sets of names, so the number of calls needs its own assertion.
            times = {"name": pattern.name, "min": pattern.count}
            found.append({"type": "trajectory:tool-used", "value": times})
        mode = "partial" if pattern.arguments is None else "exact"
        value = {"name": pattern.name, "args": arguments, "mode": mode}
        found.append({"type": "trajectory:tool-args-match", "value": value})
    if expectation.in_order:
        if len(set(names)) < len(names):
            return None
        steps = {"steps": names, "mode": "in_order"}
        found.append({"type": "trajectory:tool-sequence", "value": steps})
    no_others = (
        [] if expectation.allow_extra else [{"type": "tool-call-f1", "value": names, "threshold": 1.0}]
    )
    return [*no_others, *found]


def _plain_arguments(pattern: CallPattern) -> dict[str, Any] | None:
    """Return the arguments if all of them are plain values, or None if one is a condition."""
    arguments = pattern.arguments if pattern.arguments is not None else pattern.has_arguments or {}
    if pattern.optional or pattern.arguments_schema:
        return None
    if any(isinstance(value, dict) for value in arguments.values()):
        return None
    return dict(arguments)
