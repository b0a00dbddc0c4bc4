"""Parse requests and write prompts in the JSON of `workbench render --jsonl`. See `docs/reference/cli.md`."""

from dataclasses import dataclass, replace

from workbench.app.requests.reading import tools_of_row
from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.hermes.openai_messages import parse_messages
from workbench.hermes.prompt_writer import Prompt
from workbench.hermes.render import render
from workbench.hermes.spelling.families import family_named
from workbench.toolspec.spec import OfferedTools


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderRequest:
    """Everything that a prompt is rendered from, except for the messages."""

    family: str
    """Name of the template family. Empty if the options do not name one."""
    tools: OfferedTools
    """The tools that the family's template writes into the prompt."""
    generation_prompt: bool
    """Whether the prompt ends with the start of the assistant's turn."""

    def render(self, messages: JsonValue) -> tuple[Prompt, tuple[Finding, ...]]:
        """Render a prompt, and return it with the findings about the messages and the prompt.

        Raises:
            BadInput: The family does not exist, or `messages` is not a list of chat messages.
        """
        if not isinstance(messages, list):
            raise BadInput("messages", "not a list", 'write [{"role": …, "content": …}]')
        family = family_named(self.family)
        read = parse_messages(messages, family=family)
        prompt = render(
            read.conversation,
            family=family,
            has_contract=False,
            tools=self.tools,
            generation_prompt=self.generation_prompt,
        )
        return prompt, (*read.findings, *prompt.findings)


def request_of_row(fields: JsonObject, defaults: RenderRequest) -> RenderRequest:
    """Return the request of a row. Fields that are missing or null are taken from the defaults.

    Raises:
        BadInput: A field has the wrong type, or there is no family.
    """
    family = fields.get("family")
    family = defaults.family if family is None else family
    if not isinstance(family, str) or not family:
        raise BadInput("family", "missing or not a string", "set it in the row or with --family")
    opens_turn = fields.get("add_generation_prompt")
    if not isinstance(opens_turn, bool | None):
        raise BadInput("add_generation_prompt", "neither true nor false")
    tools = tools_of_row(fields)
    return replace(
        defaults,
        family=family,
        tools=defaults.tools if tools is None else tools,
        generation_prompt=defaults.generation_prompt if opens_turn is None else opens_turn,
    )


def rendered_row(fields: JsonObject, request: RenderRequest) -> JsonObject:
    """Render a row, and return the JSON of the answer.

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
