"""Ways to plant a defect in a generated row, each with the place where it must be found."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.trajectory.validate.planted_rows import MODEL, ROLE, TEXT, USER, Place, Row

Planted = tuple[int | None, str] | None
"""Offset of the entry from the question, None for the row, and the pointer; None if the format cannot have it."""
Plant = Callable[[Place, Random], Planted]


def said(offset: int, *texts: str) -> Plant:
    def plant(place: Place, random: Random) -> Planted:
        place.say(offset, random.choice(texts))
        return offset, place.text_at(offset)

    return plant


def argued(pointer: str, **change: Any) -> Plant:
    def plant(place: Place, _: Random) -> Planted:
        place.arguments(**change)
        return 1, pointer

    return plant


def written(change: Callable[[str], str], *forms: str) -> Plant:
    def plant(place: Place, _: Random) -> Planted:
        return (1, place.call_text(change)) if place.form in forms else None

    return plant


def named(name: str) -> Plant:
    def plant(place: Place, _: Random) -> Planted:
        return 1, place.rename(name)

    return plant


def without_result(place: Place, _: Random) -> Planted:
    del place.entries[place.start + 2]
    # The answer would follow the call; a new question does.
    where = (
        place.text_at(1)
        if place.form not in ("openai", "trl")
        else f"/messages/{place.start + 1}/tool_calls/0"
    )
    return 1, where


def without_call(place: Place, _: Random) -> Planted:
    place.entry(1).pop("tool_calls", None)
    place.entry(1)[ROLE[place.form]] = MODEL[place.form]
    place.say(1, "I look.")
    return 2, place.text_at(2)


def two_questions(place: Place, _: Random) -> Planted:
    place.entries.insert(place.start + 1, dict(place.entry(0)))
    return 1, f"/{place.key}/{place.start + 1}"


def last_is_user(place: Place, _: Random) -> Planted:
    place.entries.append({ROLE[place.form]: USER[place.form], TEXT[place.form]: "And then?"})
    return 4, f"/{place.key}/{place.start + 4}"


def empty(text: str | None) -> Plant:
    def plant(place: Place, _: Random) -> Planted:
        place.say(3, text)  # type: ignore[arg-type]
        is_missing = text is None and place.form in ("sharegpt", "llamafactory")
        return 3, f"/{place.key}/{place.start + 3}" + ("/value" if is_missing else "")

    return plant


def unknown_role(place: Place, _: Random) -> Planted:
    start = place.start
    place.entry(0)[ROLE[place.form]] = "alien"
    return 0, f"/{place.key}/{start}/{ROLE[place.form]}"


def columned(key: str, value: Any) -> Plant:
    def plant(place: Place, _: Random) -> Planted:
        place.row[key] = value
        return None, f"/{key}"

    return plant


def tools_of(change: Callable[[list[Row]], Any]) -> Plant:
    """Change the declared tools; the system text of the other formats does not list them."""

    def plant(place: Place, _: Random) -> Planted:
        if place.form not in ("openai", "trl"):
            return None
        return None, change(place.row["tools"])

    return plant


def untyped(tools: list[Row]) -> str:
    tools[1]["function"]["parameters"]["properties"]["flag"]["type"] = 7
    return "/tools/1/function/parameters/properties/flag/type"


def twice(tools: list[Row]) -> str:
    tools.append(tools[1])
    return "/tools"


def unreadable_tools(place: Place, _: Random) -> Planted:
    place.row["tools"] = "[{"
    return None, "/tools"


def other_id(place: Place, _: Random) -> Planted:
    if place.form not in ("openai", "trl"):
        return None
    place.entry(2)["tool_call_id"] = "call_9"
    return 2, place.text_at(2)


def other_name(place: Place, _: Random) -> Planted:
    if place.form != "trl":
        return None
    place.entry(2)["name"] = "get_other"
    return 2, place.text_at(2)


def repeated(place: Place, _: Random) -> Planted:
    """The same call twice, with a result each."""
    if place.form in ("openai", "trl"):
        calls = place.entry(1)["tool_calls"]
        calls.append({**calls[0], "id": "call_2"})
        place.entries.insert(place.start + 3, {**place.entry(2), "tool_call_id": "call_2"})
        return 1, f"/messages/{place.start + 1}/tool_calls/1"
    if place.form == "sharegpt":
        for offset in (1, 2):
            text = place.entry(offset)["value"]
            place.say(offset, f"{text}\n{text}")
        return 1, place.text_at(1)
    return None


def bare_member(place: Place, _: Random) -> Planted:
    if place.form in ("openai", "trl"):
        place.entry(1)["tool_calls"][0]["function"]["extra"] = 1
        return 1, f"/messages/{place.start + 1}/tool_calls/0"
    place.call_text(lambda text: text.replace('"arguments"', '"extra": 1, "arguments"', 1))
    return 1, place.text_at(1)


def prose_call(place: Place, random: Random) -> Planted:
    text = random.choice(['get_other("x")', 'get_other({"key": "x"})', 'get_other: {"key": "x"}'])
    place.say(3, random.choice(["", "One more:\n"]) + text)
    return 3, place.text_at(3)


def keyed(offset: int, at: str, **members: Any) -> Plant:
    """Add members to an entry; the finding is at the first of them, `at`, or at the entry if that is empty."""

    def plant(place: Place, _: Random) -> Planted:
        place.entry(offset).update(members)
        return offset, f"/{place.key}/{place.start + offset}" + (f"/{at}" if at else "")

    return plant


def thought_only(place: Place, random: Random) -> Planted:
    place.say(3, random.choice(["<think>\nIt is warm.\n</think>", "It is warm.\n</think>"]))
    return 3, f"/{place.key}/{place.start + 3}"


def null_argument(place: Place, _: Random) -> Planted:
    """An optional argument that is null, as Arrow fills it in."""
    place.arguments(day="2026-01-02")
    if place.form == "trl":
        place.entry(1)["tool_calls"][0]["function"]["arguments"]["day"] = None
    else:
        place.call_text(lambda text: text.replace('"2026-01-02"', "null"))
    return 1, "/day"


def argued_text(value: str, deeper: str = "/key") -> Plant:
    """Change the text of an argument, to be found in the arguments."""

    def plant(place: Place, _: Random) -> Planted:
        place.arguments(key=value)
        call = f"/messages/{place.start + 1}/tool_calls/0/function/arguments"
        where = {"trl": call + deeper, "openai": call}
        return 1, where.get(place.form, place.text_at(1))

    return plant


def outside_of_calls(plant: Plant) -> Plant:
    """Plant a defect only where arguments are not in a call within Hermes' tags, which would be unreadable."""
    return lambda place, random: None if place.form == "sharegpt" else plant(place, random)


def without_text(place: Place, _: Random) -> Planted:
    del place.entry(0)[TEXT[place.form]]
    return 0, place.text_at(0)


def two_calls(place: Place, ids: tuple[str, str], answered: tuple[str, str]) -> bool:
    """Call another tool too. Returns whether the format has ids."""
    if place.form not in ("openai", "trl"):
        return False
    calls = place.entry(1)["tool_calls"]
    arguments = {"key": "other"}
    given = json.dumps(arguments) if place.form == "openai" else arguments
    function = {"name": "get_other", "arguments": given}
    calls[0]["id"] = ids[0]
    calls.append({"id": ids[1], "type": "function", "function": function})
    first = place.entry(2)
    first["tool_call_id"] = answered[0]
    second = {**first, "tool_call_id": answered[1], "content": "9"}
    if "name" in first:
        names = dict(zip(ids, (calls[0]["function"]["name"], "get_other"), strict=True))
        first["name"], second["name"] = names[answered[0]], names[answered[1]]
    place.entries.insert(place.start + 3, second)
    return True


def one_id(place: Place, _: Random) -> Planted:
    if not two_calls(place, ("a", "a"), ("a", "a")):
        return None
    for offset, call in ((2, 0), (3, 1)):
        place.entry(offset).pop("name", None)
        assert place.entry(1)["tool_calls"][call]["id"] == "a"
    return 1, f"/messages/{place.start + 1}/tool_calls/1"


def swapped_results(place: Place, _: Random) -> Planted:
    return (2, place.text_at(2)) if two_calls(place, ("a", "b"), ("b", "a")) else None


def second_system(place: Place, _: Random) -> Planted:
    if place.form == "llamafactory":
        return None
    place.entries.insert(place.start + 1, {ROLE[place.form]: "system", TEXT[place.form]: "Be kind."})
    return 1, f"/{place.key}/{place.start + 1}"


def without_question(place: Place, _: Random) -> Planted:
    start = place.start
    del place.entries[start]
    return 0, f"/{place.key}/{start}"


def two_answers(place: Place, _: Random) -> Planted:
    place.entries.append({ROLE[place.form]: MODEL[place.form], TEXT[place.form]: "Anything else?"})
    return 4, f"/{place.key}/{place.start + 4}"


def renamed_member(old: str, new: str) -> Plant:
    def plant(place: Place, _: Random) -> Planted:
        if place.form not in ("sharegpt", "llamafactory"):
            return None
        return 1, place.call_text(lambda text: text.replace(f'"{old}":', f'"{new}":', 1))

    return plant


def other_tools_in_system(change: Callable[[str], str]) -> Plant:
    """Change the tools in the system text, which the column then contradicts."""

    def plant(place: Place, _: Random) -> Planted:
        if place.form != "sharegpt":
            return None
        text = place.entry(-1)["value"]
        start = text.index("<tools>", text.index("Here are the available tools"))
        place.say(-1, text[:start] + change(text[start:]))
        return -1, place.text_at(-1)

    return plant


def xml_call(place: Place, _: Random) -> Planted:
    """A call in XML, although the system text asks for JSON."""
    if place.form != "sharegpt":
        return None
    text = place.entry(1)["value"]
    call = json.loads(text[text.index("{") : text.rindex("}") + 1])
    values = "".join(
        f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in call["arguments"].items()
    )
    place.say(1, f"<tool_call>\n<function={call['name']}>\n{values}</function>\n</tool_call>")
    return 1, place.text_at(1)


def one_more_result(place: Place, _: Random) -> Planted:
    if place.form != "sharegpt":
        return None
    place.say(2, place.entry(2)["value"] + "\n<tool_response>\n7\n</tool_response>")
    return 2, place.text_at(2)


def typed(name: Any) -> Plant:
    """Give a parameter another type; in a text of JSON, the finding is at the column."""

    def plant(place: Place, _: Random) -> Planted:
        if place.form == "sharegpt":
            return None
        tools = place.row["tools"]
        specs = json.loads(tools) if isinstance(tools, str) else tools
        function = specs[1].get("function", specs[1])
        function["parameters"]["properties"]["level"]["type"] = name
        if isinstance(tools, str):
            place.row["tools"] = json.dumps(specs)
            return None, "/tools"
        return None, "/tools/1/function/parameters/properties/level/type"

    return plant


def empty_result(place: Place, _: Random) -> Planted:
    place.say(2, "" if place.form != "sharegpt" else " ")
    return 2, f"/{place.key}/{place.start + 2}"


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def copied_tool(place: Place, _: Random) -> Planted:
    """The same tool twice in a text of JSON."""
    if place.form != "llamafactory":
        return None
    specs = json.loads(place.row["tools"])
    place.row["tools"] = json.dumps([*specs, specs[1]])
    return None, "/tools"
