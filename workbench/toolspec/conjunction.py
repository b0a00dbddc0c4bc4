"""One plain set of conditions on a JSON value, and the combination of two of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from workbench.chat.json_value import JsonValue
from workbench.toolspec.coerce import fits
from workbench.toolspec.patterns import is_found, pattern_problem
from workbench.toolspec.reference_targets import Where
from workbench.toolspec.spec import canonical_json

Goal = tuple[Where, ...]
"""The positions of all schemas that a value must fit. Empty for any value."""
Limit = Mapping[Where, JsonValue]
"""The values of a keyword, by the position of the schema that has it."""

NEVER: Final[Goal] = (("\0",),)
"""The goal that no value fits. No document has this position."""
LIMITS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("minProperties", "maxProperties", "propertyNames"), "object"),
    **dict.fromkeys(("minItems", "maxItems", "uniqueItems", "contains"), "array"),
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format"), "string"),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), "number"),
    **dict.fromkeys(("not", "$dynamicRef", "$recursiveRef", "$ref", "if", "anyOf", "oneOf", "allOf"), ""),
}
"""Keywords that become limits, by the type that they apply to; empty for all types. The last five only do if they
cannot be multiplied out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Conditions that all apply to one value."""

    kinds: frozenset[str] | None = None
    """Allowed types. None if no type is named."""
    values: tuple[JsonValue, ...] | None = None
    """Allowed values. None if they are not listed."""
    members: Mapping[str, Goal] = field(default_factory=dict[str, Goal])
    """What the declared keys of an object must fit."""
    patterns: tuple[tuple[str, Goal], ...] = ()
    """What the values of keys that match a pattern must fit."""
    required: tuple[str, ...] = ()
    others: Goal | None = None
    """What other keys must fit. None if the schema does not mention them."""
    items: tuple[Goal, ...] = ()
    """What the first items of an array must fit."""
    rest: Goal | None = None
    """What the other items must fit. None if the schema does not mention them."""
    limits: Mapping[str, Limit] = field(default_factory=dict[str, Limit])
    """Further keywords, each with all of its values."""

    def goal_of(self, name: str) -> Goal:
        """Return what the value of a key must fit."""
        found = [self.members[name]] if name in self.members else []
        found += [goal for pattern, goal in self.patterns if matches(pattern, name)]
        return joined(*found) if found else self.others or ()

    @property
    def key(self) -> tuple[object, ...]:
        """A hashable value that is equal for equal cases."""
        values = None if self.values is None else tuple(map(value_key, self.values))
        objects = (tuple(self.members.items()), self.patterns, frozenset(self.required), self.others)
        limits = frozenset((name, *where) for name, limit in self.limits.items() for where in limit)
        return (self.kinds, values, objects, self.items, self.rest, limits)

    def implied_kinds(self) -> frozenset[str]:
        """Return the allowed types, or those to which the conditions apply. Empty if there is neither."""
        if self.kinds is not None:
            return self.kinds
        kinds = {LIMITS[keyword] for keyword in self.limits} - {""}
        if self.members or self.required or self.patterns or self.others:
            kinds.add("object")
        if self.items or self.rest is not None:
            kinds.add("array")
        return frozenset(kinds)


def joined(*goals: Goal) -> Goal:
    """Return the goal of values that fit all goals."""
    return tuple(dict.fromkeys(where for goal in goals for where in goal))


def both(left: Case, right: Case) -> Case | None:
    """Return the case of values that fit two cases, or None if there are none."""
    kinds = _common_kinds(left.kinds, right.kinds)
    values = left.values if right.values is None else right.values
    if left.values is not None and right.values is not None:
        keys = set(map(value_key, right.values))
        values = tuple(value for value in left.values if value_key(value) in keys)
    if values is not None and kinds is not None:
        values = tuple(value for value in values if fits(value, kinds))
    if (kinds is not None and not kinds) or (values is not None and not values):
        return None
    names = dict.fromkeys((*left.members, *right.members))
    patterns = [(pattern, joined(goal, right.others or ())) for pattern, goal in left.patterns]
    patterns += [(pattern, joined(goal, left.others or ())) for pattern, goal in right.patterns]
    return Case(
        kinds=kinds,
        values=values,
        members={name: joined(left.goal_of(name), right.goal_of(name)) for name in names},
        patterns=tuple(dict.fromkeys(patterns)),
        required=tuple(dict.fromkeys((*left.required, *right.required))),
        others=_joined_or_none(left.others, right.others),
        items=tuple(
            joined(_item(left, index), _item(right, index))
            for index in range(max(len(left.items), len(right.items)))
        ),
        rest=_joined_or_none(left.rest, right.rest),
        limits={
            keyword: {**left.limits.get(keyword, {}), **right.limits.get(keyword, {})}
            for keyword in (*left.limits, *right.limits)
        },
    )


def value_key(value: JsonValue) -> str:
    """Return a text that is the same for values that are equal in JSON: 1 equals 1.0 but not true."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    elif isinstance(value, list | tuple):
        return f"[{','.join(map(value_key, value))}]"
    elif isinstance(value, Mapping):
        return canonical_json({name: value_key(inner) for name, inner in value.items()})
    return canonical_json(value)


def _joined_or_none(left: Goal | None, right: Goal | None) -> Goal | None:
    return right if left is None else left if right is None else joined(left, right)


def _item(case: Case, index: int) -> Goal:
    return case.items[index] if index < len(case.items) else case.rest or ()


def _common_kinds(left: frozenset[str] | None, right: frozenset[str] | None) -> frozenset[str] | None:
    if left is None or right is None:
        return right if left is None else left
    common = left & right
    # Each integer is a number.
    is_integer = ("integer" in left and "number" in right) or ("number" in left and "integer" in right)
    return common | {"integer"} if is_integer else common


def matches(pattern: str, name: str) -> bool:
    """Return whether a key matches a pattern of `patternProperties`. None matches a pattern that cannot be run."""
    return not pattern_problem(pattern) and is_found(pattern, name)
