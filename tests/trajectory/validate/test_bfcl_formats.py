"""One defect in a row of the Berkeley sets gives one finding, in every format that can have the defect."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from tests.bfcl import SETS, bfcl_trajectories
from tests.trajectory.writing.test_bfcl import with_ids
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import RowOptions

pytestmark = [pytest.mark.slow, pytest.mark.long]
STEP = 17
Row = dict[str, Any]


class Shape(NamedTuple):
    """Where a format stores what the mutations change."""

    entries: str
    who: str
    text: str
    user: str
    model: str
    """Index of the entry with the first call."""
    tool: str


SHAPES = {
    "sharegpt": Shape("conversations", "from", "value", "human", "gpt", "tool"),
    "hermes-agent": Shape("conversations", "from", "value", "human", "gpt", "tool"),
    "openai": Shape("messages", "role", "content", "user", "assistant", "tool"),
    "trl": Shape("messages", "role", "content", "user", "assistant", "tool"),
    "llamafactory": Shape("conversations", "from", "value", "human", "function_call", "observation"),
}
CHATS = ("openai", "trl")
HERMES = ("sharegpt", "hermes-agent")
TEXTS = (*HERMES, "llamafactory")
ALL = tuple(SHAPES)


class Broken(NamedTuple):
    """A row that gets a defect."""

    row: Row
    shape: Shape

    @property
    def entries(self) -> list[Row]:
        return self.row[self.shape.entries]

    def place(self, who: str) -> int:
        return next(place for place, entry in enumerate(self.entries) if entry[self.shape.who] == who)

    def edit(self, who: str, change: Callable[[str], str]) -> int:
        place = self.place(who)
        entry = self.entries[place]
        entry[self.shape.text] = change(entry[self.shape.text])
        return place

    def edit_call(self, change: Callable[[Any, Any], None]) -> int:
        """Change the first call's function and its arguments."""
        place = self.place(self.shape.model)
        entry = self.entries[place]
        if "tool_calls" in entry:
            function = entry["tool_calls"][0]["function"]
            is_text = isinstance(function["arguments"], str)
            arguments = json.loads(function["arguments"]) if is_text else function["arguments"]
            change(function, arguments)
            function["arguments"] = json.dumps(arguments) if is_text else arguments
            return place
        text = entry[self.shape.text]
        start = text.index('{"name"')
        call, end = json.JSONDecoder().raw_decode(text, start)
        change(call, call["arguments"])
        entry[self.shape.text] = text[:start] + json.dumps(call) + text[end:]
        return place

    def schema(self) -> Any:
        """Return the parameters of the tool that is called first."""
        names: list[str] = []
        copy.deepcopy(self).edit_call(lambda call, _: names.append(call["name"]))
        functions = [function.get("function", function) for function in self.tools()]
        return next(function for function in functions if function["name"] == names[0])["parameters"]

    def tools(self) -> list[Any]:
        tools = self.row["tools"]
        return json.loads(tools) if isinstance(tools, str) else tools

    def edit_tools(self, change: Callable[[list[Any]], object]) -> None:
        tools = self.tools()
        change(tools)
        self.row["tools"] = json.dumps(tools) if isinstance(self.row["tools"], str) else tools


Mutate = Callable[[Broken], int | None]


def appended(text: str) -> Mutate:
    return lambda broken_row: broken_row.edit(broken_row.shape.user, lambda before: before + text)


def removed(who: str) -> Mutate:
    def mutate(broken_row: Broken) -> int:
        place = broken_row.place(getattr(broken_row.shape, who))
        del broken_row.entries[place]
        return place

    return mutate


def without_results(broken_row: Broken) -> int:
    broken_row.entries[:] = [
        entry for entry in broken_row.entries if entry[broken_row.shape.who] != broken_row.shape.tool
    ]
    return broken_row.place(broken_row.shape.model)


def without_answer(broken_row: Broken) -> int:
    broken_row.entries.pop()
    return len(broken_row.entries) - 1


def doubled(broken_row: Broken) -> int:
    place = broken_row.place(broken_row.shape.user)
    broken_row.entries.insert(place + 1, copy.deepcopy(broken_row.entries[place]))
    return place + 1


def misspoken(broken_row: Broken) -> int:
    place = broken_row.place(broken_row.shape.user)
    broken_row.entries[place][broken_row.shape.who] = "person"
    return place


def speechless(broken_row: Broken) -> int:
    place = broken_row.place(broken_row.shape.user)
    del broken_row.entries[place][broken_row.shape.text]
    return place


def renamed(broken_row: Broken) -> int:
    return broken_row.edit_call(lambda call, _: call.update(name="un" + call["name"]))


def argument(change: Callable[[Any, Any], None]) -> Mutate:
    """Change the arguments according to the schema."""
    return lambda broken_row: broken_row.edit_call(
        lambda _, arguments: change(arguments, broken_row.schema())
    )


def left_out(arguments: Any, schema: Any) -> None:
    del arguments[schema["required"][0]]


def mistyped(arguments: Any, schema: Any) -> None:
    name = schema["required"][0]
    arguments[name] = {"no": "such"} if schema["properties"][name].get("type") != "object" else 7


def model_edit(before: str, after: str) -> Mutate:
    return lambda broken_row: broken_row.edit(
        broken_row.shape.model, lambda text: text.replace(before, after, 1)
    )


def arguments_text(change: Callable[[str], str]) -> Mutate:
    def mutate(broken_row: Broken) -> int:
        place = broken_row.place(broken_row.shape.model)
        function = broken_row.entries[place]["tool_calls"][0]["function"]
        function["arguments"] = change(function["arguments"])
        return place

    return mutate


def other_id(broken_row: Broken) -> int:
    place = broken_row.place(broken_row.shape.tool)
    broken_row.entries[place]["tool_call_id"] = "no-such-id"
    return place


def other_record_name(broken_row: Broken) -> int:
    return broken_row.edit(broken_row.shape.tool, lambda text: text.replace('"name": "', '"name": "un', 1))


def tools(change: Callable[[list[Any]], object]) -> Mutate:
    return lambda broken_row: broken_row.edit_tools(change)


def unsound(specs: list[Any]) -> None:
    specs[-1].get("function", specs[-1])["parameters"]["type"] = "text"


def unreadable_tools(broken_row: Broken) -> None:
    broken_row.row["tools"] = "[{"


def second_system(broken_row: Broken) -> int:
    entry = {broken_row.shape.who: "system", broken_row.shape.text: "Be brief."}
    place = broken_row.place(broken_row.shape.user) + 1
    broken_row.entries.insert(place, entry)
    return place


CALL = '\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
MUTATIONS: list[tuple[str, tuple[str, ...], Mutate]] = [
    ("undeclared-tool", ALL, renamed),
    ("schema-missing-required", ALL, argument(left_out)),
    ("schema-unknown-argument", ALL, argument(lambda given, _: given.update(zz=1))),
    ("schema-type", ALL, argument(mistyped)),
    ("none-filled", ALL, argument(lambda given, _: given.update(zz=None))),
    ("call-not-strict", HERMES, model_edit("}}", "},}")),
    ("call-not-strict", HERMES, model_edit('"name"', "'name'")),
    ("call-not-strict", HERMES, model_edit('"arguments"', '"parameters"')),
    ("call-not-strict", ("openai",), arguments_text(lambda text: text[:-1] + ",}")),
    ("call-not-strict", ("openai",), arguments_text(lambda text: text.replace('"', "'"))),
    ("call-unreadable", HERMES, model_edit('"arguments": {', '"arguments": {]')),
    ("call-unreadable", ("openai",), arguments_text(lambda _: "[1]")),
    ("call-unreadable", ("openai",), arguments_text(lambda _: "{a:: }")),
    ("call-truncated", HERMES, lambda broken_row: broken_row.edit("gpt", lambda text: text[: text.rindex("}}")])),
    ("call-without-result", ALL, without_results),
    ("result-without-call", (*HERMES, *CHATS), removed("model")),
    ("result-id-mismatch", ("openai",), other_id),
    ("result-id-mismatch", ("hermes-agent",), other_record_name),
    ("last-not-assistant", ALL, without_answer),
    ("role-order", ALL, doubled),
    ("role-order", ALL, removed("user")),
    ("role-order", (*HERMES, *CHATS), second_system),
    ("unknown-role", ALL, misspoken),
    ("missing-field", TEXTS, speechless),
    ("missing-field", CHATS, speechless),
    ("empty-entry", ALL, lambda broken_row: broken_row.edit(broken_row.shape.user, lambda _: " \n")),
    ("control-mark", ALL, appended("<|im_end|>")),
    ("control-mark", ALL, appended("\n</tool_response>")),
    ("call-in-user", ALL, appended(CALL)),
    ("placeholder", ALL, appended(" {{ name }}")),
    ("placeholder", ALL, appended(" <YOUR NAME>")),
    ("secret", ALL, appended(" sk-" + "a1B2c3D4e5" * 3)),
    ("secret", ALL, appended(" https://me:hunter22@host.org")),
    ("personal-data", ALL, appended(" ask jane.roe@acme-corp.com")),
    ("tool-declared-twice", (*CHATS, "llamafactory"), tools(lambda specs: specs.append(specs[0]))),
    ("spec-unsound", (*CHATS, "llamafactory"), tools(unsound)),
    ("tools-unreadable", (*CHATS, "llamafactory"), unreadable_tools),
    ("tools-mismatch", HERMES, lambda broken_row: broken_row.edit("system", lambda text: text.replace('"name": "', '"name": "o_', 1))),
]  # fmt: skip
CASES = [
    pytest.param(code, name, mutate, id=f"{place}-{code}-{name}")
    for place, (code, names, mutate) in enumerate(MUTATIONS)
    for name in names
]


def findings_of(row: Row, name: str) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.entry) for finding in check_completely(FORMATS[name].read(row)).findings]


def _sound(name: str) -> Iterator[Row]:
    for kind in SETS[:2]:
        for trajectory in list(bfcl_trajectories(kind, is_sound=True))[::STEP]:
            given = with_ids(trajectory) if name in ("openai", "hermes-agent") else trajectory
            row = json.loads(json.dumps(write_row(given, FORMATS[name], RowOptions()).row))
            calls = [part for message in trajectory.messages for part in message.calls]
            if row and not findings_of(row, name) and calls and calls[0].arguments:
                yield row


@pytest.fixture(scope="module")
def valid_rows() -> dict[str, list[Row]]:
    rows = {name: list(_sound(name)) for name in SHAPES}
    assert all(len(found) > 15 for found in rows.values())
    return rows


def test_the_defects_are_of_enough_kinds() -> None:
    assert len(MUTATIONS) >= 25


@pytest.mark.parametrize(("code", "name", "mutate"), CASES)
def test_one_defect_gives_one_finding_in_its_entry(
    valid_rows: dict[str, list[Row]], code: str, name: str, mutate: Mutate
) -> None:
    for row in valid_rows[name]:
        broken = Broken(copy.deepcopy(row), SHAPES[name])
        place = mutate(broken)
        assert findings_of(broken.row, name) == [(code, place)], broken.row
