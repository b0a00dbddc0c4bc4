"""Rows of every format with keys that no reader knows and with loss masks, each with a value that can be found again."""

import json
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from workbench.chat.message import Role

NAMES: Final = (
    "images", "name", "rating", "metadata", "id", "timestamp", "status", "is_error", "meta/data", "content/0/a",
    "role", "content", "from", "value", "tool_calls", "reasoning", "thinking", "refusal", "é", " ", "loss_scale",
)  # fmt: skip
MASKS: Final = ("weight", "train", "training", "loss", "loss_mask", "loss_weight", "masked")
SPEC: Final = {
    "name": "f",
    "description": "d",
    "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}},
}
TOOLS: Final = [{"type": "function", "function": SPEC}]
OWN: Final = {
    "chat": {"role", "content", "tool_calls", "reasoning", "thinking"},
    "parts": {"role", "content", "tool_calls", "reasoning", "thinking"},
    "pairs": {"from", "value"},
    "llama": {"from", "value"},
}

SHAPES: Final = {
    "sharegpt": "pairs",
    "hermes-agent": "pairs",
    "llamafactory": "llama",
    "llamafactory-dpo": "llama",
    "llamafactory-kto": "llama",
    "llamafactory-v1": "parts",
    "llamafactory-v1-dpo": "parts",
}
"""How entries are written, by format. Other formats have chat messages."""


@dataclass
class KeyedRow:
    """A row, and what was planted in it."""

    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    entries: dict[str, str] = field(default_factory=dict[str, str])
    """Name of each planted member of an entry, by its value."""
    columns: dict[str, str] = field(default_factory=dict[str, str])
    calls: dict[str, str] = field(default_factory=dict[str, str])
    masks: dict[str, bool] = field(default_factory=dict[str, bool])
    """By the text of the entry."""


class Planter:
    """Makes one row."""

    def __init__(self, random: Random, shape: str) -> None:
        self.random, self.shape = random, shape
        self.row = KeyedRow()
        self._count = 0

    def token(self) -> str:
        self._count += 1
        return f"t{self._count}t"

    def members(self, taken: set[str], found: dict[str, str]) -> dict[str, Any]:
        """Return some members with names that are free."""
        members: dict[str, Any] = {}
        for name in self.random.sample(NAMES, self.random.choice((0, 0, 1, 3))):
            if name in taken:
                continue
            token = self.token()
            # A text would be a thought or a role.
            is_object = name in ("reasoning", "thinking") or self.random.random() < 0.5
            members[name] = {"a": [token, None, 1.0]} if is_object else token
            found[token] = name
        return members

    def entry(self, role: Role, text: str, own: dict[str, Any]) -> dict[str, Any]:
        """Add members and a mask to an entry; `text` is found again in every format."""
        taken = OWN[self.shape] | ({"name"} if role is Role.TOOL else set[str]())
        fields = {**own, **self.members(taken, self.row.entries)}
        if self.random.random() < 0.3:
            is_trained = self.random.random() < 0.5
            name = self.random.choice(MASKS)
            value = is_trained is not (name == "masked")
            fields[name] = self.random.choice((value, int(value), float(value)))
            self.row.masks[text] = is_trained
        items = list(fields.items())
        self.random.shuffle(items)
        return dict(items)

    def speaks(self, role: Role, text: str, calls: int = 0) -> dict[str, Any]:
        """Return an entry with a text, and with calls of the one tool."""
        if self.shape == "chat":
            own: dict[str, Any] = {"role": str(role), "content": text}
            if calls:
                own["tool_calls"] = [self.chat_call(index) for index in range(calls)]
            return self.entry(role, text, own)
        listed = [{"name": "f", "arguments": {"n": index}} for index in range(calls)]
        if self.shape == "parts":
            parts = [{"type": "text", "value": text}]
            parts += [{"type": "tool_call", "value": json.dumps(call)} for call in listed]
            return self.entry(role, text, {"role": str(role), "content": parts})
        if calls and self.shape == "llama":
            return self.entry(role, text, {"from": "function_call", "value": json.dumps(listed)})
        words = {Role.SYSTEM: "system", Role.USER: "human", Role.ASSISTANT: "gpt"}
        blocks = [
            f'<tool_call>\n{{"name": "f", "arguments": {{"n": {index}}}}}\n</tool_call>'
            for index in range(calls)
        ]
        return self.entry(role, text, {"from": words[role], "value": "\n".join((text, *blocks))})

    def chat_call(self, index: int) -> dict[str, Any]:
        members = self.members({"id", "name"} | {"arguments", "function"}, self.row.calls)
        call = {
            "id": f"c{index}",
            "type": "function",
            "function": {"name": "f", "arguments": f'{{"n": {index}}}'},
        }
        return {**call, **members}

    def results(self, calls: int) -> list[dict[str, Any]]:
        texts = [f"result {self.token()}" for _ in range(calls)]
        if self.shape == "chat":
            return [
                self.entry(Role.TOOL, text, {"role": "tool", "tool_call_id": f"c{index}", "content": text})
                for index, text in enumerate(texts)
            ]
        if self.shape == "parts":
            contents = ([{"type": "text", "value": text}] for text in texts)
            return [
                self.entry(Role.TOOL, text, {"role": "tool", "content": content})
                for text, content in zip(texts, contents, strict=True)
            ]
        if self.shape == "llama":
            joined = "\n</tool_response>\n<tool_response>\n".join(texts)
            return [self.entry(Role.TOOL, texts[0], {"from": "observation", "value": joined})]
        wrapped = "\n".join(f"<tool_response>\n{text}\n</tool_response>" for text in texts)
        return [self.entry(Role.TOOL, texts[0], {"from": "tool", "value": wrapped})]

    def talk(self) -> list[dict[str, Any]]:
        """Return a conversation that ends with a user's message."""
        entries: list[dict[str, Any]] = []
        if self.random.random() < 0.4:
            entries.append(self.speaks(Role.SYSTEM, f"Be brief. {self.token()}"))
        for _ in range(self.random.choice((0, 1, 2))):
            entries.append(self.speaks(Role.USER, f"ask {self.token()}"))
            calls = self.random.choice((0, 1, 2))
            entries.append(self.speaks(Role.ASSISTANT, f"say {self.token()}", calls))
            if calls:
                entries += [*self.results(calls), self.speaks(Role.ASSISTANT, f"done {self.token()}")]
        return [*entries, self.speaks(Role.USER, f"last {self.token()}")]

    def answer(self) -> dict[str, Any]:
        return self.speaks(Role.ASSISTANT, f"answer {self.token()}")


def enveloped(message: dict[str, Any]) -> dict[str, Any]:
    """Return a chat message with the keys of a session trace."""
    names = {"tool_calls": "toolCalls", "tool_call_id": "toolCallId"}
    return {names.get(key, key): value for key, value in message.items()}


def keyed_row(random: Random, form: str) -> KeyedRow:
    """Return a row that the format reads."""
    planter = Planter(random, SHAPES.get(form, "chat"))
    talk, row = planter.talk(), planter.row
    tools: Any = TOOLS if planter.shape == "chat" else json.dumps(TOOLS)
    own: dict[str, Any]
    match form:
        case "dpo":
            own = {
                "prompt": talk,
                "chosen": [planter.answer()],
                "rejected": [planter.answer()],
                "tools": tools,
            }
        case "openai-preference":
            own = {
                "input": {"messages": talk, "tools": tools},
                "preferred_output": [planter.answer()],
                "non_preferred_output": [planter.answer()],
            }
        case "ms-swift-dpo":
            own = {
                "messages": [*talk, planter.answer()],
                "rejected_messages": [*talk, planter.answer()],
                "tools": tools,
                "rejected_tools": tools,
            }
        case "llamafactory-v1-dpo":
            own = {
                "chosen_messages": [*talk, planter.answer()],
                "rejected_messages": [*talk, planter.answer()],
                "tools": tools,
            }
        case "kto":
            own = {"prompt": talk, "completion": [planter.answer()], "label": True, "tools": tools}
        case "llamafactory-dpo":
            own = {
                "conversations": talk,
                "chosen": planter.answer(),
                "rejected": planter.answer(),
                "tools": tools,
            }
        case "llamafactory-kto":
            own = {"conversations": [*talk, planter.answer()], "kto_tag": False, "tools": tools}
        case "session-trace":
            columns = planter.members({"type", "id", "harness", "tools"}, row.columns)
            header = {"type": "session", "id": "s", "harness": "h", "tools": tools, **columns}
            messages = [
                {"type": "message", "message": enveloped(entry)} for entry in [*talk, planter.answer()]
            ]
            row.fields = {"traces": [header, *messages]}
            return row
        case _:
            key = "messages" if planter.shape in ("chat", "parts") else "conversations"
            own = {key: [*talk, planter.answer()], "tools": tools}
    row.fields = {**own, **planter.members({*own, "content", "from", "value", "role"}, row.columns)}
    return row
