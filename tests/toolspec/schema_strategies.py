"""Random schemas of all keywords that grammars enforce, and optionally of some that they do not."""

from typing import Any

from hypothesis import strategies as st

Schemas = st.SearchStrategy[Any]

KEYS = st.sampled_from(["a", "b", "ab", "é", 'q"', "a b"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 30)
    | st.sampled_from([0.5, 1.0, -2.25, "", "x", "xy", "1", "null", "a b"])
)
PATTERNS = (
    *(
        "^a+$",
        "b",
        "^[a-c]{2,4}$",
        r"^\d{3}-\d{4}$",
        r"^[^\s]+$",
        "^(x|yz)*$",
        r"^\w+@\w+\.\w{2,3}$",
        '^["\\\\]$',
    ),
    *(r"^.{0,3}$", "^$", r"^\S+ \W?$", "^a|b$", "^(?:ab|c){1,2}[-.]$", "[a-c]$"),
)
NOT_ENFORCED_PATTERNS = ("^(?!a)", r"\ba", r"(a)\1", "^a{1,900}$")
FORMATS = ("date", "time", "date-time", "email", "uuid", "ipv4")
INTEGERS = st.integers(-120, 120) | st.integers(-(10**20), 10**20)
NUMBERS = INTEGERS | st.sampled_from([0.5, -0.25, 1.75, 99.99, 1e-3])
SMALL = st.integers(0, 3)
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
DEFINITIONS = {
    "word": {"type": "string", "minLength": 1},
    "node": {"type": "object", "properties": {"n": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}},
}
"""What the `$ref`s of the schemas refer to."""


def schemas(*, is_enforced: bool) -> Schemas:
    """Return schemas.

    Args:
        is_enforced: True for keywords that grammars enforce in most places.
    """
    return st.recursive(
        _leaves(is_enforced=is_enforced), lambda inner: _larger(inner, is_enforced=is_enforced), max_leaves=8
    )


def _some(**keywords: Schemas) -> Schemas:
    return st.fixed_dictionaries({}, optional=keywords)


def _typed(kind: str, **keywords: Schemas) -> Schemas:
    return st.fixed_dictionaries({"type": st.just(kind)}, optional=keywords)


def _leaves(*, is_enforced: bool) -> Schemas:
    kinds = st.sampled_from(["string", "integer", "number", "boolean", "null"])
    lengths = {"minLength": SMALL, "maxLength": st.integers(2, 9)}
    found: list[Schemas] = [
        _typed("string", **lengths),
        _typed("string", pattern=st.sampled_from(PATTERNS)),
        _typed("string", format=st.sampled_from(FORMATS)),
        _typed("integer", **dict.fromkeys(BOUNDS, INTEGERS)),
        _typed("number", **dict.fromkeys(BOUNDS, NUMBERS)),
        _typed("integer", minimum=st.integers(-20, 20), maximum=st.integers(0, 50), multipleOf=st.sampled_from([1, 3, 0.5])),
        st.lists(kinds, min_size=1, max_size=3, unique=True).map(lambda found: {"type": found}),
        st.lists(SCALARS, min_size=1, max_size=4).map(lambda values: {"enum": values}),
        SCALARS.map(lambda value: {"const": value}),
        st.sampled_from([True, {}, False, {"$ref": "#/$defs/node"}, {"$ref": "#/$defs/word", "enum": ["x", "y", 1]}]),
    ]  # fmt: skip
    if not is_enforced:
        found += [
            _typed("string", **lengths, pattern=st.sampled_from(PATTERNS + NOT_ENFORCED_PATTERNS), format=st.just("uri")),
            _typed("number", multipleOf=st.just(0.5)),
            st.just({"not": {"type": "string"}}),
        ]  # fmt: skip
    return st.one_of(found)


def _larger(inner: Schemas, *, is_enforced: bool) -> Schemas:
    branches = st.lists(inner, min_size=1, max_size=3)
    members = st.dictionaries(KEYS, inner, max_size=3)
    required = st.lists(KEYS, max_size=2, unique=True)
    objects = {
        "properties": members,
        "required": required,
        "additionalProperties": inner,
        "dependentRequired": st.just({"a": ["b"]}),
        "unevaluatedProperties": st.just(False),
    }
    arrays = {
        "items": inner,
        "prefixItems": st.lists(inner, min_size=1, max_size=2),
        "minItems": SMALL,
        "maxItems": SMALL,
        "unevaluatedItems": st.just(False),
    }
    combined = {
        "anyOf": branches,
        "allOf": branches,
        "properties": members,
        "required": required,
        "type": st.sampled_from(["object", "string", ["integer", "null"]]),
        "enum": st.lists(SCALARS, min_size=1, max_size=3),
    }
    names = st.sampled_from([{"pattern": "^[ab]+$"}, {"enum": ["a", "z"]}, {"maxLength": 2}])
    patterned = {
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "^x[0-9]$"]), inner, max_size=1 + (not is_enforced)),
        "propertyNames": names,
        "minProperties": SMALL,
        "maxProperties": SMALL,
    }  # fmt: skip
    found = [
        _typed("object", **objects),
        _some(**objects),
        _typed("object", **patterned),
        _typed("array", **arrays),
        _some(**combined),
    ]
    if not is_enforced:
        found += [
            _typed("object", **objects, **patterned),
            _typed("array", **arrays, uniqueItems=st.booleans(), contains=inner),
            _some(**combined, oneOf=branches),
            _some(**{"if": inner, "then": inner, "else": inner}),
        ]
    else:
        found += [branches.map(lambda found: {"oneOf": found})]
    return st.one_of(found)
