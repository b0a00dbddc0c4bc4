"""The normal form of JSON Schemas: a list of cases, each of which is one plain set of conditions.

Idea. `anyOf`, `allOf`, `$ref` and what is written beside them all apply to the same value. They are multiplied out: a
value fits a schema if it fits one of its cases, and a case is what is left after all alternatives are chosen. Two cases
are combined by `both`: their keys are merged, their required keys united, their types and values intersected.

    {"properties": {"to": A}, "required": ["by"], "anyOf": [{"required": ["to"]}, {"properties": {"to": B}}]}

has the cases `to: A, required by and to` and `to: A and B, required by`. The schemas of keys and items are not
multiplied out until they are needed: a *goal* names the positions of all schemas that a value must fit. Because a goal
is a list of positions in a finite document, a schema that refers to itself has a finite number of goals.

Invariant. Every value that fits the schema fits one of its cases, except where the branches of `oneOf` are separated:
if one of them requires a key that another may have, the other may not have it. A condition that a case cannot hold is
in its `limits`, to be enforced or reported by the user of the case.

*Source:* JSON Schema Draft 2020-12, https://json-schema.org/draft/2020-12
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, pointer
from workbench.errors import ConstraintFailed
from workbench.toolspec.coerce import ALL_TYPES
from workbench.toolspec.conjunction import LIMITS, NEVER, Case, Goal, both, value_key
from workbench.toolspec.drafts import Draft
from workbench.toolspec.reference_targets import References, Where

_OBJECT: Final = frozenset({"object"})
MAX_CASES: Final = 64
"""Combinations of alternatives beyond this number are not multiplied out."""
MAX_SEPARATED: Final = 24
"""Branches of `oneOf` beyond this number are not compared with each other, unless a constant key separates them."""


class SchemaCases:
    """The cases of the schemas in one document.

    Args:
        document: The document, as `normal_schema` reads it.
        draft: Before 2019-09, a reference replaces everything beside it.
        count: Called for each step, because a short schema can expand to billions of cases.
    """

    def __init__(self, document: JsonValue, draft: Draft, count: Callable[[], None]) -> None:
        self._references = References(document, draft)
        self._count = count
        self._cases: dict[Goal, tuple[Case, ...]] = {}
        self._by_position: dict[Where, list[Case]] = {}
        self._possible: set[Goal] = set()
        self._plain: set[Goal] = set()
        self._circles = 0
        self._is_ref_alone = draft is Draft.DRAFT_7

    def of(self, goal: Goal) -> tuple[Case, ...]:
        """Return the cases of values that fit a goal. Empty if there are certainly none.

        Raises:
            ConstraintFailed: A schema has a broken reference or an unknown type.
        """
        if goal not in self._cases:
            cases = self._expanded(goal[0], frozenset()) if goal else [Case()]
            for where in goal[1:]:
                cases = self._times(cases, self._expanded(where, frozenset()), where, "allOf")
            self._cases[goal] = tuple(cases)
        return self._cases[goal]

    def at(self, where: Where) -> JsonValue:
        """Return the schema at a position."""
        return False if where == NEVER[0] else self._references.at(where)

    def is_possible(self, goal: Goal, outer: frozenset[Goal] = frozenset()) -> bool:
        """Return whether some finite value may fit a goal. An object that must contain itself is not finite."""
        if goal in outer:
            return False
        if goal not in self._possible:
            inner = outer | {goal}
            cases = self.of(goal) if goal else (Case(),)
            if not any(
                case.kinds is None or self._is_finite(case, inner, self.is_possible) for case in cases
            ):
                return False
            self._possible.add(goal)
        return True

    def is_plain(self, case: Case, outer: frozenset[Goal] = frozenset()) -> bool:
        """Return whether some finite value of the types that a case implies may fit it."""
        return self._is_finite(case, outer, self._has_plain)

    def _has_plain(self, goal: Goal, outer: frozenset[Goal]) -> bool:
        if goal in outer:
            return False
        if goal and goal not in self._plain:
            if not any(self.is_plain(case, outer | {goal}) for case in self.of(goal)):
                return False
            self._plain.add(goal)
        return True

    def _is_finite(
        self, case: Case, outer: frozenset[Goal], is_member: Callable[[Goal, frozenset[Goal]], bool]
    ) -> bool:
        self._count()
        if case.values is not None or case.implied_kinds() != _OBJECT:
            return True
        return all(is_member(case.goal_of(name), outer) for name in case.required)

    def _expanded(self, where: Where, outer: frozenset[Where]) -> list[Case]:
        """Return the cases of the schema at a position.

        Args:
            outer: Positions that are being expanded. An alternative that leads back to one of them adds nothing.
        """
        if where in outer:
            self._circles += 1
            return []
        circles = self._circles
        found = self._by_position.get(where)
        if found is None:
            self._count()
            found = self._multiplied(where, outer | {where})
            if circles == self._circles:
                self._by_position[where] = found
        return found

    def _multiplied(self, where: Where, inner: frozenset[Where]) -> list[Case]:
        schema = self.at(where)
        if schema is False:
            return []
        if not isinstance(schema, Mapping):
            return [Case()]
        ref = schema.get("$ref")
        if isinstance(ref, str) and self._is_ref_alone:
            return self._referred(ref, where, inner)
        own = _own_case(schema, where)
        own = own if own.values is None else both(Case(), own)
        cases = [own] if own is not None else []
        if _COMBINING.isdisjoint(schema):
            return cases
        if isinstance(ref, str):
            cases = self._times(cases, self._referred(ref, where, inner), where, "$ref")
        for index in range(_length(schema, "allOf")):
            cases = self._times(cases, self._expanded((*where, "allOf", index), inner), where, "allOf")
        for factor in self._conditional(schema, where, inner):
            cases = self._times(cases, factor, where, "if")
        for keyword in ("anyOf", "oneOf"):
            if isinstance(schema.get(keyword), list | tuple):
                branches = [
                    self._expanded((*where, keyword, index), inner)
                    for index in range(_length(schema, keyword))
                ]
                if keyword == "oneOf" and len(branches) > 1:
                    branches = self._separated(cases, branches, where)
                union = [case for branch in branches for case in branch]
                cases = self._times(cases, union, where, keyword)
        for keyword, attribute in (("unevaluatedProperties", "others"), ("unevaluatedItems", "rest")):
            # Whether an item is evaluated by `contains` is not known. That keyword is reported.
            if keyword in schema and (attribute == "others" or "contains" not in schema):
                inside: Goal = ((*where, keyword),)
                cases = [
                    replace(case, **{attribute: inside}) if getattr(case, attribute) is None else case
                    for case in cases
                ]
        return cases

    def _conditional(self, schema: JsonObject, where: Where, outer: frozenset[Where]) -> Iterator[list[Case]]:
        """Yield the alternatives of `if` and of the keywords that apply if an object has a key."""
        if "if" in schema and ("then" in schema or "else" in schema):
            # The second alternative also has values that fit `if`, so the keyword stays a limit.
            met = self._expanded((*where, "if"), outer)
            if "then" in schema:
                met = self._times(met, self._expanded((*where, "then"), outer), where, "if")
            unmet = self._expanded((*where, "else"), outer) if "else" in schema else [Case()]
            limit = Case(limits={"if": {where: True}})
            yield [merged for case in (*met, *unmet) if (merged := both(case, limit))]
        for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
            dependent = schema.get(keyword)
            for name, needed in dependent.items() if isinstance(dependent, Mapping) else ():
                if isinstance(needed, list | tuple):
                    present = [Case(required=(name, *map(str, needed)))]
                else:
                    present = self._expanded((*where, keyword, name), outer)
                    present = [replace(case, required=(name, *case.required)) for case in present]
                yield [*present, Case(members={name: NEVER})]

    def _referred(self, ref: str, where: Where, outer: frozenset[Where]) -> list[Case]:
        """Return the cases of the schema to which a reference leads. A reference to another document is a limit."""
        target = self._references.target(ref, where)
        if target is None:
            return [Case(others=(), limits={"$ref": {where: True}})]
        return self._expanded(target, outer)

    def _times(self, left: list[Case], right: list[Case], where: Where, keyword: str) -> list[Case]:
        """Combine each case with each. Too many combinations are not made, and become a limit of the keyword."""
        if len(left) > 1 and len(right) > 1 and len(left) * len(right) > MAX_CASES:
            right = [Case(others=(), limits={keyword: {where: True}})]
        found: dict[tuple[object, ...], Case] = {}
        for case, other in product(left, right):
            self._count()
            if merged := both(case, other):
                found.setdefault(merged.key, merged)
        return list(found.values())

    def _separated(self, base: list[Case], branches: list[list[Case]], where: Where) -> list[list[Case]]:
        """Return the branches of `oneOf` such that no value fits two of them, or with a limit.

        `{"oneOf": [{"required": ["id"]}, {"required": ["name"]}]}` becomes `id, not name` and `name, not id`.
        """
        if all(case.values is not None for branch in branches for case in branch):
            return _listed_once(branches)
        if self._have_tags([case for branch in branches for case in branch]):
            return branches
        if sum(map(len, branches)) > MAX_SEPARATED or len(base) != 1:
            limit = Case(limits={"oneOf": {where: True}})
            return [[merged for case in branch if (merged := both(case, limit))] for branch in branches]
        whole = [[merged for case in branch if (merged := both(base[0], case))] for branch in branches]
        return [
            [
                self._without(
                    case, [other for later in whole[:index] + whole[index + 1 :] for other in later], where
                )
                for case in branch
            ]
            for index, branch in enumerate(whole)
        ]

    def _have_tags(self, cases: list[Case]) -> bool:
        """Return whether each case requires a key whose listed values no other case allows, such as `kind`."""
        for name in cases[0].required if cases and all(case.kinds == _OBJECT for case in cases) else ():
            goals = [case.goal_of(name) for case in cases if name in case.required]
            tags = [value for goal in goals for tag in self.of(goal) for value in tag.values or (None, None)]
            if len(goals) == len(cases) and len(set(map(value_key, tags))) == len(tags):
                return True
        return False

    def _without(self, case: Case, others: Iterable[Case], where: Where) -> Case:
        """Return the values of a case that fit no other case."""
        for other in others:
            common = both(case, other)
            if common is None:
                continue
            if common.kinds is not None and not self._is_finite(common, frozenset(), self.is_possible):
                continue
            extra = next((name for name in other.required if name not in case.required), None)
            # A number, to which no condition on objects applies, would fit both.
            kinds = case.kinds if other.kinds == _OBJECT else _OBJECT
            apart = replace(case, kinds=kinds, members={**case.members, str(extra): NEVER})
            is_apart = extra is not None and case.implied_kinds() == _OBJECT
            if is_apart and self._is_finite(apart, frozenset(), self.is_possible):
                case = apart
            else:
                case = replace(case, limits={**case.limits, "oneOf": {where: True}})
        return case


def _length(schema: JsonObject, keyword: str) -> int:
    branches = schema.get(keyword)
    return len(branches) if isinstance(branches, list | tuple) else 0


def _listed_once(branches: list[list[Case]]) -> list[list[Case]]:
    """Keep the values that are listed in one branch only."""
    keys = [{value_key(value) for case in branch for value in case.values or ()} for branch in branches]
    found: dict[str, int] = {}
    for key in (key for branch in keys for key in branch):
        found[key] = found.get(key, 0) + 1
    return [
        [
            replace(case, values=once)
            for case in branch
            if (once := tuple(value for value in case.values or () if found[value_key(value)] == 1))
        ]
        for branch in branches
    ]


def _own_case(schema: JsonObject, where: Where) -> Case:
    """Return the conditions that a schema states itself."""
    properties, patterns, names = (schema.get(key) for key in ("properties", "patternProperties", "required"))
    items = schema.get("prefixItems", schema.get("items"))
    is_tuple = isinstance(items, list | tuple)
    key, rest = "prefixItems" if "prefixItems" in schema else "items", "items"
    if is_tuple and key == "items":
        rest = "additionalItems"
    values = (schema["const"],) if "const" in schema else schema.get("enum")
    limits = {name: {where: value} for name, value in schema.items() if name in _OWN_LIMITS}
    return Case(
        kinds=_kinds(schema, where),
        values=tuple(values) if isinstance(values, list | tuple) else None,
        members={str(name): ((*where, "properties", name),) for name in properties}
        if isinstance(properties, Mapping)
        else {},
        patterns=tuple((str(name), ((*where, "patternProperties", name),)) for name in patterns)
        if isinstance(patterns, Mapping)
        else (),
        required=tuple(dict.fromkeys(map(str, names))) if isinstance(names, list | tuple) else (),
        others=((*where, "additionalProperties"),) if "additionalProperties" in schema else None,
        items=tuple(((*where, key, index),) for index in range(len(items))) if is_tuple else (),
        rest=((*where, rest),) if rest in schema else None,
        limits=limits,
    )


_COMBINING: Final = frozenset(
    {"$ref", "allOf", "anyOf", "oneOf", "if", "dependentRequired", "dependentSchemas", "dependencies"}
    | {"unevaluatedProperties", "unevaluatedItems"}
)
"""Keywords that add to the conditions that a schema states itself."""
_OWN_LIMITS: Final = LIMITS.keys() - {"$ref", "if", "anyOf", "oneOf", "allOf"}


def _kinds(schema: JsonObject, where: Where) -> frozenset[str] | None:
    named = schema.get("type")
    kinds = {named} if isinstance(named, str) else set(named) if isinstance(named, list | tuple) else None
    if kinds is None:
        return None
    if unknown := sorted(map(str, kinds - ALL_TYPES)):
        raise ConstraintFailed(f"{pointer([*where, 'type'])}: there is no type {unknown[0][:40]!r}")
    return frozenset(cast("set[str]", kinds))
