"""Arguments brought to the types of their schema; each change is told, none is silent."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.check import check_arguments, pointer
from workbench.toolspec.coerce import Coercion, coerced, coercions, types_allowed
from workbench.toolspec.spec import ToolSpec


class Fitted(NamedTuple):
    """Arguments as a handler gets them."""

    arguments: JsonObject
    """With every change made."""
    told: tuple[Finding, ...]
    """A note for each change, by its pointer."""
    broken: tuple[Finding, ...]
    """Where they break the schema all the same."""


def fit_arguments(spec: ToolSpec, arguments: JsonObject) -> Fitted:
    """`arguments` with strings read as what the schema wants, and single values put into wanted arrays.

    A string is read where its text is the JSON of an allowed type (`"42"`, `"[1]"`, `"null"`), or a truth
    value in any case of letters. Where the schema allows a string, nothing is touched. *Source:* FORMATS §7.
    """
    found = [*coercions(spec.parameters, arguments), *_truth_values(spec, arguments)]
    fitted = coerced(arguments, found)
    wrapped = [name for name in fitted if _wants_array(spec, name, fitted[name])]
    fitted = {name: [value] if name in wrapped else value for name, value in fitted.items()}
    told = (
        *(_note(one.path, f"{one.before[:30]!r} is read as {one.after!r}"[:99]) for one in found),
        *(_note((name,), f"the value of {name[:40]!r} is put into an array") for name in wrapped),
    )
    return Fitted(fitted, told, tuple(one for one in check_arguments(spec, fitted) if _is_broken(one)))


def _truth_values(spec: ToolSpec, arguments: JsonObject) -> Iterable[Coercion]:
    for name, value in arguments.items():
        if isinstance(value, str) and value.lower() in ("true", "false") and value != value.lower():
            allowed = _allowed(spec, name)
            if "boolean" in allowed and "string" not in allowed:
                yield Coercion((name,), value, value.lower() == "true")


def _wants_array(spec: ToolSpec, name: str, value: JsonValue) -> bool:
    if value is None or isinstance(value, list | tuple | Mapping):
        return False
    return _allowed(spec, name) == frozenset({"array"})


def _allowed(spec: ToolSpec, name: str) -> frozenset[str]:
    """Types of a declared parameter; none of another one."""
    schema = spec.properties.get(name)
    return types_allowed(schema, spec.parameters) if schema else frozenset()


def _note(path: tuple[str | int, ...], message: str) -> Finding:
    return Finding(
        code="coerced-by-schema", message=message, severity=Severity.NOTE, pointer=pointer(list(path))
    )


def _is_broken(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR
