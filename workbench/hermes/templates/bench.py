"""Conversations that probe a chat template: sentinel words that must survive rendering."""

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
"""Handed in as `eos_token`, so that a template that ends turns with it is known."""

SCHEMA: Final[JsonObject] = {
    "type": "object",
    "properties": {KEY: {"type": "string", "description": "A sentinel."}},
    "required": [KEY],
}
TURN_ROLE: Final = re.compile(
    r"<\|im_start\|>(?P<chatml>\w+)|<\|start_header_id\|>(?P<llama>\w+)<\|end_header_id\|>"
    r"|<\|(?P<bare>system|user|assistant|tool|observation)\|>"
)
"""How a turn is opened. *Source:* ChatML; Llama 3's headers; templates of Phi and GLM."""


class Rendered(NamedTuple):
    """What came of one probe."""

    text: str | None
    """None where the template failed."""
    problem: str
    """Why it failed; empty where it did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateBench:
    """A template, and a fixed time to render it at."""

    template: ChatTemplate
    now: datetime
    """What the template is told of the time."""

    def render(
        self,
        messages: Sequence[JsonObject],
        *,
        tools: Sequence[JsonObject] | None = (),
        generation_prompt: bool = False,
    ) -> Rendered:
        """The prompt, or why there is none."""
        given = TemplateInput(
            messages=messages,
            tools=tools,
            generation_prompt=generation_prompt,
            now=self.now,
            variables={"eos_token": END_OF_TEXT},
        )
        try:
            return Rendered(render_template(self.template, given), "")
        except BadInput as error:
            return Rendered(None, error.problem)


def tool(**changes: JsonValue) -> JsonObject:
    """The sentinel tool; a change to None leaves the key out."""
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


def said(role: str, content: JsonValue, **more: JsonValue) -> JsonObject:
    """One message."""
    return {"role": role, "content": content, **more}


def called(arguments: JsonValue, *, content: str = "", count: int = 1) -> JsonObject:
    """An assistant's message with calls of the sentinel tool."""
    function: Mapping[str, JsonValue] = {"name": TOOL_NAME, "arguments": arguments}
    # Nine characters, for some templates refuse any other length.
    calls = [{"id": f"call0000{index}", "type": "function", "function": function} for index in range(count)]
    return said("assistant", content, tool_calls=calls)


def result(content: str = RESULT, index: int = 0) -> JsonObject:
    """The result of a call."""
    return said("tool", content, tool_call_id=f"call0000{index}", name=TOOL_NAME)


ARGUMENTS: Final[JsonObject] = {KEY: VALUE}
ASKED: Final = said("user", QUESTION)
ANSWERED: Final = said("assistant", ANSWER)
WHOLE: Final = (ASKED, called(ARGUMENTS), result(), ANSWERED)
"""A question, a call, its result, the answer."""


def turn_role(text: str, position: int) -> str | None:
    """Role of the turn that `position` stands in; None where its beginning is not known to us."""
    role = None
    for match in TURN_ROLE.finditer(text, 0, position):
        role = match["chatml"] or match["llama"] or match["bare"]
    return role
