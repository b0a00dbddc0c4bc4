"""The world of a session: effects, patches and their replay. The laws are properties; the messages are examples."""

import json
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties import examples
from workbench.chat.json_value import JsonObject, JsonValue, values_in
from workbench.errors import BadInput
from workbench.toolspec.world.effects import Effect, EffectKind, applied_effects
from workbench.toolspec.world.patches import (
    MAX_WORLD_BYTES,
    WorldPatch,
    copy_of_world,
    merged_world,
    patch_between,
    patched_world,
    replayed,
    world_changes,
)
from workbench.toolspec.world.session_world import DeclaredWorld, SessionWorld, changed_worlds, declared_world

NAMES = st.sampled_from(["a", "b", "o1", "x/y", "~", "", "0"])
NUMBERS = st.integers(-(2**40), 2**40) | st.booleans() | st.sampled_from([0.5, -2.25, 1.0])
SCALARS = st.none() | NUMBERS | st.sampled_from(["", "paid", "Zoë"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=15,
)
WORLDS = st.dictionaries(NAMES, VALUES, max_size=4)
SHOP = DeclaredWorld(
    value={"orders": {"o1": {"status": "paid"}}, "stock": {"mug": 2}, "log": []},
    schema={
        "type": "object",
        "properties": {"stock": {"additionalProperties": {"type": "integer", "minimum": 0}}},
        "required": ["orders", "stock", "log"],
    },
)


def same(left: object, right: object) -> bool:
    """Whether two values are equal as JSON: in Python, 1 equals true."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


@st.composite
def effects_on(draw: st.DrawFn, world: JsonValue) -> list[Effect]:
    """Effects at places that mostly exist."""
    places = [place for place, _ in values_in(world)]
    place = st.sampled_from([*places, *(f"{place}/a" for place in places), "/nowhere/else", "no slash"])
    effect = st.builds(Effect, kind=st.sampled_from(EffectKind), place=place, value=VALUES)
    return draw(st.lists(effect, max_size=4))


@settings(max_examples=examples(2_000))
@given(WORLDS, WORLDS)
def test_a_patch_makes_one_world_from_the_other(before: JsonObject, after: JsonObject) -> None:
    assert same(patched_world(before, [patch_between(before, after)]), after)
    assert bool(patch_between(before, after)) is not same(before, after)
    assert bool(world_changes(before, after)) is not same(before, after)


@pytest.mark.slow
@settings(max_examples=examples(2_000))
@given(st.data(), WORLDS)
def test_replaying_the_stored_patches_gives_the_stored_world(data: st.DataObject, start: JsonObject) -> None:
    """Of calls by effects and by code, on two toolsets, of which some fail."""
    declared = {"shop": DeclaredWorld(value=start), "a/b": DeclaredWorld(value={"n": [1]})}
    world, patches = SessionWorld({}, declared), list[WorldPatch]()
    for _ in range(data.draw(st.integers(1, 4))):
        toolset = data.draw(st.sampled_from(["shop", "a/b"]))
        before = world.of(toolset)
        if data.draw(st.booleans()):
            patches.append(world.change(toolset, data.draw(WORLDS)))
        else:
            stored = json.dumps(world.value)
            try:
                after, patch = applied_effects(before, data.draw(effects_on(before)))
            except BadInput:
                assert json.dumps(world.value) == stored
                continue
            patches.append(world.change(toolset, after, patch))
        assert same(replayed(patches), world.value)


@pytest.mark.slow
@settings(max_examples=examples(1_000))
@given(WORLDS, st.lists(WORLDS, min_size=1, max_size=4), st.lists(WORLDS, min_size=1, max_size=4))
def test_a_branch_never_sees_the_changes_of_another(
    start: JsonObject, left: list[JsonObject], right: list[JsonObject]
) -> None:
    declared = {"shop": DeclaredWorld(value=start)}
    trunk = SessionWorld({}, declared)
    opening = trunk.change("shop", left[0])
    at_fork = json.dumps(trunk.value)
    branches = [SessionWorld(trunk.value, declared), SessionWorld(trunk.value, declared)]
    paths = [[opening], [opening]]
    # In turns, as two tabs would.
    for index in range(max(len(left), len(right))):
        for branch, path, values in zip(branches, paths, (left, right), strict=True):
            if index < len(values):
                path.append(branch.change("shop", values[index]))
    for branch, path, values in zip(branches, paths, (left, right), strict=True):
        assert same(branch.of("shop"), values[-1])
        assert same(replayed(path), branch.value)
    assert json.dumps(trunk.value) == at_fork


@settings(max_examples=examples(1_000))
@given(st.data(), WORLDS)
def test_a_failing_effect_changes_nothing(data: st.DataObject, value: JsonObject) -> None:
    world = SessionWorld({}, {"shop": DeclaredWorld(value=value)})
    before = json.dumps([value, world.value])
    bad = Effect(kind=EffectKind.REMOVE, place="/nowhere/else")
    effects = [*data.draw(effects_on(value)), bad]
    with pytest.raises(BadInput):
        applied_effects(world.of("shop"), effects)
    assert json.dumps([value, world.value]) == before


def test_effects_are_applied_in_order_and_each_sees_those_before_it() -> None:
    effects = [
        Effect(kind=EffectKind.SET, place="/orders/o2", value={"items": []}),
        Effect(kind=EffectKind.APPEND, place="/orders/o2/items", value="mug"),
        Effect(kind=EffectKind.INCREMENT, place="/stock/mug", value=-1),
        Effect(kind=EffectKind.REMOVE, place="/orders/o1"),
    ]
    after, patch = applied_effects(SHOP.value, effects)
    assert after == {"orders": {"o2": {"items": ["mug"]}}, "stock": {"mug": 1}, "log": []}
    assert [operation["op"] for operation in patch] == ["add", "add", "replace", "remove"]
    assert [str(change.kind) + change.place for change in world_changes(SHOP.value, after)] == [
        "added/orders/o2",
        "removed/orders/o1",
        "changed/stock/mug",
    ]


@pytest.mark.parametrize(
    ("effect", "problem"),
    [
        (
            Effect(kind=EffectKind.SET, place="/order/o1/status", value="x"),
            "effect 1 (set /order/o1/status): nothing is there (the world has orders, stock, log)",
        ),
        (
            Effect(kind=EffectKind.REMOVE, place="/orders/o9"),
            "effect 1 (remove /orders/o9): nothing is there (/orders has o1)",
        ),
        (
            Effect(kind=EffectKind.INCREMENT, place="/log/0", value=1),
            "effect 1 (increment /log/0): nothing is there (/log is a list of 0)",
        ),
        (
            Effect(kind=EffectKind.INCREMENT, place="/orders/o1/status", value=1),
            "effect 1 (increment /orders/o1/status): 'paid' plus '1' is not a sum of numbers",
        ),
        (
            Effect(kind=EffectKind.INCREMENT, place="/stock/mug", value=True),
            "effect 1 (increment /stock/mug): '2' plus 'True' is not a sum of numbers",
        ),
        (
            Effect(kind=EffectKind.APPEND, place="/stock", value=1),
            "effect 1 (append /stock): it is not a list (use `set`, or a pointer to a list)",
        ),
        (
            Effect(kind=EffectKind.SET, place="/stock/mug/deep", value=1),
            "effect 1 (set /stock/mug/deep): /stock/mug is neither an object nor a list",
        ),
        (
            Effect(kind=EffectKind.SET, place="stock", value=1),
            "effect 1 (set stock): a pointer begins with / (write /stock)",
        ),
        (Effect(kind=EffectKind.REMOVE, place=""), "effect 1 (remove ): the whole world cannot be removed"),
    ],
)
def test_an_effect_that_cannot_be_applied_says_why(effect: Effect, problem: str) -> None:
    with pytest.raises(BadInput) as error:
        applied_effects(SHOP.value, [effect])
    assert str(error.value) == problem


def test_an_effect_that_violates_the_schema_changes_nothing() -> None:
    world = SessionWorld({}, {"shop": SHOP})
    after, patch = applied_effects(
        SHOP.value, [Effect(kind=EffectKind.INCREMENT, place="/stock/mug", value=-3)]
    )
    with pytest.raises(BadInput, match=r"the world of 'shop': it would no longer match its schema: .*-1"):
        world.change("shop", after, patch)
    assert world.value == {} and world.of("shop") is SHOP.value


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("x" * 5_000_000, "5,000,0.. bytes as JSON, more than the limit of 1,000,000"),
        ({"a": object()}, "not JSON: Type is not JSON serializable: object"),
        ({1: 2}, "not JSON: Dict key must be str"),
        ("\ud800", "not JSON"),
        ("a\0b", "contains NUL"),
        (2**70, "not JSON"),
    ],
)
def test_a_world_that_cannot_be_stored_is_refused_and_nothing_is_lost(value: object, problem: str) -> None:
    world = SessionWorld({"shop": {"n": 1}}, {})
    with pytest.raises(BadInput, match=problem):
        world.change("shop", value)
    assert world.value == {"shop": {"n": 1}}
    with pytest.raises(BadInput, match=problem):
        declared_world(value, None, where="catalog shop.yaml")


def test_a_deep_world_is_refused() -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(BadInput, match="nested over 200 levels deep"):
        copy_of_world(deep)


def test_the_limit_is_for_the_whole_world() -> None:
    half = "x" * (MAX_WORLD_BYTES // 2)
    world = SessionWorld({"shop": half}, {})
    with pytest.raises(BadInput, match="more than the limit"):
        world.change("desk", half)


def test_a_declared_world_matches_its_schema() -> None:
    assert declared_world({"n": 1}, {"properties": {"n": {"type": "integer"}}}, where="w").value == {"n": 1}
    with pytest.raises(BadInput, match=r"^w, /world: it does not match `world_schema`"):
        declared_world({"n": "1"}, {"properties": {"n": {"type": "integer"}}}, where="w")
    with pytest.raises(BadInput, match=r"^w, /world_schema"):
        declared_world({}, {"type": "objekt"}, where="w")


def test_a_case_changes_parts_of_a_world() -> None:
    changes = {
        "shop": {"stock": {"mug": 9}, "orders": {"o1": None, "o2": {"status": "new"}}},
        "desk": {"n": 1},
    }
    changed = changed_worlds({"shop": SHOP}, cast(JsonObject, changes))
    assert {name: world.value for name, world in changed.items()} == {
        "shop": {"orders": {"o2": {"status": "new"}}, "stock": {"mug": 9}, "log": []},
        "desk": {"n": 1},
    }
    assert SHOP.value == {"orders": {"o1": {"status": "paid"}}, "stock": {"mug": 2}, "log": []}
    with pytest.raises(BadInput, match="world of 'shop', /world: it does not match `world_schema`"):
        changed_worlds({"shop": SHOP}, {"shop": {"stock": {"mug": -1}}})
    assert merged_world(1, {"a": {"b": None}}) == {"a": {}}


def test_a_patch_that_does_not_fit_is_one_line() -> None:
    with pytest.raises(BadInput, match="the world of the session: a change does not fit"):
        replayed([({"op": "add", "path": "/a", "value": 1},), ({"op": "remove", "path": "/b"},)])
    with pytest.raises(BadInput, match="does not fit"):
        replayed([({"nonsense": 1},)])
