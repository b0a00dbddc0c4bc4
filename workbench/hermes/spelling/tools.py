"""Write the offered tools between `<tools>` and `</tools>`: as JSON lines, a JSON array, XML, or Python."""

import json
from collections.abc import Iterator, Mapping
from typing import Final, cast

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.toolspec.spec import OfferedTools, ToolSpec, cached_on


def template_json(value: JsonValue) -> str:
    """Write JSON as `tojson` does in Hugging Face chat templates: a space after `,` and `:`, no escapes.

    *Source:* `chat_template_utils` in https://github.com/huggingface/transformers

    >>> template_json({"q": "a<b> é", "n": None})
    '{"q": "a<b> é", "n": null}'
    """
    return _TEMPLATE_JSON.encode(value)


def python_repr(value: JsonValue) -> str:
    """Write a value as Python's `repr` does.

    >>> python_repr({"ok": True, "x": None})
    "{'ok': True, 'x': None}"
    """
    return repr(_plain(value))


def json_lines(tools: OfferedTools) -> str:
    """Write one spec per line. *Source:* Qwen2.5 and Qwen3 chat templates."""
    return "\n".join(cached_on(spec, "_json_line", _json_line) for spec in tools.specs)


def _json_line(spec: ToolSpec) -> str:
    return template_json(spec.document)


def json_array(tools: OfferedTools) -> str:
    """Write all specs as one JSON array on one line. *Source:* l3m-backend, see `docs/explanation/background.md`."""
    return template_json([spec.document for spec in tools.specs])


def python_list(tools: OfferedTools) -> str:
    """Write all specs as a Python list. *Source:* README of Hermes-Function-Calling."""
    return python_repr([spec.document for spec in tools.specs])


def _plain(value: object) -> JsonValue:
    """Convert all mappings in `value` to dictionaries and all sequences to lists."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in cast(JsonObject, value).items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in cast(list[JsonValue], value)]
    return cast(JsonValue, value)


_TEMPLATE_JSON: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False, default=_plain)
"""`json.dumps` would make a new encoder for each call, which takes longer than most arguments. A value of JSON cannot
contain itself."""


def function_elements(tools: OfferedTools) -> str:
    """Write one `<function>` element per tool, with each tag on its own line. *Source:* Qwen3-Coder chat template."""
    return "\n".join("\n".join(_function(spec)) for spec in tools.specs)


def _function(spec: ToolSpec) -> Iterator[str]:
    function = spec.function
    yield "<function>"
    yield f"<name>{spec.name}</name>"
    if "description" in function:
        yield f"<description>{_text(function['description']).strip()}</description>"
    yield "<parameters>"
    for name, schema in as_object(spec.parameters.get("properties")).items():
        yield from _parameter(name, as_object(schema))
    yield from _other_keys(spec.parameters, frozenset({"type", "properties"}))
    yield "</parameters>"
    yield from _other_keys(function, frozenset({"type", "name", "description", "parameters"}))
    yield "</function>"


def _parameter(name: str, schema: JsonObject) -> Iterator[str]:
    yield "<parameter>"
    yield f"<name>{name}</name>"
    if "type" in schema:
        yield f"<type>{_text(schema['type'])}</type>"
    if "description" in schema:
        yield f"<description>{_text(schema['description']).strip()}</description>"
    yield from _other_keys(schema, frozenset({"name", "type", "description"}))
    yield "</parameter>"


def _other_keys(fields: JsonObject, handled: frozenset[str]) -> Iterator[str]:
    for key, value in fields.items():
        if key not in handled:
            text = template_json(value) if isinstance(value, Mapping) else _text(value)
            yield f"<{key}>{text}</{key}>"


def _text(value: JsonValue) -> str:
    """Return text unchanged, and other values as Python writes them, such as `['city']` or `None`."""
    return value if isinstance(value, str) else python_repr(value)


_TYPE_WORDS: Final = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"}
TOOLS_NOT_JSON: Final = "tools-not-json"
"""Code of the finding that a template's tool lines are not JSON."""


def signature_lines(tools: OfferedTools) -> str:
    """Write one line per tool as Hermes-3's template does. It is not JSON, for two reasons.

    The description holds a Python signature with unescaped line breaks, and the last closing brace is missing.
    """
    return "\n".join(_line(spec) for spec in tools.specs)


def closed_signature_lines(tools: OfferedTools) -> str:
    """Write the lines of `signature_lines` with the missing brace, as in prompts of earlier versions."""
    return "\n".join(_line(spec) + "}" for spec in tools.specs)


def python_type(schema: JsonValue) -> str:
    """Return the Python type of a parameter as the Hermes-3 template writes it, including its mistakes.

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
            # The template looks up the type of a list of (key, value) pairs, which has none.
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
    """Report what is wrong with the lines of `signature_lines`. Pointers lead into the array of specs."""
    findings = [_not_json(tools)] if tools.specs else []
    for index, spec in enumerate(tools.specs):
        findings.extend(_crash_findings(spec, f"/{index}/function"))
    return tuple(findings)


def _line(spec: ToolSpec) -> str:
    signature = ", ".join(f"{name}: {python_type(schema)}" for name, schema in _declared(spec).items())
    returns = spec.function.get("return")
    arrow = f" -> {python_type(returns)}" if "return" in spec.function else ""
    description = f"{spec.name}({signature}){arrow} - {spec.description}\n\n{_args(spec)}{_returns(returns)}"
    parameters = template_json(spec.parameters) if _declared(spec) else "{}"
    # The template opens two objects around the parameters and closes one.
    return (
        f'{{"type": "function", "function": {{"name": "{spec.name}", "description": "{description}"'
        f', "parameters": {parameters}}}'
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
    # Not `spec.properties`, which replaces a schema of `true` by an empty object.
    return as_object(spec.parameters.get("properties"))


def _description(schema: JsonValue) -> str:
    fields = as_object(schema)
    return str(fields["description"]) if "description" in fields else ""


def _not_json(tools: OfferedTools) -> Finding:
    count = len(tools.specs)
    return Finding(
        code=TOOLS_NOT_JSON,
        message=f"the tool lines ({count}) are not JSON: raw line breaks, a missing brace; 'hermes-3-sane' writes JSON",
        severity=Severity.WARNING,
    )


def _crash_findings(spec: ToolSpec, pointer: str) -> list[Finding]:
    findings: list[Finding] = []
    if not isinstance(spec.function.get("description"), str):
        findings.append(_would_crash(f"tool {spec.name!r} has no description", pointer))
    if "parameters" not in spec.function:
        findings.append(_would_crash(f"tool {spec.name!r} has no parameters", pointer))
    if not isinstance(spec.parameters.get("properties", {}), Mapping):
        place = f"{pointer}/parameters/properties"
        findings.append(_would_crash(f"the properties of {spec.name!r} are not an object", place))
    for name, schema in _declared(spec).items():
        if not _is_spellable(schema):
            place = f"{pointer}/parameters/properties/{name.replace('~', '~0').replace('/', '~1')}/type"
            findings.append(_would_crash(f"it does not know the type of {name!r}", place))
    return findings


def _is_spellable(schema: JsonValue) -> bool:
    """Return whether the published template knows a type. An unknown type name makes it recurse without end."""
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
        message=f"the published template crashes: {why}; it was rendered anyway",
        severity=Severity.WARNING,
        pointer=pointer,
    )
