"""Build chat messages from blocks or items of other APIs, with the place that each part comes from."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue, as_object, loads_fast
from workbench.trajectory.formats.shared.chat_rows import THOUGHT_KEYS
from workbench.trajectory.formats.shared.entry_keys import MASK_KEYS, read_keys
from workbench.trajectory.formats.shared.views import View
from workbench.trajectory.hermes_text import spell_parts, tagged
from workbench.trajectory.row import EntryCall, RowFinding
from workbench.trajectory.trajectory import Prose, Thought
from workbench.trajectory.writing.row_draft import PART_MASKS, ConversionChange, Loss

_RESERVED: Final = frozenset(
    {"role", "content", "tool_calls", "function_call", "tool_call_id", "name", "id", "type", *THOUGHT_KEYS}
)
"""Names that mean something else in a chat message."""
_TEXT_TYPES: Final = (None, "text", "input_text", "output_text", "summary_text", "reasoning_text")
_THOUGHT, _TEXT, _CALL = range(3)


class PartMask(NamedTuple):
    """The loss mask of a part of a message."""

    members: JsonObject
    """The members that say it."""
    place: str
    """Pointer to what has them."""


def mask_of(fields: JsonObject, place: str, above: PartMask | None = None) -> PartMask | None:
    """Return the mask of a part; that of what it is in if it has none of its own."""
    if MASK_KEYS.isdisjoint(fields):
        return above
    return PartMask({key: value for key, value in fields.items() if key in MASK_KEYS}, place)


class BuiltMessage:
    """A chat message that is being built.

    Args:
        role: The message's role.
        place: Pointer to what it comes from.
        others: Other members of the message.
    """

    def __init__(self, role: JsonValue, place: str, others: JsonObject | None = None) -> None:
        self.read_calls: dict[str, EntryCall] = {}
        """Calls that are read already, by the pointer to them in the message; see `View.calls`."""
        self._call_texts: list[str] = []
        self.is_reordered = False
        """Whether its parts were not a thought, then a text, then calls."""
        self.has_value = False
        """Whether it is a result that is a JSON value, and not a text or a list of parts."""
        self._places = {"": place}
        self._fields: dict[str, JsonValue] = {"role": role}
        self._given: dict[str, list[JsonValue]] = {}
        # Arrow fills the keys that a message does not have with null.
        present = {key: value for key, value in (others or {}).items() if value is not None}
        self._order = tuple(present)
        for key, value in present.items():
            if key in _RESERVED:
                self._fields[key] = value
            else:
                self._given[key] = [value]
        self._texts: list[tuple[JsonValue, str, str]] = []
        self._text_masks: dict[int, JsonObject] = {}
        self._masks: list[JsonValue] = []
        self._thoughts: list[str] = []
        self._has_empty_thought = False
        self._calls: list[JsonValue] = []
        self._last = _THOUGHT

    def add_text(self, text: JsonValue, place: str, before: str = "", mask: PartMask | None = None) -> None:
        """Add a text, or a part that is not a text.

        Args:
            text: The text, or the whole part if it is an object.
            place: Where the row has it.
            before: What separates it from the text before it. If it is not empty, joining them is a loss.
            mask: The mask of a text.
        """
        self.is_reordered |= bool(before and self._texts)
        self._note(_TEXT)
        if mask:
            self._text_masks[len(self._texts)] = mask.members
            self._places[f"/content/{len(self._texts)}"] = mask.place
        self._texts.append((text, place, before if self._texts else ""))

    def add_thought(self, text: str, mask: PartMask | None = None) -> None:
        """Add a thought. Of an empty one, the message only says that the row has it."""
        self._has_empty_thought |= not text
        if text:
            self.is_reordered |= bool(self._thoughts)
            self._note(_THOUGHT)
            self._thoughts.append(text)
            self.add_mask(mask)

    def add_mask(self, mask: PartMask | None) -> None:
        """Add the mask of a part that a chat message has no place for, such as a thought; None if it has none."""
        members, place = mask or PartMask({}, "")
        keys = read_keys(members, frozenset())
        self._masks.append(keys.is_trained)
        # What is wrong is reported as if the message had it.
        for key, value in (members if keys.problems else keys.others).items():
            self._given[key] = [value]
            self._places[f"/{key}"] = f"{place}/{key}"

    def add_call(self, call: JsonObject, places: Sequence[str]) -> None:
        """Add a call as chat APIs write it; `places` are those of the call and of its arguments."""
        self._note(_CALL)
        here = f"/tool_calls/{len(self._calls)}"
        self._places |= {here: places[0], f"{here}/function/arguments": places[1]}
        self._calls.append(call)

    def add_read_calls(self, calls: Iterable[EntryCall], text: str, mask: PartMask | None = None) -> None:
        """Add calls of a text that is read already. What they replace is a call that differs if the text does."""
        self._note(_CALL)
        for order, call in enumerate(calls):
            here = f"/tool_calls/{len(self._calls)}"
            self.read_calls[here] = call
            function: JsonObject = {"name": "f", "arguments": {"text": text, "order": order}}
            self._calls.append({**(mask.members if mask else {}), "function": function})
            self._places |= {here: mask.place} if mask else {}
        self._call_texts.append(tagged(text))

    def keep(self, fields: JsonObject, used: Iterable[str], kind: str) -> None:
        """Keep the members of a block that are not used. Empty ones say nothing: some APIs always write them.

        Args:
            fields: The block.
            used: Names of the members that are used.
            kind: The block's type, which precedes names that have another meaning in a message: `reasoning.id`.
        """
        for key, value in fields.items():
            if key not in used and value not in (None, [], {}):
                self._given.setdefault(f"{kind}.{key}" if key in _RESERVED else key, []).append(value)

    @property
    def is_result(self) -> bool:
        """Whether the message is a tool's."""
        return self.role == "tool"

    @property
    def role(self) -> JsonValue:
        """The message's role."""
        return self._fields["role"]

    @property
    def places(self) -> Mapping[str, str]:
        """Pointers into the message with their places in the row."""
        # Texts of several parts have no place of their own.
        content = {"/content": self._texts[0][1]} if len(self._texts) == 1 else {}
        return {**self._places, **content}

    @property
    def fields(self) -> JsonObject:
        """The message as chat APIs have it."""
        fields = dict(self._fields)
        fields["content"] = self._content()
        if self._thoughts or self._has_empty_thought:
            fields["reasoning_content"] = "\n\n".join(self._thoughts)
        # What is not a list of calls stays what it is, and is reported.
        if self._calls and "tool_calls" not in fields:
            fields["tool_calls"] = self._calls
        kept = {key: values[0] if len(values) == 1 else values for key, values in self._given.items()}
        if any(mask is not None for mask in self._masks):
            kept[PART_MASKS] = self._masks
        merged = {**kept, **fields}
        return {key: merged[key] for key in dict.fromkeys((*self._order, *merged))}

    @property
    def tagged_text(self) -> str | None:
        """The message as one text, if a call that is read already needs it."""
        if not any(call.problem or call.fixes for call in self.read_calls.values()):
            return None
        texts = "".join(f"{before}{text}" for text, _place, before in self._texts)
        parts = [*[Thought(text=text) for text in self._thoughts], *([Prose(text=texts)] if texts else [])]
        return "\n".join([*([spell_parts(parts)] if parts else []), *self._call_texts])

    def _note(self, kind: int) -> None:
        self.is_reordered |= kind < self._last
        self._last = max(kind, self._last)

    def _content(self) -> JsonValue:
        if not self._texts:
            return None if self._calls or self._thoughts else ""
        if self.has_value:
            return self._texts[0][0]
        if not self._text_masks and all(isinstance(text, str) for text, _place, _before in self._texts):
            return "".join(f"{before}{text}" for text, _place, before in self._texts)
        return [
            {"type": "text", "text": before + text, **self._text_masks.get(index, {})}
            if isinstance(text, str)
            else text
            for index, (text, _place, before) in enumerate(self._texts)
        ]


def add_content(
    message: BuiltMessage, content: JsonValue, place: str, before: str = "", mask: PartMask | None = None
) -> None:
    """Add a text, or the texts of a list of parts, to a message. A part of another kind is added as it is.

    Args:
        message: The message.
        content: The text or the list.
        place: Pointer to it.
        before: As in `add_text`.
        mask: The mask of texts that have none of their own.
    """
    if mask and not content:
        message.add_mask(mask)
    if not isinstance(content, list):
        if content is not None:
            message.has_value = message.is_result and not isinstance(content, str)
            message.add_text(content, place, before, mask)
        return
    for index, part in enumerate(content):
        add_part(message, part, f"{place}/{index}", before if index == 0 else "", mask)


def add_part(
    message: BuiltMessage, part: JsonValue, place: str, before: str = "", mask: PartMask | None = None
) -> None:
    """Add a part of a message's content: its text, its refusal, or the part itself if it is of another kind."""
    fields = as_object(part)
    mask = mask_of(fields, place, mask)
    text = fields.get("text")
    if isinstance(part, str):
        message.add_text(part, place, before, mask)
    elif isinstance(text, str):
        message.add_text(text, f"{place}/text", before, mask)
        own = ("type",) if fields.get("type") in _TEXT_TYPES else ()
        message.keep(fields, ("text", *own, *MASK_KEYS), "text")
    elif fields.get("type") == "refusal":
        message.add_mask(mask)
        message.keep(fields, ("type", *MASK_KEYS), "refusal")
    else:
        message.add_text(part, place, before)


def texts_of(parts: JsonValue) -> str | None:
    """Return a text, or the texts of a list of parts as paragraphs; None if anything else is in it."""
    if not isinstance(parts, list):
        return parts if isinstance(parts, str) else None
    texts: list[str] = []
    for part in parts:
        fields = as_object(part)
        text = fields.get("text")
        if not (
            fields.keys() <= {"type", "text"} and fields.get("type") in _TEXT_TYPES and isinstance(text, str)
        ):
            return None
        texts.append(text)
    return "\n\n".join(texts)


def chat_call(call: JsonObject, id_key: str, arguments_key: str, known: Iterable[str] = ()) -> JsonObject:
    """Return a call as chat APIs write it, with the members that nobody knows.

    Args:
        call: The call, with its name as `name`.
        id_key: Name of its id.
        arguments_key: Name of its arguments.
        known: Other members that are not part of the call.
    """
    used = {"type", "name", id_key, arguments_key, *known}
    others = {key: value for key, value in call.items() if key not in used and value is not None}
    known_id = {} if call.get(id_key) is None else {"id": call[id_key]}
    function = {"name": call.get("name"), "arguments": call.get(arguments_key)}
    return {**others, **known_id, "type": "function", "function": function}


def view_of(
    rest: JsonObject,
    lists: Mapping[str, Sequence[BuiltMessage]],
    *,
    has_system_column: bool = False,
    findings: Iterable[RowFinding] = (),
    columns: JsonObject | None = None,
) -> View:
    """Return the view of a row as chat messages.

    Args:
        rest: The columns that the other format reads beside the messages, `tools` included.
        lists: The messages by the name of their column in the other format.
        has_system_column: As in `View`.
        findings: As in `View`.
        columns: As in `View`.
    """
    shift = 1 if has_system_column else 0
    at = {
        f"/{key}/{index}": message
        for key, messages in lists.items()
        for index, message in enumerate(messages)
    }
    return View(
        fields={**rest, **{key: [message.fields for message in messages] for key, messages in lists.items()}},
        places={
            here + below: place for here, message in at.items() for below, place in message.places.items()
        },
        columns=columns or {},
        calls={
            here + below: call for here, message in at.items() for below, call in message.read_calls.items()
        },
        tagged_texts={
            here: text for here, message in at.items() if (text := message.tagged_text) is not None
        },
        has_system_column=has_system_column,
        findings=tuple(findings),
        changes=tuple(
            ConversionChange(code=Loss.PART_ORDER, entry=int(here.rpartition("/")[2]) - shift)
            for here, message in at.items()
            if message.is_reordered
        ),
    )


def function_tools(tools: JsonValue) -> tuple[JsonValue, list[JsonValue]]:
    """Return the tools of an API as chat APIs declare functions, and the tools that are not functions.

    Anthropic's tools have an `input_schema`. Those of OpenAI's Responses are functions without `function` around them;
    its custom tools take one text. Tools that run on the API's own servers, such as a web search, have no schema.
    """
    if isinstance(tools, str):
        try:
            listed = loads_fast(tools)
        except (ValueError, RecursionError):
            return tools, []
        return function_tools(listed) if isinstance(listed, list) else (tools, [])
    if not isinstance(tools, list):
        return tools, []
    functions: list[JsonValue] = []
    hosted: list[JsonValue] = []
    for tool in tools:
        fields = as_object(tool)
        kind = fields.get("type")
        if "function" in fields or not isinstance(kind, str | None) or not fields:
            functions.append(tool)
        elif kind in (None, "custom", "function") and ("input_schema" in fields or "name" in fields):
            functions.append(_function(fields))
        else:
            hosted.append(tool)
    return functions, hosted


_TEXT_INPUT: Final[JsonObject] = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
}
"""The parameters of a custom tool of OpenAI, which takes a text."""


def _function(tool: JsonObject) -> JsonObject:
    own = ("name", "description", "parameters", "strict")
    function = {key: tool[key] for key in own if tool.get(key) is not None}
    if "input_schema" in tool:
        function["parameters"] = tool["input_schema"]
    elif tool.get("type") == "custom":
        function["parameters"] = _TEXT_INPUT
    used = (*own, "input_schema", "type")
    others = {key: value for key, value in tool.items() if key not in used and value is not None}
    return {"type": "function", "function": function, **others}
