"""Tools that read and change the world of their toolset: rules, code, calls of one round, and what goes wrong."""

import json
import time
from pathlib import Path

import pytest

from workbench.chat.json_value import JsonObject
from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.rollout.ports import ToolRun
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.catalog_file import parse_toolset, render_toolset
from workbench.toolbox.dispatch import Dispatcher
from workbench.toolbox.entry import Staging, ToolTask
from workbench.toolspec.world.patches import replayed

SHOP = """
toolset: shop
world_schema:
  properties:
    stock: {additionalProperties: {type: integer, minimum: 0}}
world:
  orders:
    o1: {customer: ana, status: paid, item: mug, count: 1}
    o2: {customer: bo, status: sent, item: cap, count: 2}
  stock: {mug: 2, cap: 0}
  returns: []
tools:
  - function:
      name: cancel_order
      parameters: {type: object, properties: {order_id: {type: string}, customer: {type: string}}}
    mocks:
      - when: {$world: {"/orders/{{ order_id }}": {subset: {status: paid, customer: "{{ customer }}"}}}}
        effects:
          - {set: "/orders/{{ order_id }}/status", value: cancelled}
          - increment: /stock/{{ world.orders[order_id].item }}
            by: "{{ world.orders[order_id]['count'] }}"
          - append: /returns
            value: {order: "{{ order_id }}", number: "{{ before.returns | length + 1 }}"}
        result:
          status: "{{ world.orders[order_id].status }}"
          was: "{{ before.orders[order_id].status }}"
          number: "{{ world.returns[0].number }}"
      - when: {$world: {"/orders/{{ order_id }}/status": {regex: ".+"}}}
        error: only paid orders can be cancelled
      - error: no such order
  - function: {name: take, parameters: {type: object, properties: {item: {type: string}, count: {type: integer}}}}
    mocks:
      - effects: [{increment: "/stock/{{ item }}", by: "{{ 0 - count }}"}]
        template: '{"left": {{ world.stock[item] }}, "before": {{ before.stock[item] }}}'
  - function: {name: forget, parameters: {type: object, properties: {place: {type: string}}}}
    mocks:
      - effects: [{remove: "/orders/{{ place }}"}]
        result: done
  - function: {name: grow, parameters: {type: object, properties: {text: {type: string}}}}
    mocks:
      - effects: [{append: /returns, value: "{{ text }}"}]
        result: done
"""
CODE = """
import time

def register_tools(registry):
    registry.register_toolset("bank", "Accounts.", world={"balance": 10})
    schema = {"parameters": {"type": "object", "properties": {"amount": {"type": "integer"}, "wait_s": {}}}}

    def pay(arguments, *, world):
        time.sleep(arguments.get("wait_s", 0))
        world["balance"] -= arguments["amount"]
        if world["balance"] < 0:
            raise ValueError("not enough")
        return {"balance": world["balance"]}

    def refuse(arguments, *, world):
        world.clear()
        return {"error": "refused"}

    def spoil(arguments, *, world):
        world["at"] = object()
        return "done"

    registry.register("pay", "bank", schema, pay)
    registry.register("refuse", "bank", schema, refuse)
    registry.register("spoil", "bank", schema, spoil)
"""


@pytest.fixture
def catalog(tmp_path: Path):
    (tmp_path / "shop.yaml").write_text(SHOP)
    (tmp_path / "bank.py").write_text(CODE)
    catalog = Catalog(tmp_path, packages=())
    yield catalog
    catalog.close()


def call(toolbox: Dispatcher, name: str, **arguments: object) -> ToolRun:
    return toolbox.run(ToolCall(name=name, arguments=arguments))


def value(run: ToolRun) -> object:
    return json.loads(run.result.text)


def test_a_rule_reads_and_changes_the_world(catalog):
    toolbox = catalog.toolbox()
    run = call(toolbox, "cancel_order", order_id="o1", customer="ana")
    assert value(run) == {"status": "cancelled", "was": "paid", "number": 1}
    assert run.rule == "mock rule 1"
    world = replayed([run.world_patch])["shop"]
    assert world["orders"]["o1"] == {"customer": "ana", "status": "cancelled", "item": "mug", "count": 1}
    assert world["stock"] == {"mug": 3, "cap": 0} and world["returns"] == [{"order": "o1", "number": 1}]
    again = call(toolbox, "cancel_order", order_id="o1", customer="ana")
    assert value(again) == {"error": "only paid orders can be cancelled"} and again.world_patch == ()
    assert value(call(toolbox, "cancel_order", order_id="o9", customer="ana")) == {"error": "no such order"}


def test_an_argument_never_leads_a_pointer_elsewhere(catalog):
    toolbox = catalog.toolbox()
    for name in ("o1/status", "../orders", "~1", "-", ""):
        run = call(toolbox, "forget", place=name)
        assert run.result.is_error and run.world_patch == (), name
        assert "nothing is there (/orders has o1, o2)" in run.result.text


def test_each_session_has_its_own_world(catalog):
    first, second = (catalog.toolbox(ToolTask(session_id=name)) for name in ("a", "b"))
    one = call(first, "take", item="mug", count=2)
    assert value(one) == {"left": 0, "before": 2}
    assert value(call(second, "take", item="mug", count=1)) == {"left": 1, "before": 2}
    # The next turn of the first session goes on from its stored changes.
    again = catalog.toolbox(ToolTask(session_id="a", world=replayed([one.world_patch])))
    assert "would no longer match its schema" in call(again, "take", item="mug", count=1).result.text
    assert catalog.files()[0].world.value["stock"] == {"mug": 2, "cap": 0}


def test_code_gets_its_own_copy_of_the_world(catalog):
    toolbox = catalog.toolbox()
    run = call(toolbox, "pay", amount=4)
    assert value(run) == {"balance": 6}
    assert replayed([run.world_patch]) == {"bank": {"balance": 6}}
    for name, amount in (("pay", 7), ("refuse", 0), ("spoil", 0)):
        failed = call(toolbox, name, amount=amount)
        assert failed.result.is_error and failed.world_patch == ()
    assert "not JSON" in call(toolbox, "spoil").result.text
    assert value(call(toolbox, "pay", amount=1)) == {"balance": 5}


def test_the_calls_of_a_round_change_the_world_in_their_order(catalog):
    toolbox = catalog.toolbox()
    waits = (0.05, 0.0, 0.02, 0.0)
    calls = [
        ToolCall(name="pay", arguments={"amount": number, "wait_s": wait_s})
        for number, wait_s in enumerate(waits, start=1)
    ]
    runs = list(toolbox.run_round(calls))
    assert [value(run) for run in runs[:3]] == [{"balance": 9}, {"balance": 7}, {"balance": 4}]
    assert value(runs[3]) == {"balance": 0}
    assert replayed(run.world_patch for run in runs) == {"bank": {"balance": 0}}


def test_other_calls_of_the_round_do_not_wait(catalog, tmp_path):
    (tmp_path / "slow.py").write_text(
        "import time\ndef register_tools(registry):\n"
        "    registry.register('slow', 'slow', {'parameters': {'type': 'object'}}, lambda a: time.sleep(0.5) or 'x')\n"
    )
    toolbox = catalog.toolbox()
    calls = [ToolCall(name=name, arguments={"amount": 1}) for name in ("slow", "pay", "slow", "slow")]
    started_s = time.perf_counter()
    assert [run.result.text for run in toolbox.run_round(calls)] == ['"x"', '{"balance": 9}', '"x"', '"x"']
    assert time.perf_counter() - started_s < 1.4


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("take", {"item": "mug", "count": 3}, "the world of 'shop': it would no longer match its schema: /stock/mug"),
        ("take", {"item": "hat", "count": 1}, "effect 1 (increment /stock/hat): nothing is there (/stock has mug, cap)"),
        ("forget", {"place": "o9"}, "mock rule 1 of 'forget': effect 1 (remove /orders/o9): nothing is there"),
        ("grow", {"text": "x" * 5_000_000}, "mock template of 'grow'"),
        ("grow", {}, "mock template of 'grow': UndefinedError: 'text' is undefined"),
    ],
)  # fmt: skip
def test_a_failing_effect_is_an_error_and_changes_nothing(catalog, name, arguments, problem):
    toolbox = catalog.toolbox()
    before = call(toolbox, "take", item="mug", count=0)
    run = call(toolbox, name, **arguments)
    assert run.result.is_error and problem in value(run)["error"]
    assert run.world_patch == ()
    assert value(call(toolbox, "take", item="mug", count=0)) == value(before)


def test_a_case_starts_with_another_world_and_gives_its_own_tools_one(catalog):
    rules: JsonObject = {"note": [{"effects": [{"append": "/notes", "value": "{{ text }}"}], "result": "ok"}]}
    changes: JsonObject = {"shop": {"stock": {"mug": 7}, "orders": {"o1": None}}, "case": {"notes": []}}
    staging = Staging(mocks=rules, world=changes)
    toolbox = catalog.toolbox(ToolTask(staging=staging))
    assert value(call(toolbox, "take", item="mug", count=1)) == {"left": 6, "before": 7}
    noted = call(toolbox, "note", text="hello")
    assert replayed([noted.world_patch]) == {"case": {"notes": ["hello"]}}
    start = catalog.world_start(["take", "note"], staging)
    assert start["case"] == {"notes": []} and set(start["shop"]["orders"]) == {"o2"}
    assert catalog.world_start(["pay"]) == {"bank": {"balance": 10}}
    assert catalog.world_start([]) == {}
    with pytest.raises(BadInput, match=r"world: there is no toolset 'shp' \(did you mean 'shop'"):
        catalog.toolbox(ToolTask(staging=Staging(world={"shp": {}})))
    with pytest.raises(BadInput, match="world of 'shop'"):
        catalog.toolbox(ToolTask(staging=Staging(world={"shop": {"stock": {"mug": -1}}})))


def test_a_toolset_with_a_world_is_written_as_it_is_read():
    toolset = parse_toolset(SHOP, where="shop")
    assert parse_toolset(render_toolset(toolset), where="shop") == toolset


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("stock: {mug: 2, cap: 0}", "stock: {mug: -2}", "shop, /world: it does not match `world_schema`: /stock/mug"),
        ("minimum: 0", "minimum: zero", "shop, /world_schema: "),
        ("world:\n  orders", "worlds:\n  orders", "shop, worlds: "),
        ("result: done", "error: done", "effects need a result or a template"),
        ("{remove: \"/orders/{{ place }}\"}", "{remove: orders}", "/mocks/0/effects/0: a pointer begins with /; write /orders"),
        ("{remove: \"/orders/{{ place }}\"}", "{remove: \"/orders/{{ place\"}", "/mocks/0/effects/0: it has {{ without }}"),
        ("{remove: \"/orders/{{ place }}\"}", "{remove: \"/a/{{ place.__class__ }}\"}", "may not reach for the attribute"),
        ("{remove: \"/orders/{{ place }}\"}", "{remove: /a, set: /b}", "give exactly one of set, append, remove, increment"),
        ("{remove: \"/orders/{{ place }}\"}", "{set: /a}", "set needs value"),
        ("{remove: \"/orders/{{ place }}\"}", "{remove: /a, value: 1}", "remove has no value"),
        ("{regex: \".+\"}", "{regexp: \".+\"}", "`regexp` is not a condition; did you mean `regex`?"),
        ("\"/orders/{{ order_id }}/status\": {regex", "\"orders\": {regex", "a pointer begins with /; write /orders"),
    ],
)  # fmt: skip
def test_an_invalid_world_or_effect_is_refused_with_its_place(old, new, problem):
    assert old in SHOP
    with pytest.raises(BadInput) as error:
        parse_toolset(SHOP.replace(old, new), where="shop")
    assert problem in str(error.value)


def test_rules_that_need_a_world_need_a_world():
    start, end = SHOP.index("world_schema"), SHOP.index("tools:")
    with pytest.raises(
        BadInput, match="mock rule 1 of 'cancel_order' needs a world, and the toolset declares none"
    ):
        parse_toolset(SHOP[:start] + SHOP[end:], where="shop")
