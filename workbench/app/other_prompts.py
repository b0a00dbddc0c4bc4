"""Compare a stored prompt with another turn's, another contract version's, or the model's own template's."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from workbench.app.services import Services
from workbench.app.version_content import diff_texts
from workbench.chat.message import Conversation, Message, Role
from workbench.errors import BadInput
from workbench.hermes.openai_messages import to_messages
from workbench.hermes.render import render
from workbench.hermes.templates.template import TemplateInput, parse_template, render_template
from workbench.records.run_config import RunConfig
from workbench.records.sessions import StoredMessage
from workbench.records.versions import VersionKind
from workbench.rollout.models import Templated

TEMPLATE: Final = "template"
"""Key of the model's own template."""
SHOWN_VERSIONS: Final = 12
"""Versions that can be chosen; `workbench versions` knows all."""


class OtherText(NamedTuple):
    """Something that a prompt can be compared with."""

    key: str
    """`turn ID`, `contract ID` or `template`."""
    label: str
    """For a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptDiff:
    """Two prompts."""

    title: str
    diff: str
    """From the other to this one, as a unified diff; empty where they are equal."""


def other_texts(
    services: Services, setup: RunConfig, path: Sequence[StoredMessage], message_id: str
) -> tuple[OtherText, ...]:
    """What the prompt of a message can be compared with.

    Raises:
        StoreError: The versions cannot be read.
    """
    turns = [kept for kept in path if kept.generation is not None]
    rounds = [
        OtherText(f"turn {kept.id}", f"answer {number}")
        for number, kept in enumerate(turns, 1)
        if kept.id != message_id
    ]
    history = services.versions.history(VersionKind.CONTRACT, setup.contract_name, limit=SHOWN_VERSIONS)
    versions = [OtherText(f"contract {one.id}", f"{one.name} v{one.number}") for one in history]
    return (*rounds, *versions, OtherText(TEMPLATE, "the model's own template"))


def compare_prompt(
    services: Services, setup: RunConfig, path: Sequence[StoredMessage], message_id: str, key: str
) -> PromptDiff:
    """The prompt of a message beside another one.

    Args:
        message_id: A model's message of the path.
        key: Of one of `other_texts`.

    Raises:
        BadInput: There is no such message or text, or it cannot be made.
        EngineError: The model is missing.
        StoreError: The versions cannot be read.
    """
    ids = [kept.id for kept in path]
    place = ids.index(message_id) if message_id in ids else -1
    made = path[place].generation if place >= 0 else None
    if made is None:
        raise BadInput("compare", "no model wrote this message", "pick one that a model wrote")
    kind, _, other_id = key.partition(" ")
    before = tuple(kept.message for kept in path[:place])
    if kind == "turn":
        label, text = "the other answer's prompt", _of_turn(path, other_id)
    elif kind == "contract":
        label, text = _of_version(services, setup, before, other_id)
    else:
        label, text = "the model's own template", _of_template(services, setup, before)
    names = (label, "this prompt")
    return PromptDiff(title=f"{label} → this prompt", diff=diff_texts(text, made.prompt_text, names))


def _of_turn(path: Sequence[StoredMessage], message_id: str) -> str:
    for kept in path:
        if kept.id == message_id and kept.generation is not None:
            return kept.generation.prompt_text
    raise BadInput("compare", "that answer is not on this branch", "choose another")


def _of_version(
    services: Services, setup: RunConfig, before: tuple[Message, ...], version_id: str
) -> tuple[str, str]:
    version = services.versions.version(version_id)
    if version is None:
        raise BadInput("compare", "there is no such version", "choose another")
    other = replace(setup, contract_name=version.name, contract_text=version.text)
    system = Message(role=Role.SYSTEM, text=other.system_text(date=services.today()))
    whole = Conversation(messages=(system, *_behind_system(before)))
    prompt = render(whole, family=other.contract().family, has_contract=True)
    return f"{version.name} v{version.number}", prompt.text


def _of_template(services: Services, setup: RunConfig, before: tuple[Message, ...]) -> str:
    engine = services.models.engine(setup.model)
    source = engine.chat_template() if isinstance(engine, Templated) else None
    if source is None:
        remedy = "choose a local GGUF model, such as 'embedded'"
        raise BadInput(f"model {setup.model!r}", "its chat template is not known here", remedy)
    given = TemplateInput(
        messages=to_messages(Conversation(messages=_behind_system(before))),
        tools=[spec.document for spec in setup.offered_tools().specs] or None,
        generation_prompt=True,
        now=services.calendar.now(),
    )
    return render_template(parse_template(source), given)


def _behind_system(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    return messages[1:] if messages and messages[0].role is Role.SYSTEM else messages
