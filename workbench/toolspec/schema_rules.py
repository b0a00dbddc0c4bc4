"""Compile JSON Schema to grammar rules, and report the keywords that a grammar cannot enforce.

The rules may allow less than the schema: keys have one order, and an object that does not mention other keys is closed.
They never allow more without a report: each keyword that they do not enforce gives a finding.

*Source:* JSON Schema Draft 2020-12, https://json-schema.org/draft/2020-12
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import ConstraintFailed
from workbench.toolspec.check import pointer
from workbench.toolspec.gbnf import GrammarRules, literal

ANNOTATIONS: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "nullable"}
    | {"$schema", "$id", "$comment", "$defs", "definitions", "$anchor", "contentMediaType", "contentEncoding"}
)
"""Keywords that do not restrict a value."""
SHAPE: Final = frozenset({"type", "const", "enum", "$ref", "anyOf", "oneOf", "allOf"})
"""Keywords that the rules can enforce for every type."""
EXPRESSED: Final[Mapping[str, frozenset[str]]] = {
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems"}),
    "string": frozenset({"minLength", "maxLength"}),
    "integer": frozenset({"minimum", "maximum"}),
    "number": frozenset({"minimum"}),
    "boolean": frozenset(),
    "null": frozenset(),
}
"""Keywords that the rules can enforce, by the type that they apply to."""
_IMPLIED_TYPE: Final[Mapping[str, str]] = {
    **dict.fromkeys(("properties", "required", "additionalProperties", "patternProperties"), "object"),
    **dict.fromkeys(("items", "prefixItems", "minItems", "maxItems", "uniqueItems"), "array"),
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format"), "string"),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), "number"),
}
"""The type that a keyword implies if the schema has no `type`."""


def kinds_of(schema: JsonObject) -> tuple[str, ...]:
    """Return the types that a schema names, or that its keywords imply. Empty if any type is allowed.

    >>> kinds_of({"type": ["string", "null"]}), kinds_of({"properties": {}}), kinds_of({})
    (('string', 'null'), ('object',), ())
    """
    named = schema.get("type")
    if isinstance(named, str):
        kinds: tuple[str, ...] = (named,)
    elif isinstance(named, list | tuple):
        kinds = tuple(str(kind) for kind in named)
    else:
        implied = next((_IMPLIED_TYPE[keyword] for keyword in schema if keyword in _IMPLIED_TYPE), None)
        kinds = (implied,) if implied else ()
    return (*kinds, "null") if kinds and schema.get("nullable") is True and "null" not in kinds else kinds


def target_of(document: JsonValue, ref: str) -> JsonValue:
    """Return the target of a local reference, or None if it does not exist."""
    if ref != "#" and not ref.startswith("#/"):
        return None
    value = document
    for step in map(unescaped, ref.split("/")[1:]):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list | tuple):
            value = value[int(step)] if step.isdigit() and int(step) < len(value) else None
        else:
            return None
    return value


def unescaped(text: str) -> str:
    """Return the key that a part of a JSON pointer names. *Source:* RFC 6901."""
    return text.replace("~1", "/").replace("~0", "~")


MAX_REPETITIONS: Final = 256
"""Larger limits on lengths are not enforced, because llama.cpp unrolls repetitions."""
MAX_NUMBERS: Final = 128
"""Wider ranges of integers are not written out."""

Where = tuple[str | int, ...]
"""Keys and indexes that lead to a position in the document to which findings point."""


class SchemaRules:
    """Add the rules of the schemas in one document to a grammar.

    Args:
        rules: The grammar.
        document: The document to which local `$ref`s refer.
        where: Position of the document, for findings.
    """

    def __init__(self, rules: GrammarRules, document: JsonValue, *, where: Where = ()) -> None:
        self._rules = rules
        self._document = document
        self.root = where
        self._by_ref: dict[str, str] = {}
        self.findings: list[Finding] = []

    def whole(self) -> str:
        """Return the rule text for JSON that fits the whole document.

        Raises:
            ConstraintFailed: The schema has a broken reference, allows no value, or is nested too deeply.
        """
        try:
            return self.value(self._document, self.root)
        except RecursionError as error:
            raise ConstraintFailed("the schema is nested too deeply") from error

    def value(self, schema: JsonValue, where: Where) -> str:
        """Return the rule text for JSON that fits a schema of the document."""
        self._rules.count()
        if schema is True or schema == {}:
            return "value"
        if not isinstance(schema, Mapping):
            raise ConstraintFailed(f"{pointer(list(where)) or 'the schema'} allows no value")
        schema = self._with_all_of(schema, where)
        if "$ref" in schema:
            self._report_others(schema, where)
            return self._ref(str(schema["$ref"]), where)
        for keyword in ("const", "enum"):
            if keyword in schema:
                self._report_others(schema, where)
                return self._constants(schema, keyword)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                return self._branches(schema, keyword, where)
        kinds = kinds_of(schema)
        self._report_others(schema, where, *kinds)
        return self._rules.either(self._kind(kind, schema, where) for kind in kinds) if kinds else "value"

    def resolved(self, schema: JsonValue) -> JsonValue:
        """Follow `$ref` and return its target. A reference that leads back to itself is returned unchanged."""
        seen: set[str] = set()
        while isinstance(schema, Mapping) and isinstance(ref := schema.get("$ref"), str) and ref not in seen:
            seen.add(ref)
            schema = self._followed(ref, self.root)
        return schema

    def report_all(self, schema: JsonObject, where: Where) -> None:
        """Report every keyword of the schema, because its rule allows any text."""
        self._report_others(schema, where)

    def constants(self, schema: JsonObject) -> Sequence[JsonValue]:
        """Return the values of `const` or `enum`. Empty if the schema has neither."""
        if "const" in schema:
            return [schema["const"]]
        values = schema.get("enum")
        return values if isinstance(values, list | tuple) else ()

    def object_members(
        self, schema: JsonObject, where: Where
    ) -> Iterator[tuple[str, JsonValue, bool, Where]]:
        """Yield name, schema, whether it is required, and position of each key that an object may have."""
        declared = schema.get("properties")
        properties = cast("Mapping[str, JsonValue]", declared if isinstance(declared, Mapping) else {})
        names = schema.get("required")
        required = dict.fromkeys(map(str, names)) if isinstance(names, list | tuple) else {}
        for name, inner in properties.items():
            yield name, inner, name in required, (*where, "properties", name)
        for name in required:
            if name not in properties:
                yield name, True, True, (*where, "required")

    def _with_all_of(self, schema: JsonObject, where: Where) -> JsonObject:
        """Merge the parts of `allOf` into the schema. A keyword with two different values is reported."""
        parts = schema.get("allOf")
        if not isinstance(parts, list | tuple):
            return schema
        merged = {name: value for name, value in schema.items() if name != "allOf"}
        for index, part in enumerate(parts):
            if not isinstance(part, Mapping) or "$ref" in part:
                self._report("allOf", where)
                continue
            for name, value in part.items():
                previous = merged.get(name)
                if isinstance(previous, Mapping) and isinstance(value, Mapping):
                    merged[name] = {**previous, **value}
                elif isinstance(previous, list) and isinstance(value, list) and name == "required":
                    merged[name] = [*previous, *value]
                elif previous is None or previous == value:
                    merged[name] = value
                else:
                    self._report(name, (*where, "allOf", index))
        return merged

    def _ref(self, ref: str, where: Where) -> str:
        if ref not in self._by_ref:
            target = self._followed(ref, where)
            self._by_ref[ref] = self._rules.reserve()
            steps = [unescaped(step) for step in ref.split("/")[1:]]
            self._rules.set(self._by_ref[ref], self.value(target, (*self.root, *steps)))
        return self._by_ref[ref]

    def _followed(self, ref: str, where: Where) -> JsonValue:
        target = target_of(self._document, ref)
        if target is None:
            raise ConstraintFailed(f"{pointer([*where, '$ref'])}: {ref[:40]!r} leads nowhere")
        return target

    def _constants(self, schema: JsonObject, keyword: str) -> str:
        values = self.constants(schema)
        if not values:
            raise ConstraintFailed(f"{keyword!r} allows no value")
        return self._rules.either(literal(json.dumps(value, ensure_ascii=False)) for value in values)

    def _branches(self, schema: JsonObject, keyword: str, where: Where) -> str:
        found = schema[keyword]
        if not isinstance(found, list | tuple) or not found:
            raise ConstraintFailed(f"{pointer([*where, keyword])} allows no value")
        base = {name: value for name, value in schema.items() if name not in ANNOTATIONS | {keyword}}
        branches = [{**base, **branch} if isinstance(branch, Mapping) else branch for branch in found]
        return self._rules.either(
            self.value(branch, (*where, keyword, index)) for index, branch in enumerate(branches)
        )

    def _kind(self, kind: str, schema: JsonObject, where: Where) -> str:
        makers = {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": self._integer,
            "number": self._number,
        }
        if kind in makers:
            return makers[kind](schema, where)
        if kind not in EXPRESSED:
            raise ConstraintFailed(f"{pointer([*where, 'type'])}: there is no type {kind[:40]!r}")
        return kind

    def _object(self, schema: JsonObject, where: Where) -> str:
        members = list(self.object_members(schema, where))
        more = schema.get("additionalProperties", not members)
        if not members and more is True:
            return "object"
        others = "" if more is False else self.value(more, (*where, "additionalProperties"))
        pair = self._rules.add(f'string ":" sp {others}') if others else ""
        end = {True: '"}"', False: '"}"'}
        if pair:
            end = {True: f'("," sp {pair})* "}}"', False: f'({pair} ("," sp {pair})*)? "}}"'}
        return self._rules.add(f'"{{" {self._members(members, end)}')

    def _members(self, members: Sequence[tuple[str, JsonValue, bool, Where]], end: Mapping[bool, str]) -> str:
        """Return the rule text for members in order, of which optional ones may be missing.

        Works from the last member to the first. `rest` holds the rule for everything after a member in two
        variants: True if some member was written before it, so that a comma is needed, and False if none was. This
        takes two rules per member. Writing out the combinations of n optional members would take 2**n.

        Args:
            end: The text after the last member, in the same two variants.
        """
        rest = dict(end)
        for name, inner, is_required, where in reversed(members):
            own = f'{literal(json.dumps(name, ensure_ascii=False))} ":" sp {self.value(inner, where)}'
            member = self._rules.add(f"{own} {rest[True]}")
            rest = {
                has_member_before: self._rules.add(
                    f"{comma}{member}" if is_required else f"{comma}{member} | {rest[has_member_before]}"
                )
                for has_member_before, comma in ((True, '"," sp '), (False, ""))
            }
        return rest[False]

    def _array(self, schema: JsonObject, where: Where) -> str:
        first = schema.get("prefixItems")
        fixed = [
            self.value(item_schema, (*where, "prefixItems", index))
            for index, item_schema in enumerate(first if isinstance(first, list | tuple) else ())
        ]
        rest = schema.get("items", not fixed)
        least, most = self._bounds(schema, "minItems", "maxItems", where)
        least, most = max(0, least - len(fixed)), None if most is None else max(0, most - len(fixed))
        if rest is False or most == 0:
            return self._rules.add(" ".join(['"["', ' "," sp '.join(fixed), '"]"']))
        item = self.value(rest, (*where, "items"))
        if fixed:
            more = f'("," sp {item}){_count(least, most)}'
            return self._rules.add(" ".join(('"["', ' "," sp '.join(fixed), more, '"]"')))
        more = f'{item} ("," sp {item}){_count(max(0, least - 1), None if most is None else most - 1)}'
        return self._rules.add(f'"[" {more} "]"' if least else f'"[" ({more})? "]"')

    def _string(self, schema: JsonObject, where: Where) -> str:
        least, most = self._bounds(schema, "minLength", "maxLength", where)
        if not least and most is None:
            return "string"
        return self._rules.add(f'"\\"" char{_count(least, most)} "\\""')

    def _integer(self, schema: JsonObject, where: Where) -> str:
        least, most = schema.get("minimum"), schema.get("maximum")
        if isinstance(least, int) and isinstance(most, int) and 0 <= most - least < MAX_NUMBERS:
            return self._rules.either(literal(str(number)) for number in range(least, most + 1))
        if least is not None and least != 0:
            self._report("minimum", where)
        if most is not None:
            self._report("maximum", where)
        return "natural" if least == 0 else "integer"

    def _number(self, schema: JsonObject, where: Where) -> str:
        if schema.get("minimum") == 0:
            return self._rules.add("natural fraction")
        if "minimum" in schema:
            self._report("minimum", where)
        return "number"

    def _bounds(self, schema: JsonObject, low: str, high: str, where: Where) -> tuple[int, int | None]:
        """Return the minimum and the maximum, or None for no maximum. Limits that are too large are reported."""
        found: dict[str, int] = {}
        for keyword in (low, high):
            value = schema.get(keyword)
            if isinstance(value, int) and 0 <= value <= MAX_REPETITIONS:
                found[keyword] = value
            elif value is not None:
                self._report(keyword, where)
        return found.get(low, 0), found.get(high)

    def _report_others(self, schema: JsonObject, where: Where, *kinds: str) -> None:
        """Report the keywords that the rules for these types do not enforce."""
        expressed = frozenset[str]().union(*(EXPRESSED.get(kind, frozenset()) for kind in kinds))
        for keyword in schema:
            if keyword not in ANNOTATIONS | SHAPE | expressed:
                self._report(keyword, where)

    def _report(self, keyword: str, where: Where) -> None:
        message = f"a grammar cannot enforce {keyword[:30]!r}; it is checked after the call"
        self.findings.append(
            Finding(
                code="grammar-keyword",
                message=message,
                severity=Severity.NOTE,
                pointer=pointer([*where, keyword]),
            )
        )


def _count(least: int, most: int | None) -> str:
    if most is None:
        return f"{{{least},}}" if least else "*"
    return f"{{{least},{most}}}"
