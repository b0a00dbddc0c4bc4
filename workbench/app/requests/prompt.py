"""Requests and prompts in the JSON of `workbench render --jsonl`; see `docs/reference/cli.md`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.hermes.openai_messages import parse_messages
from workbench.hermes.prompt_writer import Prompt
from workbench.hermes.render import render
from workbench.toolspec.spec import OfferedTools, ToolSpec


def tools_of_row(fields: JsonObject) -> OfferedTools | None:
    """The tools that a row brings along, sound or not; None where it has none.

    What is wrong with a spec is told where it matters: as a finding of the reading or of the prompt.

    Raises:
        BadInput: They are no list of objects.
    """
    given = fields.get("tools")
    if given is None:
        return None
    if not isinstance(given, list) or not all(isinstance(entry, Mapping) for entry in given):
        raise BadInput("tools", "no list of objects", "write [{…}, {…}]")
    return OfferedTools(specs=tuple(_spec(entry) for entry in cast(list[JsonObject], given)))


def _spec(entry: JsonObject) -> ToolSpec:
    function: JsonValue = entry.get("function")
    return ToolSpec(document=entry) if isinstance(function, Mapping) else ToolSpec.of_function(entry)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderRequest:
    """All that a prompt is made of, but for the messages."""

    family: str
    """Name of the family; empty where the options name none."""
    tools: OfferedTools
    """What the family's own template writes."""
    generation_prompt: bool
    """Whether the assistant's turn is opened at the end."""

    def render(self, messages: JsonValue) -> tuple[Prompt, tuple[Finding, ...]]:
        """The prompt, and what is told of the messages and of it.

        Raises:
            BadInput: There is no such family, or `messages` are no chat messages.
        """
        if not isinstance(messages, list):
            raise BadInput("messages", "no list", 'write [{"role": …, "content": …}]')
        read = parse_messages(messages)
        prompt = render(
            read.conversation,
            family=self.family,
            has_contract=False,
            tools=self.tools,
            generation_prompt=self.generation_prompt,
        )
        return prompt, (*read.findings, *prompt.findings)


def request_of_row(fields: JsonObject, given: RenderRequest) -> RenderRequest:
    """What a row asks for; what it leaves out, or gives as null, is as the options say.

    Raises:
        BadInput: A field is of the wrong kind, or no family is named.
    """
    family = fields.get("family")
    family = given.family if family is None else family
    if not isinstance(family, str) or not family:
        raise BadInput("family", "missing or no string", "name it in the row, or by --family")
    opens_turn = fields.get("add_generation_prompt")
    if not isinstance(opens_turn, bool | None):
        raise BadInput("add_generation_prompt", "neither true nor false")
    tools = tools_of_row(fields)
    return replace(
        given,
        family=family,
        tools=given.tools if tools is None else tools,
        generation_prompt=given.generation_prompt if opens_turn is None else opens_turn,
    )


def rendered_row(fields: JsonObject, request: RenderRequest) -> JsonObject:
    """The answer to a row.

    Raises:
        BadInput: See `RenderRequest.render`.
    """
    prompt, findings = request.render(fields.get("messages"))
    return {
        "family": request.family,
        "case": fields.get("case"),
        "prompt": prompt.text,
        "findings": [_finding(finding) for finding in findings],
    }


def _finding(finding: Finding) -> JsonObject:
    span = finding.span
    return {
        "code": finding.code,
        "span": [span.start, span.end] if span else None,
        "message": finding.message,
        "pointer": finding.pointer,
    }
