"""Check tool specs, and arguments against their JSON Schema.

*Source:* JSON Schema Draft 2020-12, https://json-schema.org/draft/2020-12
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, as_object, pointer
from workbench.chat.near_names import did_you_mean
from workbench.chat.short_text import shortened
from workbench.toolspec.budget import BudgetExceeded, budget
from workbench.toolspec.coerce import types_allowed
from workbench.toolspec.normal_schema import NormalSchema, normal_schema
from workbench.toolspec.plain_schema import PLAIN_NAME, are_surely_plain_tools
from workbench.toolspec.quick import is_surely_valid
from workbench.toolspec.spec import ToolSpec

if TYPE_CHECKING:
    from jsonschema.exceptions import SchemaError, ValidationError
    from jsonschema.protocols import Validator

UNSOUND: Final = "spec-unsound"
"""Code of the finding that a spec cannot be used, so that its tool is left out."""
TOO_COSTLY: Final = "schema-too-costly"
"""Code of the finding that a check would take too much work."""
NOT_DECLARED: Final = "required-not-declared"
"""Code of the finding that a required parameter is not one of the properties."""
_NAME: Final = re.compile(PLAIN_NAME)
_PATH: Final = re.compile(r"[A-Za-z0-9_.:/-]{1,64}")
"""Names that some servers accept, such as `math.factorial`."""
_MAX_FINDINGS: Final = 100
_LONGEST_VALUE: Final = 30


def check_arguments(spec: ToolSpec, arguments: JsonObject) -> tuple[Finding, ...]:
    """Return one finding for each violation of the schema of `spec`, at most 100.

    The code is `schema-` and the keyword in kebab case. `schema-missing-required` and `schema-unknown-argument`
    have one finding per name. Pointers lead into the arguments.

    An invalid schema gives one warning, `schema-invalid`, and a check that takes too much work gives
    `schema-too-costly`. In both cases the arguments count as unchecked. A pattern that cannot be run gives a
    warning.
    """
    if is_surely_valid(spec, arguments):
        return ()
    # Here and below: jsonschema is slow to import, and most schemas and arguments do not need it.
    from workbench.toolspec.validator import validator_of

    try:
        validator, about_schema = validator_of(spec)
    except BudgetExceeded as error:
        return (_too_costly(error),)
    # Pointers lead into the arguments here.
    warnings = tuple(replace(finding, pointer=None) for finding in about_schema)
    if validator is None:
        return warnings
    try:
        with budget():
            errors = islice(_findings(validator, arguments), _MAX_FINDINGS)
            return (*warnings, *errors)
    except BudgetExceeded as error:
        return (*warnings, _too_costly(error))
    except RecursionError:
        return (*warnings, _invalid_schema("it is nested too deeply, or refers to itself"))
    except Exception as error:  # noqa: BLE001  jsonschema raises many kinds on a bad schema: unknown $ref, recursion
        return (*warnings, _invalid_schema(str(error)))


def check_spec(spec: ToolSpec) -> tuple[Finding, ...]:
    """Return what is wrong or unusual in a spec. Empty if there is nothing to report.

    With an error, the tool cannot be offered. With a warning or a note it can: the finding says how the spec is read,
    or which part of it is not checked.
    """
    function = spec.document.get("function")
    if not isinstance(function, Mapping):
        return (_spec_finding("the spec has no `function` object", "/function"),)
    findings = list(_name_findings(function.get("name")))
    if not _is_readable(function.get("parameters", {})):
        findings.append(_spec_finding("`parameters` is not an object", "/function/parameters"))
    else:
        findings.extend(_schema_findings(spec))
    return tuple(findings)


def spec_errors(spec: ToolSpec) -> tuple[Finding, ...]:
    """Return why a tool cannot be offered. Empty if it can."""
    return tuple(finding for finding in check_spec(spec) if finding.severity is Severity.ERROR)


def _is_readable(parameters: JsonValue) -> bool:
    return isinstance(parameters, Mapping) or bool(normal_schema(parameters).repairs)


def _name_findings(name: JsonValue) -> Iterator[Finding]:
    where = "/function/name"
    if not isinstance(name, str) or not name.strip():
        yield _spec_finding("the tool has no name", where)
    elif not _NAME.fullmatch(name):
        severity = Severity.NOTE if _PATH.fullmatch(name) else Severity.WARNING
        text = "some providers refuse the name; use 1 to 64 of A-Z a-z 0-9 _ -"
        yield Finding(code="spec-name", message=text, severity=severity, pointer=where)


def are_surely_valid_specs(specs: Sequence[ToolSpec]) -> bool:
    """Return True if `check_spec` would certainly find nothing in any spec.

    False does not mean that anything is wrong.
    """
    if not are_surely_plain_tools([spec.document for spec in specs]):
        return False
    for spec in specs:
        function: Any = spec.document["function"]
        schema = function["parameters"]
        for required in schema.get("required", ()):
            if required not in schema["properties"]:
                return False
        # What was looked up is what the cached properties of the spec would look up again.
        known = spec.__dict__
        known["function"], known["name"] = function, function["name"]
        known["parameters"] = known["schema"] = schema
    return True


def undeclared_argument(parameters: JsonObject, name: str) -> str:
    """Return a hint about the argument that was probably meant if a schema does not declare `name`, else nothing.

    A schema without properties, or one that allows additional properties explicitly, declares any name.
    """
    properties = as_object(parameters.get("properties"))
    if not properties or name in properties or parameters.get("additionalProperties", False):
        return ""
    if any(key in parameters for key in ("patternProperties", "allOf", "anyOf", "oneOf", "$ref")):
        return ""
    return did_you_mean(name, properties, otherwise=f"its arguments: {', '.join(properties)}")


def _schema_findings(spec: ToolSpec) -> Iterator[Finding]:
    normal, root = spec.normal, ("function", "parameters")
    for repair in normal.repairs:
        severity = Severity.NOTE if repair.code == "spec-nullable" else Severity.WARNING
        where = pointer((*root, *repair.where))
        yield Finding(code=repair.code, message=repair.message, severity=severity, pointer=where)
    if "object" not in types_allowed({"type": normal.schema.get("type", "object")}, {}):
        yield _spec_finding("the schema of the arguments must have type object", "/function/parameters/type")
    if not normal.is_plain and (problem := _schema_problem(normal)):
        yield problem
        return
    for required in spec.required:
        if required not in spec.properties:
            text = f"{shortened(required, 40)!r} is required but not one of the properties"
            place = "/function/parameters/required"
            yield Finding(code=NOT_DECLARED, message=text, severity=Severity.WARNING, pointer=place)
    if not normal.is_plain:
        from workbench.toolspec.validator import validator_of

        try:
            yield from validator_of(spec)[1]
        except BudgetExceeded as error:
            yield _spec_finding(f"the schema is invalid: {error.problem}", "/function/parameters")


def _schema_problem(normal: NormalSchema) -> Finding | None:
    from jsonschema.exceptions import SchemaError

    from workbench.toolspec.validator import check_schema

    try:
        check_schema(normal.schema, normal.draft)
    except SchemaError as error:
        where = pointer(list(error.absolute_path))
        problem = f"the schema is invalid: {_problem_of(error)}"
        return _spec_finding(problem, "/function/parameters" + where)
    except BudgetExceeded as error:
        return _spec_finding(f"the schema is invalid: {error.problem}", "/function/parameters")
    return None


def _problem_of(error: "ValidationError | SchemaError") -> str:
    """Say what is wrong with a schema, in the words of the keyword that its value violates."""
    if not error.validator:
        return error.message
    keyword = str(error.absolute_path[-1]) if error.absolute_path else "the schema"
    value = _shown(cast(JsonValue, error.instance))
    if keyword == "type" or error.validator in ("enum", "anyOf"):
        return f"{shortened(keyword, 20)!r} cannot be {value}"
    limit = _shown(cast(JsonValue, error.validator_value))
    return f"{shortened(keyword, 20)!r} is {value}, which violates {error.validator} {limit}"


def _spec_finding(message: str, where: str) -> Finding:
    return Finding(code=UNSOUND, message=shortened(message), pointer=where)


def _invalid_schema(problem: str) -> Finding:
    message = f"the arguments were not checked because the schema is invalid: {_short(problem)}"
    return Finding(code="schema-invalid", message=shortened(message), severity=Severity.WARNING)


def _too_costly(error: BudgetExceeded) -> Finding:
    return Finding(
        code=TOO_COSTLY,
        message=shortened(f"the arguments were not checked: {error.problem}; simplify the schema"),
        severity=Severity.WARNING,
    )


def _findings(validator: "Validator", arguments: JsonObject) -> Iterator[Finding]:
    for error in validator.iter_errors(arguments):
        places = list(error.absolute_path)
        if error.validator == "required":
            yield _missing(error, places)
        elif error.validator == "additionalProperties" and error.validator_value is False:
            yield from _unknown(error, places)
        else:
            yield _broken(error, places)


def _missing(error: "ValidationError", places: list[str | int]) -> Finding:
    match = re.match(r"(['\"])(.*)\1 is a required property", error.message, re.DOTALL)
    name = match.group(2) if match else ""
    return Finding(
        code="schema-missing-required",
        message=f"the required argument {shortened(name, 40)!r} is missing",
        pointer=pointer([*places, name]),
    )


def _unknown(error: "ValidationError", places: list[str | int]) -> Iterator[Finding]:
    from workbench.toolspec.bounded_validator import extra_names

    schema = cast(JsonObject, error.schema)
    for name in extra_names(cast(JsonObject, error.instance), schema):
        yield Finding(
            code="schema-unknown-argument",
            message=f"the argument {shortened(name, 40)!r} is not in the schema",
            pointer=pointer([*places, name]),
        )


def _broken(error: "ValidationError", places: list[str | int]) -> Finding:
    keyword = str(error.validator) if error.validator else "false"
    where = pointer(places)
    limit = _shown(cast(JsonValue, error.validator_value))
    value = _shown(cast(JsonValue, error.instance))
    return Finding(
        code="schema-" + re.sub(r"(?<!^)([A-Z])", r"-\1", keyword).lower().lstrip("$"),
        message=shortened(f"{where or 'the arguments'}: {value} violates {keyword} {limit}"),
        pointer=where,
    )


def _shown(value: JsonValue) -> str:
    """Return the start of a value's `repr`, without computing all of it for a large value."""
    return _short("".join(_pieces(value, [_LONGEST_VALUE + 1])))


def _pieces(value: JsonValue, room: list[int]) -> Iterator[str]:
    """Yield pieces of a value's `repr` until `room[0]` characters are used up."""
    if isinstance(value, str):
        yield repr(value[: room[0] + 1])
        room[0] -= len(value)
    elif isinstance(value, Mapping):
        yield "{"
        for place, (name, inner) in enumerate(value.items()):
            if room[0] < 0:
                return
            yield from (", " * (place > 0), *_pieces(name, room), ": ", *_pieces(inner, room))
        yield "}"
    elif isinstance(value, list | tuple):
        yield "["
        for place, inner in enumerate(value):
            if room[0] < 0:
                return
            yield from (", " * (place > 0), *_pieces(inner, room))
        yield "]"
    else:
        yield repr(value)
    room[0] -= 2


def _short(text: str) -> str:
    return shortened(text.splitlines()[0], _LONGEST_VALUE) if text else ""
