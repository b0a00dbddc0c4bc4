"""Import typed Python functions as tools. The code is parsed and never run."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonValue
from workbench.errors import BadInput
from workbench.toolspec.importers.chat_apis import ImportedTools, warn_of_loss
from workbench.toolspec.spec import OfferedTools, ToolSpec

MAX_TEXT_CHARS: Final = 100_000
"""Longer texts are rejected, because all other Python threads wait while Python's parser reads one."""
_TYPES: Final[Mapping[str, JsonValue]] = {
    "str": {"type": "string"}, "int": {"type": "integer"}, "float": {"type": "number"},
    "bool": {"type": "boolean"}, "None": {"type": "null"}, "dict": {"type": "object"},
    "Dict": {"type": "object"}, "Mapping": {"type": "object"}, "list": {"type": "array"}, "List": {"type": "array"},
    "Sequence": {"type": "array"}, "tuple": {"type": "array"}, "set": {"type": "array", "uniqueItems": True},
    "Any": {}, "object": {}, "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"}, "Path": {"type": "string"},
}  # fmt: skip
_LISTS: Final = frozenset(
    {"list", "List", "Sequence", "tuple", "Tuple", "Iterable", "set", "frozenset", "Set"}
)
_MAPS: Final = frozenset({"dict", "Dict", "Mapping", "MutableMapping"})
_SECTION: Final = re.compile(r"^\s{0,20}(?:Args|Arguments|Parameters|Params):\s*$", re.I)
_END: Final = re.compile(r"^\s{0,20}(?:Returns?|Yields?|Raises|Examples?|Notes?):\s*$", re.I)
_ARGUMENT: Final = re.compile(r"^\s{1,40}\*{0,2}(\w{1,64})\s{0,3}(?:\([^)\n]{0,200}\))?\s{0,3}:\s{0,3}(.*)$")
_SPHINX: Final = re.compile(r"^\s{0,40}:param\s{1,3}(?:[\w\[\], .]{1,80}\s)?(\w{1,64}):\s{0,3}(.*)$")


def import_python(text: str) -> ImportedTools:
    """Create one tool per function at the top level of the text. Methods and private functions are ignored.

    Annotations become schemas, a default makes a parameter optional, and the docstring (in Google's or Sphinx's style)
    gives the descriptions.

    Raises:
        BadInput: The text is not Python, or contains no function.
    """
    if len(text) > MAX_TEXT_CHARS:
        raise BadInput("python", f"the text has over {MAX_TEXT_CHARS:,} characters")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise BadInput(f"python{line}", f"not Python: {getattr(error, 'msg', error)}") from error
    functions = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
    ]
    if not functions:
        remedy = "write def name(parameter: type): with a docstring"
        raise BadInput("python", "the text contains no function", remedy)
    findings: list[Finding] = []
    specs = tuple(_spec(function, findings) for function in functions)
    return ImportedTools(tools=OfferedTools(specs=specs), form="python", findings=tuple(findings))


def _spec(function: ast.FunctionDef | ast.AsyncFunctionDef, findings: list[Finding]) -> ToolSpec:
    summary, descriptions = _docstring(ast.get_docstring(function) or "")
    properties: dict[str, JsonValue] = {}
    required: list[str] = []
    for argument, default in _arguments(function, findings):
        schema = dict(_schema(argument.annotation, findings, f"/{function.name}/{argument.arg}"))
        if argument.arg in descriptions:
            schema.setdefault("description", descriptions[argument.arg])
        if default is None:
            required.append(argument.arg)
        elif (value := _constant(default)) is not None:
            schema["default"] = value
        properties[argument.arg] = schema
    parameters: dict[str, JsonValue] = {"type": "object", "properties": properties, "required": required}
    return ToolSpec.of_function(
        {"name": function.name, **({"description": summary} if summary else {}), "parameters": parameters}
    )


def _arguments(
    function: ast.FunctionDef | ast.AsyncFunctionDef, findings: list[Finding]
) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Yield each parameter with its default, or None if it is required."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    for argument, default in (
        *zip(plain, defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ):
        if argument.arg not in ("self", "cls"):
            yield argument, default
    variadic = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    findings.extend(
        warn_of_loss(
            f"{argument.arg!r} takes any number of values and was left out",
            f"/{function.name}/{argument.arg}",
        )
        for argument in variadic
    )


def _schema(node: ast.expr | None, findings: list[Finding], where: str) -> Mapping[str, JsonValue]:
    """Return the JSON Schema of an annotation. An unknown type allows any value and is reported."""
    if node is None:
        findings.append(warn_of_loss("the parameter has no type; any value is allowed", where))
        return {}
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return _schema(ast.parse(node.value, mode="eval").body, findings, where)
        except (SyntaxError, ValueError, RecursionError):
            return _unknown(node.value, findings, where)
    if isinstance(node, ast.Constant) and node.value is None:
        return {"type": "null"}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union([node.left, node.right], findings, where)
    if isinstance(node, ast.Subscript):
        return _subscript(node, findings, where)
    name = _last_name(node)
    known = _TYPES.get(name)
    return known if isinstance(known, Mapping) else _unknown(ast.unparse(node), findings, where)


def _subscript(node: ast.Subscript, findings: list[Finding], where: str) -> Mapping[str, JsonValue]:
    name = _last_name(node.value)
    inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Literal":
        values = [
            element.value
            for element in inner
            if isinstance(element, ast.Constant) and isinstance(element.value, str | int | bool)
        ]
        kinds = {type(value) for value in values}
        return {**({"type": "string"} if kinds == {str} else {}), "enum": values}
    if name in ("Optional", "Union"):
        return _union([*inner, *([ast.Constant(None)] if name == "Optional" else [])], findings, where)
    if name == "Annotated":
        texts = (element.value for element in inner[1:] if isinstance(element, ast.Constant))
        description = next((text for text in texts if isinstance(text, str)), "")
        return {
            **_schema(inner[0], findings, where),
            **({"description": description} if description else {}),
        }
    if name in _LISTS:
        return {"type": "array", "items": _schema(inner[0], findings, where)}
    if name in _MAPS:
        return {"type": "object", "additionalProperties": _schema(inner[-1], findings, where)}
    return _unknown(ast.unparse(node), findings, where)


def _union(nodes: list[ast.expr], findings: list[Finding], where: str) -> Mapping[str, JsonValue]:
    parts = [_schema(node, findings, where) for node in nodes]
    if all(set(part) == {"type"} for part in parts):
        kinds = [kind for part in parts for kind in _kinds(part["type"])]
        return {"type": list(dict.fromkeys(kinds))}
    return {"anyOf": parts}


def _kinds(named: JsonValue) -> Sequence[str]:
    return (
        [named]
        if isinstance(named, str)
        else [str(kind) for kind in named]
        if isinstance(named, list)
        else []
    )


def _unknown(text: str, findings: list[Finding], where: str) -> Mapping[str, JsonValue]:
    findings.append(warn_of_loss(f"the type {text[:40]!r} is unknown; any value is allowed", where))
    return {}


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _constant(node: ast.expr) -> JsonValue:
    """Return a default as a JSON value, or None if it is not a string, number or boolean."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, str | int | float | bool) else None


def _docstring(text: str) -> tuple[str, Mapping[str, str]]:
    """Return the docstring's first paragraph, and its description of each parameter."""
    first = " ".join(text.split("\n\n", 1)[0].split())
    descriptions: dict[str, str] = {}
    is_inside, last = False, ""
    for line in text.splitlines():
        if _SECTION.match(line):
            is_inside, last = True, ""
        elif _END.match(line):
            is_inside = False
        elif (match := _SPHINX.match(line)) or (is_inside and (match := _ARGUMENT.match(line))):
            last = match.group(1)
            descriptions[last] = match.group(2).strip()
        elif is_inside and last and line.strip():
            descriptions[last] += " " + line.strip()
    return first, descriptions
