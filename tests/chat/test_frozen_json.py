"""The arguments of parsed calls cannot be changed, at any depth, but copied, pickled and handed to tools."""

import copy
import json
import pickle

import pytest

from workbench import Stream, parse, parse_tools
from workbench.chat.frozen_json import FrozenArray, FrozenObject, frozen

ARGUMENTS = {"city": "Rome", "days": [1, {"hour": [2, 3]}], "units": {"wind": "kn"}}
TEXT = f"<tool_call>\n{json.dumps({'name': 'now', 'arguments': ARGUMENTS, 'extra': [1]})}\n</tool_call>"
TOOLS = parse_tools(
    [{"name": "now", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]
)


def streamed():
    stream = Stream(tools=TOOLS)
    for character in TEXT:
        stream.feed(character)
    return stream.finish()


CHANGES = {
    "set": lambda arguments: arguments.__setitem__("city", "Oslo"),
    "delete": lambda arguments: arguments.__delitem__("city"),
    "update": lambda arguments: arguments.update(city="Oslo"),
    "merge": lambda arguments: arguments.__ior__({"city": "Oslo"}),
    "pop": lambda arguments: arguments.pop("city"),
    "setdefault": lambda arguments: arguments.setdefault("zone", 1),
    "clear": lambda arguments: arguments.clear(),
    "nested object": lambda arguments: arguments["units"].__setitem__("wind", "m/s"),
    "append": lambda arguments: arguments["days"].append(4),
    "set item": lambda arguments: arguments["days"].__setitem__(0, 4),
    "extend": lambda arguments: arguments["days"].__iadd__([4]),
    "sort": lambda arguments: arguments["days"][1]["hour"].sort(reverse=True),
}


@pytest.mark.parametrize("read", [lambda: parse(TEXT, tools=TOOLS), streamed], ids=["parse", "stream"])
@pytest.mark.parametrize("change", CHANGES)
def test_the_arguments_of_a_call_cannot_be_changed(read, change):
    [call] = read().calls
    with pytest.raises(TypeError, match="cannot be changed"):
        CHANGES[change](call.arguments)
    assert call.arguments == ARGUMENTS and json.loads(json.dumps(call.arguments)) == ARGUMENTS


def test_every_method_that_changes_an_object_or_array_is_refused():
    for plain, kind in ((dict, FrozenObject), (list, FrozenArray)):
        readers = {"copy", "count", "fromkeys", "get", "index", "items", "keys", "values"}
        methods = {name for name in vars(plain) if not name.startswith("_")} - readers
        assert methods <= set(vars(kind))


def test_other_members_of_a_call_are_frozen_too():
    [call] = parse(TEXT, tools=TOOLS).calls
    assert isinstance(call.others["extra"], FrozenArray)


def test_a_deep_copy_can_be_changed_and_a_pickled_value_cannot():
    value = frozen(ARGUMENTS)
    again = pickle.loads(pickle.dumps(value))
    assert again == value and isinstance(again["days"][1]["hour"], FrozenArray)
    changed = copy.deepcopy(value)
    changed["days"][1]["hour"].append(4)
    assert changed["days"][1]["hour"] == [2, 3, 4] and value == ARGUMENTS
