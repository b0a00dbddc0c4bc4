"""How Hermes-2-Pro and Hermes-3 were shown their tools: a Python signature pasted into a JSON string.

Each line is invalid JSON (the signature brings raw line breaks); the models were trained on exactly this.

*Source:* `NousResearch-Hermes-3-Llama-3.1-8B-tool_use.jinja` in llama.cpp's templates.
"""

from collections.abc import Mapping
from typing import Final

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonValue, as_object
from workbench.hermes.spelling.tools import spelled_json
from workbench.toolspec.spec import OfferedTools, ToolSpec

_TYPE_WORDS: Final = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"}


def signature_lines(tools: OfferedTools) -> str:
    """One pseudo-JSON a line."""
    return "\n".join(_line(spec) for spec in tools.specs)


def python_type(schema: JsonValue) -> str:
    """The type word of a parameter, oddities included.

    >>> python_type({"type": "integer"}), python_type({"type": ["string", "integer"]})
    ('int', 'Union[str,int]')
    >>> python_type({"type": "array", "items": {"type": "string"}}), python_type({"enum": ["a"]})
    ('list[Union[]]', 'Union[]')
    """
    fields = as_object(schema)
    match fields.get("type"):
        case str(word) if word in _TYPE_WORDS:
            return _TYPE_WORDS[word]
        case "array":
            # The template asks the type of the list of (key, value) pairs, which has none.
            return "list[Union[]]"
        case "object":
            if "additionalProperties" not in fields:
                return "dict"
            return f"dict[str, {python_type(fields['additionalProperties'])}]"
        case "null":
            return "None"
        case [*words]:
            return f"Union[{','.join(python_type({'type': word}) for word in words)}]"
        case None if "type" not in fields:
            return "Union[]"
        case "":
            return "Union[]"
        case _:
            return "Any"


def signature_findings(tools: OfferedTools) -> tuple[Finding, ...]:
    """What is wrong with these lines; `pointer` leads into the array of specs."""
    findings = [_not_json(tools)] if tools.specs else []
    for index, spec in enumerate(tools.specs):
        findings.extend(_crash_findings(spec, f"/{index}/function"))
    return tuple(findings)


def _line(spec: ToolSpec) -> str:
    signature = ", ".join(f"{name}: {python_type(schema)}" for name, schema in _declared(spec).items())
    returns = spec.function.get("return")
    arrow = f" -> {python_type(returns)}" if "return" in spec.function else ""
    description = f"{spec.name}({signature}){arrow} - {spec.description}\n\n{_args(spec)}{_returns(returns)}"
    parameters = spelled_json(spec.parameters) if _declared(spec) else "{}"
    return (
        f'{{"type": "function", "function": {{"name": "{spec.name}", "description": "{description}"'
        f', "parameters": {parameters}}}}}'
    )


def _args(spec: ToolSpec) -> str:
    declared = _declared(spec)
    listed = "".join(
        f"        {name}({python_type(schema)}): {_description(schema).strip()}"
        for name, schema in declared.items()
    )
    return f"    Args:\n{listed}" if declared else ""


def _returns(returns: JsonValue) -> str:
    return f"\n    Returns:\n        {_description(returns)}" if "description" in as_object(returns) else ""


def _declared(spec: ToolSpec) -> Mapping[str, JsonValue]:
    # Not `spec.properties`: a property whose schema is `true` must stay what it is.
    return as_object(spec.parameters.get("properties"))


def _description(schema: JsonValue) -> str:
    fields = as_object(schema)
    return str(fields["description"]) if "description" in fields else ""


def _not_json(tools: OfferedTools) -> Finding:
    count = len(tools.specs)
    return Finding(
        code="tools-not-json",
        message=f"{count} of {count} tool lines are not JSON, as trained; 'hermes-3-sane' writes JSON",
        severity=Severity.WARNING,
    )


def _crash_findings(spec: ToolSpec, pointer: str) -> list[Finding]:
    findings: list[Finding] = []
    if not isinstance(spec.function.get("description"), str):
        findings.append(_would_crash(f"tool {spec.name!r} has no description", pointer))
    if "parameters" not in spec.function:
        findings.append(_would_crash(f"tool {spec.name!r} has no parameters", pointer))
    for name, schema in _declared(spec).items():
        if not _is_spellable(schema):
            place = f"{pointer}/parameters/properties/{name.replace('~', '~0').replace('/', '~1')}/type"
            findings.append(_would_crash(f"the type of {name!r} is one that it cannot name", place))
    return findings


def _is_spellable(schema: JsonValue) -> bool:
    """False where the published template runs into endless recursion: it walks an unknown word's letters."""
    fields = as_object(schema)
    match fields.get("type"):
        case str(word):
            if word == "object" and "additionalProperties" in fields:
                return _is_spellable(fields["additionalProperties"])
            return word in _TYPE_WORDS or word in ("array", "object", "")
        case [*words]:
            return all(_is_spellable({"type": word}) for word in words)
        case _:
            return True


def _would_crash(why: str, pointer: str) -> Finding:
    return Finding(
        code="template-would-crash",
        message=f"the published template crashes: {why}; ours goes on",
        severity=Severity.WARNING,
        pointer=pointer,
    )
