"""What a model's own template gets wrong, and its family: most failures of tool calling begin there."""

from datetime import datetime
from typing import Final

from workbench.chat.finding import Finding, Severity
from workbench.hermes.openai_messages import parse_messages
from workbench.hermes.render import render
from workbench.hermes.spelling.families import FAMILIES
from workbench.hermes.templates.bench import ARGUMENTS, ASKED, SYSTEM_TEXT, WHOLE, Bench, called, said, tool
from workbench.hermes.templates.probes import PROBES
from workbench.hermes.templates.template import ChatTemplate
from workbench.toolspec.spec import OfferedTools, ToolSpec

_COMPARED: Final = (
    WHOLE,
    (said("system", SYSTEM_TEXT), *WHOLE, ASKED),
    (ASKED, called(ARGUMENTS, count=2)),
)
"""Conversations that tell every two families apart."""


def check_template(template: ChatTemplate, *, now: datetime) -> tuple[Finding, ...]:
    """Answers of all probes, those of one after those of the other; never raises.

    Args:
        template: What is probed.
        now: What the template is told of the time.
    """
    bench = Bench(template=template, now=now)
    findings = [finding for probe in PROBES for finding in probe(bench)]
    name = matching_family(template, now=now)
    message = f"it renders as family {name!r}" if name else "it renders as none of the families"
    code = "matches-family" if name else "no-known-family"
    return (Finding(code=code, message=message, severity=Severity.NOTE), *findings)


def matching_family(template: ChatTemplate, *, now: datetime) -> str | None:
    """Name of the family that gives the same bytes as the template; None where there is none."""
    bench = Bench(template=template, now=now)
    specs = (tool(),)
    tools = OfferedTools(specs=tuple(ToolSpec(document=document) for document in specs))
    wanted = [bench.render(messages, tools=specs, generation_prompt=True).text for messages in _COMPARED]
    conversations = [parse_messages(messages).conversation for messages in _COMPARED]
    for family in FAMILIES.values():
        prompts = [
            render(conversation, family=family, has_contract=False, tools=tools).text
            for conversation in conversations
        ]
        if prompts == wanted:
            return family.name
    return None
