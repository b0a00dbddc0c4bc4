"""Convert JSON Schema to grammar rules, and list the keywords that a grammar cannot express.

*Source:* JSON Schema Draft 2020-12.

The rules may be narrower than the schema (an object that says nothing of other keys is closed), never wider
without a word: each keyword that they do not hold a model to is told.
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
"""Keywords that say nothing of a value."""
SHAPE: Final = frozenset({"type", "const", "enum", "$ref", "anyOf", "oneOf", "allOf"})
"""Keywords that rules express for every type."""
EXPRESSED: Final[Mapping[str, frozenset[str]]] = {
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems"}),
    "string": frozenset({"minLength", "maxLength"}),
    "integer": frozenset({"minimum", "maximum"}),
    "number": frozenset({"minimum"}),
    "boolean": frozenset(),
    "null": frozenset(),
}
"""Keywords that the rules may hold a model to, by the type that they speak of."""
_SPEAKS_OF: Final[Mapping[str, str]] = {
    **dict.fromkeys(("properties", "required", "additionalProperties", "patternProperties"), "object"),
    **dict.fromkeys(("items", "prefixItems", "minItems", "maxItems", "uniqueItems"), "array"),
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format"), "string"),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), "number"),
}
"""The type that a schema without one means, by its first such keyword."""


def kinds_of(schema: JsonObject) -> tuple[str, ...]:
    """The types that a schema names, or means by its keywords; empty where it may be anything.

    >>> kinds_of({"type": ["string", "null"]}), kinds_of({"properties": {}}), kinds_of({})
    (('string', 'null'), ('object',), ())
    """
    named = schema.get("type")
    if isinstance(named, str):
        kinds: tuple[str, ...] = (named,)
    elif isinstance(named, list | tuple):
        kinds = tuple(str(kind) for kind in named)
    else:
        meant = next((_SPEAKS_OF[keyword] for keyword in schema if keyword in _SPEAKS_OF), None)
        kinds = (meant,) if meant else ()
    return (*kinds, "null") if kinds and schema.get("nullable") is True and "null" not in kinds else kinds


def target_of(document: JsonValue, ref: str) -> JsonValue:
    """What a local reference leads to; None where it leads nowhere."""
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
    """A step of a JSON pointer as the key that it names. *Source:* RFC 6901."""
    return text.replace("~1", "/").replace("~0", "~")


MOST_REPETITIONS: Final = 256
"""A longer text or array is not counted: llama.cpp would unroll it."""
MOST_NUMBERS: Final = 128
"""A wider range of whole numbers is not spelled out."""

Where = tuple[str | int, ...]
"""The way to a place in the document that findings point into."""


class SchemaRules:
    """Adds the rules of one document's schemas to a grammar.

    Args:
        document: Where a local `$ref` leads into.
        where: The way to the document.
    """

    def __init__(self, rules: GrammarRules, document: JsonValue, *, where: Where = ()) -> None:
        self._rules = rules
        self._document = document
        self.root = where
        self._by_ref: dict[str, str] = {}
        self.findings: list[Finding] = []

    def whole(self) -> str:
        """What stands in a rule for JSON of the document.

        Raises:
            ConstraintFailed: The schema leads nowhere, or allows no value.
        """
        try:
            return self.value(self._document, self.root)
        except RecursionError as error:
            raise ConstraintFailed("the schema is nested too deep") from error

    def value(self, schema: JsonValue, where: Where) -> str:
        """The same for a schema of the document."""
        self._rules.count()
        if schema is True or schema == {}:
            return "value"
        if not isinstance(schema, Mapping):
            raise ConstraintFailed(f"{pointer(list(where)) or 'the schema'} allows no value")
        schema = self._with_all_of(schema, where)
        if "$ref" in schema:
            self._tell_others(schema, where)
            return self._ref(str(schema["$ref"]), where)
        for keyword in ("const", "enum"):
            if keyword in schema:
                self._tell_others(schema, where)
                return self._constants(schema, keyword)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                return self._branches(schema, keyword, where)
        kinds = kinds_of(schema)
        self._tell_others(schema, where, *kinds)
        return self._rules.either(self._kind(kind, schema, where) for kind in kinds) if kinds else "value"

    def resolved(self, schema: JsonValue) -> JsonValue:
        """The schema that a `$ref` leads to, if it is one; a reference that leads to itself stays."""
        seen: set[str] = set()
        while isinstance(schema, Mapping) and isinstance(ref := schema.get("$ref"), str) and ref not in seen:
            seen.add(ref)
            schema = self._followed(ref, self.root)
        return schema

    def tell_all(self, schema: JsonObject, where: Where) -> None:
        """Tells each keyword of the schema: what stands for it is any text."""
        self._tell_others(schema, where)

    def constants(self, schema: JsonObject) -> Sequence[JsonValue]:
        """The only values that the schema allows; empty where it names none."""
        if "const" in schema:
            return [schema["const"]]
        values = schema.get("enum")
        return values if isinstance(values, list | tuple) else ()

    def object_members(
        self, schema: JsonObject, where: Where
    ) -> Iterator[tuple[str, JsonValue, bool, Where]]:
        """Name, schema and whether it is required of each key that an object may have, in order."""
        declared = schema.get("properties")
        properties = cast("Mapping[str, JsonValue]", declared if isinstance(declared, Mapping) else {})
        wanted = schema.get("required")
        required = dict.fromkeys(map(str, wanted)) if isinstance(wanted, list | tuple) else {}
        for name, inner in properties.items():
            yield name, inner, name in required, (*where, "properties", name)
        for name in required:
            if name not in properties:
                yield name, True, True, (*where, "required")

    def _with_all_of(self, schema: JsonObject, where: Where) -> JsonObject:
        """The schema with the parts of its `allOf` laid into it; a keyword that two of them have is told."""
        parts = schema.get("allOf")
        if not isinstance(parts, list | tuple):
            return schema
        merged = {name: value for name, value in schema.items() if name != "allOf"}
        for index, part in enumerate(parts):
            if not isinstance(part, Mapping) or "$ref" in part:
                self._tell("allOf", where)
                continue
            for name, value in part.items():
                old = merged.get(name)
                if isinstance(old, Mapping) and isinstance(value, Mapping):
                    merged[name] = {**old, **value}
                elif isinstance(old, list) and isinstance(value, list) and name == "required":
                    merged[name] = [*old, *value]
                elif old is None or old == value:
                    merged[name] = value
                else:
                    self._tell(name, (*where, "allOf", index))
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
        return self._rules.either(literal(json.dumps(one, ensure_ascii=False)) for one in values)

    def _branches(self, schema: JsonObject, keyword: str, where: Where) -> str:
        found = schema[keyword]
        if not isinstance(found, list | tuple) or not found:
            raise ConstraintFailed(f"{pointer([*where, keyword])} allows no value")
        base = {name: value for name, value in schema.items() if name not in ANNOTATIONS | {keyword}}
        branches = [{**base, **one} if isinstance(one, Mapping) else one for one in found]
        return self._rules.either(
            self.value(one, (*where, keyword, index)) for index, one in enumerate(branches)
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
        """The members in order, optional ones perhaps left out; `end` by whether a member stands before it."""
        after = dict(end)
        for name, inner, is_required, where in reversed(members):
            own = f'{literal(json.dumps(name, ensure_ascii=False))} ":" sp {self.value(inner, where)}'
            member = self._rules.add(f"{own} {after[True]}")
            after = {
                has_one: self._rules.add(
                    f"{comma}{member}" if is_required else f"{comma}{member} | {after[has_one]}"
                )
                for has_one, comma in ((True, '"," sp '), (False, ""))
            }
        return after[False]

    def _array(self, schema: JsonObject, where: Where) -> str:
        first = schema.get("prefixItems")
        fixed = [
            self.value(one, (*where, "prefixItems", index))
            for index, one in enumerate(first if isinstance(first, list | tuple) else ())
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
        if isinstance(least, int) and isinstance(most, int) and 0 <= most - least < MOST_NUMBERS:
            return self._rules.either(literal(str(number)) for number in range(least, most + 1))
        if least is not None and least != 0:
            self._tell("minimum", where)
        if most is not None:
            self._tell("maximum", where)
        return "natural" if least == 0 else "integer"

    def _number(self, schema: JsonObject, where: Where) -> str:
        if schema.get("minimum") == 0:
            return self._rules.add("natural fraction")
        if "minimum" in schema:
            self._tell("minimum", where)
        return "number"

    def _bounds(self, schema: JsonObject, low: str, high: str, where: Where) -> tuple[int, int | None]:
        """Least and most; what cannot be counted is told and left open."""
        found: dict[str, int] = {}
        for keyword in (low, high):
            value = schema.get(keyword)
            if isinstance(value, int) and 0 <= value <= MOST_REPETITIONS:
                found[keyword] = value
            elif value is not None:
                self._tell(keyword, where)
        return found.get(low, 0), found.get(high)

    def _tell_others(self, schema: JsonObject, where: Where, *kinds: str) -> None:
        """Tells all that no rule of these types says."""
        expressed = frozenset[str]().union(*(EXPRESSED.get(kind, frozenset()) for kind in kinds))
        for keyword in schema:
            if keyword not in ANNOTATIONS | SHAPE | expressed:
                self._tell(keyword, where)

    def _tell(self, keyword: str, where: Where) -> None:
        message = f"no grammar can hold the model to {keyword[:30]!r}; it is checked after the call"
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
