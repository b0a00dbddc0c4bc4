"""Conversations that probe a chat template. They contain sentinel words, which must survive rendering."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.hermes.templates.template import ChatTemplate, TemplateInput, render_template

TOOL_NAME: Final = "sentinel_tool"
KEY: Final = "sentinel_key"
VALUE: Final = "sentinel_value"
SYSTEM_TEXT: Final = "sentinel_system"
QUESTION: Final = "sentinel_question"
PREFACE: Final = "sentinel_preface"
THOUGHT: Final = "sentinel_thought"
RESULT: Final = "sentinel_result"
ANSWER: Final = "sentinel_answer"
END_OF_TEXT: Final = "<|sentinel_eos|>"
"""Passed as `eos_token`, to recognize templates that end turns with it."""

SCHEMA: Final[JsonObject] = {
    "type": "object",
    "properties": {KEY: {"type": "string", "description": "A sentinel."}},
    "required": [KEY],
}
TURN_ROLE: Final = re.compile(
    r"<\|im_start\|>(?P<chatml>\w+)|<\|start_header_id\|>(?P<llama>\w+)<\|end_header_id\|>"
    r"|<\|(?P<bare>system|user|assistant|tool|observation)\|>"
)
"""The start of a turn. *Source:* ChatML; Llama 3's headers; templates of Phi and GLM."""


class Rendered(NamedTuple):
    """The result of rendering one conversation."""

    text: str | None
    """The prompt, or None if the template failed."""
    problem: str
    """Why it failed. Empty if it did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateBench:
    """A template, rendered at a fixed time."""

    template: ChatTemplate
    now: datetime
    """The time that the template sees."""

    def render(
        self,
        messages: Sequence[JsonObject],
        *,
        tools: Sequence[JsonObject] | None = (),
        generation_prompt: bool = False,
    ) -> Rendered:
        """Render messages. Returns the prompt, or why the template failed."""
        template_input = TemplateInput(
            messages=messages,
            tools=tools,
            generation_prompt=generation_prompt,
            now=self.now,
            variables={"eos_token": END_OF_TEXT},
        )
        try:
            return Rendered(render_template(self.template, template_input), "")
        except BadInput as error:
            return Rendered(None, error.problem)


def sentinel_tool(**changes: JsonValue) -> JsonObject:
    """Return the spec of the sentinel tool with some keys changed. None removes a key."""
    function: dict[str, JsonValue] = {
        "name": TOOL_NAME,
        "description": "A sentinel.",
        "parameters": SCHEMA,
        **changes,
    }
    return {
        "type": "function",
        "function": {key: value for key, value in function.items() if value is not None},
    }


def chat_message(role: str, content: JsonValue, **more: JsonValue) -> JsonObject:
    """Return a message as chat APIs write it."""
    return {"role": role, "content": content, **more}


def call_message(arguments: JsonValue, *, content: str | None = "", count: int = 1) -> JsonObject:
    """Return an assistant's message with `count` calls of the sentinel tool."""
    function: Mapping[str, JsonValue] = {"name": TOOL_NAME, "arguments": arguments}
    # Nine characters, because some templates reject ids of any other length.
    calls = [{"id": f"call0000{index}", "type": "function", "function": function} for index in range(count)]
    return chat_message("assistant", content, tool_calls=calls)


def result_message(content: str = RESULT, index: int = 0) -> JsonObject:
    """Return the message with the result of the call number `index`."""
    return chat_message("tool", content, tool_call_id=f"call0000{index}", name=TOOL_NAME)


ARGUMENTS: Final[JsonObject] = {KEY: VALUE}
USER_MESSAGE: Final = chat_message("user", QUESTION)
ANSWER_MESSAGE: Final = chat_message("assistant", ANSWER)
CONVERSATION: Final = (USER_MESSAGE, call_message(ARGUMENTS), result_message(), ANSWER_MESSAGE)
"""A question, a call, its result and the answer."""


def turn_role(text: str, position: int) -> str | None:
    """Return the role of the turn at `position`, or None if the start of the turn is not recognized."""
    role = None
    for match in TURN_ROLE.finditer(text, 0, position):
        role = match["chatml"] or match["llama"] or match["bare"]
    return role
