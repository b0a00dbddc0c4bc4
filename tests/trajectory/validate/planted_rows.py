"""Generated rows in four formats, and the place where a defect is planted in one."""

import json
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions

Row = dict[str, Any]
WORDS = [
    "amber",
    "basalt",
    "cedar",
    "dune",
    "ember",
    "fjord",
    "grove",
    "harbor",
    "iris",
    "juniper",
    "kelp",
    "larch",
]
FORMS = ("sharegpt", "openai", "trl", "llamafactory")
ENTRIES = {
    "sharegpt": "conversations",
    "openai": "messages",
    "trl": "messages",
    "llamafactory": "conversations",
}
TEXT = {"sharegpt": "value", "openai": "content", "trl": "content", "llamafactory": "value"}
ROLE = {"sharegpt": "from", "openai": "role", "trl": "role", "llamafactory": "from"}
USER = {"sharegpt": "human", "openai": "user", "trl": "user", "llamafactory": "human"}
MODEL = {"sharegpt": "gpt", "openai": "assistant", "trl": "assistant", "llamafactory": "gpt"}
TOOL = {"sharegpt": "tool", "openai": "tool", "trl": "tool", "llamafactory": "observation"}


def spec(name: str, **more: Any) -> Row:
    properties = {
        "key": {"type": "string", "description": "Which one."},
        "count": {"type": "integer", "minimum": 1, "maximum": 50},
        "mode": {"type": "string", "enum": ["short", "long"]},
        "day": {"type": "string", "format": "date"},
        "flag": {"type": "boolean"},
        "level": {"type": "number"},
    }
    parameters = {"type": "object", "properties": properties, "required": ["key"], **more}
    return {
        "type": "function",
        "function": {"name": name, "description": f"Look up a {name[4:]}.", "parameters": parameters},
    }


def clean_row(random: Random, number: int, form: str) -> Row:
    """A row of one call with its result in the middle: system text, question, call, result, answer."""
    name = f"get_{random.choice(WORDS)}"
    arguments: Row = {"key": f"{random.choice(WORDS)}-{number}", "count": random.randrange(1, 51)}
    if random.random() < 0.5:
        arguments["mode"] = random.choice(["short", "long"])
    said = " ".join(random.choices(WORDS, k=12))
    asked = random.choice(["Größe", "naïve café", "中文", "Привет", "😀", "plain"])
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
    row = {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": f"Request {number} about {asked}: {said}?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {
                "role": "tool",
                "tool_call_id": "call_1",
                "name": name,
                "content": json.dumps({"value": number}),
            },
            {"role": "assistant", "content": f"It is {number}, because of {said}."},
        ],
        "tools": [spec(name), spec("get_other")],
        "id": f"row-{number}",
    }
    if form == "trl":
        return row
    done = convert_row(row, FORMATS["trl"], FORMATS[form], RowOptions())
    assert done.row is not None, done.problems
    return json.loads(json.dumps(done.row))


class Place(NamedTuple):
    """Where a defect is planted, in the row of one format."""

    form: str
    row: Row

    @property
    def key(self) -> str:
        return ENTRIES[self.form]

    @property
    def entries(self) -> list[Row]:
        return self.row[self.key]

    @property
    def start(self) -> int:
        """Index of the question: some formats have the system text in a column."""
        return next(
            index for index, one in enumerate(self.entries) if one[ROLE[self.form]] == USER[self.form]
        )

    def entry(self, offset: int) -> Row:
        return self.entries[self.start + offset]

    def text_at(self, offset: int) -> str:
        return f"/{self.key}/{self.start + offset}/{TEXT[self.form]}"

    def say(self, offset: int, text: str) -> None:
        self.entry(offset)[TEXT[self.form]] = text

    def call_text(self, change: Callable[[str], str]) -> str:
        """Change the JSON text of the arguments or of the call; return its pointer."""
        if self.form == "openai":
            function = self.entry(1)["tool_calls"][0]["function"]
            function["arguments"] = change(function["arguments"])
            return f"/messages/{self.start + 1}/tool_calls/0/function/arguments"
        self.say(1, change(self.entry(1)[TEXT[self.form]]))
        return self.text_at(1)

    def arguments(self, **change: Any) -> None:
        """Replace arguments, or remove those that are None."""

        def changed(given: Row) -> Row:
            return {key: value for key, value in {**given, **change}.items() if value is not None}

        if self.form == "trl":
            function = self.entry(1)["tool_calls"][0]["function"]
            function["arguments"] = changed(function["arguments"])
        elif self.form == "openai":
            self.call_text(lambda text: json.dumps(changed(json.loads(text))))
        else:
            start, end = ("<tool_call>\n", "\n</tool_call>") if self.form == "sharegpt" else ("", "")
            call = json.loads(self.entry(1)["value"].removeprefix(start).removesuffix(end))
            self.say(1, start + json.dumps({**call, "arguments": changed(call["arguments"])}) + end)

    def rename(self, name: str) -> str:
        """Call another tool; return the pointer to the call."""
        if self.form in ("openai", "trl"):
            self.entry(1)["tool_calls"][0]["function"]["name"] = name
            self.entry(2).pop("name", None)
            return f"/messages/{self.start + 1}/tool_calls/0"
        text = self.entry(1)["value"]
        old = json.loads(text[text.index("{") : text.rindex("}") + 1])["name"]
        self.say(1, text.replace(f'"name": "{old}"', f'"name": "{name}"'))
        return self.text_at(1)
