"""Expand the tests of a promptfoo configuration: defaults, scenarios, variables with several values, and files.

*Source:* https://www.promptfoo.dev/docs/configuration/guide/, `/test-cases/` and `/scenarios/`. A variable that is a
list makes one test of each of its values; several lists make one test of each combination.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Final, cast

import yaml

from workbench.chat.json_value import JsonValue
from workbench.errors import BadInput
from workbench.toolspec.yaml_text import load_yaml

FILE_MARK: Final = "file://"
ReadFile = Callable[[str], str]
"""Reads a text file by its path, relative to the configuration. Raises `BadInput`."""
MOST_TESTS: Final = 10_000
"""Maximum number of tests of a configuration. Ten variables with ten values each would be ten billion."""
_TEXT_ENDINGS: Final = (".txt", ".md", ".json")
_YAML_ENDINGS: Final = (".yaml", ".yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptfooTest:
    """A test with one value for each variable."""

    id: str
    variables: Mapping[str, JsonValue]
    assertions: Sequence[Mapping[str, Any]]


def expanded_tests(
    config: Mapping[str, Any], read_file: ReadFile, left_out: list[str]
) -> Iterator[PromptfooTest]:
    """Yield the tests of a configuration, those of scenarios last.

    Args:
        left_out: Gets a line for each test that is skipped, with the reason.

    Raises:
        BadInput: The scenarios have too many tests.
    """
    shared = _fields(config.get("defaultTest"))
    if isinstance(config.get("defaultTest"), str):
        left_out.append(f"defaultTest: {config['defaultTest']!r} is in another file")
    for number, test in enumerate(_tests(config), start=1):
        if number > MOST_TESTS:
            raise BadInput("promptfoo", f"more than {MOST_TESTS:,} tests", "split the configuration")
        if not isinstance(test, Mapping):
            left_out.append(f"test-{number}: {str(test)[:80]!r} is in another file")
            continue
        fields = _fields(test)
        test_id = str(fields.get("description") or f"test-{number}")
        if _transform(shared) or _transform(fields):
            left_out.append(f"{test_id}: a transform of the answer is not supported")
            continue
        try:
            yield from _combinations(test_id, shared, fields, read_file)
        except BadInput as error:
            left_out.append(f"{test_id}: {error}")


def read_reference(reference: str, read_file: ReadFile) -> str:
    """Return the text that `file://PATH` stands for. YAML becomes JSON, as in promptfoo.

    Raises:
        BadInput: The file is not a text, is outside of the configuration's folder, or cannot be read.
    """
    path = reference.removeprefix(FILE_MARK)
    if path.startswith(("/", "~")) or ".." in path.split("/"):
        raise BadInput(f"file {path!r}", "it is outside of the folder of the configuration")
    if "*" in path or not path.endswith((*_TEXT_ENDINGS, *_YAML_ENDINGS)):
        raise BadInput(f"file {path!r}", "only text, JSON and YAML files are read")
    text = read_file(path)
    if not path.endswith(_YAML_ENDINGS):
        return text.strip()
    try:
        return json.dumps(load_yaml(text), ensure_ascii=False)
    except yaml.YAMLError as error:
        raise BadInput(f"file {path!r}", "not YAML") from error


def _tests(config: Mapping[str, Any]) -> Iterator[Any]:
    yield from cast(list[Any], config.get("tests") or [])
    for scenario in map(_fields, cast(list[Any], config.get("scenarios") or [])):
        for data in map(_fields, cast(list[Any], scenario.get("config") or [{}])):
            for test in map(_fields, cast(list[Any], scenario.get("tests") or [{}])):
                yield {**data, **test, "vars": {**_fields(data.get("vars")), **_fields(test.get("vars"))}}


def _combinations(
    test_id: str, shared: Mapping[str, Any], test: Mapping[str, Any], read_file: ReadFile
) -> Iterator[PromptfooTest]:
    variables = {**_fields(shared.get("vars")), **_fields(test.get("vars"))}
    assertions = [*(shared.get("assert") or ()), *(test.get("assert") or ())]
    options = {**_fields(shared.get("options")), **_fields(test.get("options"))}
    are_expanded = not options.get("disableVarExpansion")
    values = [
        value if isinstance(value, list) and are_expanded else [value]
        for value in cast(Mapping[str, JsonValue], variables).values()
    ]
    count = prod(map(len, values))
    if count > MOST_TESTS:
        problem = f"its variables have {count:,} combinations, more than {MOST_TESTS:,}"
        raise BadInput("vars", problem, "write fewer values")
    for number, combination in enumerate(product(*values), start=1):
        yield PromptfooTest(
            id=test_id if count == 1 else f"{test_id}-{number}",
            variables={
                name: read_reference(value, read_file)
                if isinstance(value, str) and value.startswith(FILE_MARK)
                else value
                for name, value in zip(variables, combination, strict=True)
            },
            assertions=assertions,
        )


def _transform(test: Mapping[str, Any]) -> bool:
    options = _fields(test.get("options"))
    return bool(options.get("transform") or options.get("postprocess"))


def _fields(value: Any) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {}
