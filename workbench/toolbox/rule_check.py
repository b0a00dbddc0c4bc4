"""A person's text of mock rules, checked as it is typed."""

from typing import Any

import yaml
from pydantic import ValidationError

from workbench.chat.finding import Finding
from workbench.errors import BadInput
from workbench.toolbox.catalog_form import ToolFile, rule_fields, tool_problems
from workbench.toolspec.budget import REQUEST_STEPS, budget
from workbench.toolspec.check import check_spec, pointer
from workbench.toolspec.spec import ToolSpec
from workbench.toolspec.yaml_text import compose_yaml, load_yaml


def check_rules(spec: ToolSpec, rules_text: str) -> tuple[Finding, ...]:
    """Everything that keeps rules from being used, each with line and pointer; empty where nothing does."""
    try:
        loaded = load_yaml(rules_text)
        tree = compose_yaml(rules_text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        return (_fault(str(problem), (), (mark.line + 1) if mark else 1),)
    is_list = isinstance(loaded, list)
    try:
        file = ToolFile.model_validate({**rule_fields(loaded), "function": dict(spec.function)})
        with budget(REQUEST_STEPS):
            faults = list(tool_problems(file)) if not check_spec(spec) else []
    except BadInput as error:
        return (_fault(error.problem, (), 1),)
    except ValidationError as error:
        faults = [(one["loc"], one["msg"]) for one in error.errors()]
    # A bare list stands in the text without the `mocks` around it.
    places = [
        (place[1:] if is_list and place[:1] == ("mocks",) else place, problem) for place, problem in faults
    ]
    return tuple(_fault(problem, place, _line_of(tree, place)) for place, problem in places)


def _fault(problem: str, place: tuple[str | int, ...], line: int) -> Finding:
    return Finding(
        code="rules-unsound", message=" ".join(problem.split())[:200], pointer=pointer(list(place)), line=line
    )


def _line_of(tree: Any, place: tuple[str | int, ...]) -> int:
    """Line, from 1, of what `place` leads to; of its nearest parent where it is missing."""
    node, line = tree, 1
    for part in place:
        if isinstance(node, yaml.MappingNode):
            found = next((value for key, value in node.value if key.value == str(part)), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            found = node.value[part]
        else:
            found = None
        if found is None:
            break
        node, line = found, found.start_mark.line + 1
    return line
