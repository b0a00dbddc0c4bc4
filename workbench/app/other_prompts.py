"""Compare a stored prompt with that of another answer, of another contract version, or of the model's template."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from workbench.app.services import Services
from workbench.app.version_content import diff_texts
from workbench.chat.message import Conversation, Message, Role
from workbench.engines.gguf_files.template_process import template_in_child
from workbench.errors import BadInput
from workbench.hermes.openai_messages import to_messages
from workbench.hermes.render import render
from workbench.hermes.templates.template import TemplateInput
from workbench.records.run_config import RunConfig
from workbench.records.sessions import StoredMessage
from workbench.records.versions import VersionKind
from workbench.rollout.models import Templated

TEMPLATE: Final = "template"
"""The key of the model's own chat template."""
SHOWN_VERSIONS: Final = 12
"""How many versions can be chosen. `workbench versions` shows all."""


class OtherText(NamedTuple):
    """Something that a prompt can be compared with."""

    key: str
    """`turn ID`, `contract ID` or `template`."""
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptDiff:
    """The difference between two prompts."""

    title: str
    diff: str
    """A unified diff from the other prompt to this one. Empty if they are equal."""


def other_texts(
    services: Services, setup: RunConfig, path: Sequence[StoredMessage], message_id: str
) -> tuple[OtherText, ...]:
    """Return what the prompt of a message can be compared with.

    Raises:
        StoreError: The versions cannot be read.
    """
    completions = [stored for stored in path if stored.generation is not None]
    rounds = [
        OtherText(f"turn {stored.id}", f"answer {number}")
        for number, stored in enumerate(completions, 1)
        if stored.id != message_id
    ]
    history = services.versions.history(VersionKind.CONTRACT, setup.contract_name, limit=SHOWN_VERSIONS)
    versions = [
        OtherText(f"contract {version.id}", f"{version.name} v{version.number}") for version in history
    ]
    return (*rounds, *versions, OtherText(TEMPLATE, "the model's own template"))


def compare_prompt(
    services: Services, setup: RunConfig, path: Sequence[StoredMessage], message_id: str, key: str
) -> PromptDiff:
    """Compare the prompt of a message with another one.

    Args:
        message_id: A message of the path that a model wrote.
        key: The key of one of the `other_texts`.

    Raises:
        BadInput: The message or the other prompt does not exist, or cannot be rendered.
        EngineError: The model is missing.
        StoreError: The versions cannot be read.
    """
    ids = [stored.id for stored in path]
    place = ids.index(message_id) if message_id in ids else -1
    generation = path[place].generation if place >= 0 else None
    if generation is None:
        raise BadInput("compare", "no model wrote this message", "choose an answer or a call")
    kind, _, other_id = key.partition(" ")
    before = tuple(stored.message for stored in path[:place])
    if kind == "turn":
        label, text = "the other answer's prompt", _of_turn(path, other_id)
    elif kind == "contract":
        label, text = _of_version(services, setup, before, other_id)
    else:
        label, text = "the model's own template", _of_template(services, setup, before)
    names = (label, "this prompt")
    return PromptDiff(title=f"{label} → this prompt", diff=diff_texts(text, generation.prompt_text, names))


def _of_turn(path: Sequence[StoredMessage], message_id: str) -> str:
    for stored in path:
        if stored.id == message_id and stored.generation is not None:
            return stored.generation.prompt_text
    raise BadInput("compare", "the other answer is not on this branch", "choose another")


def _of_version(
    services: Services, setup: RunConfig, before: tuple[Message, ...], version_id: str
) -> tuple[str, str]:
    version = services.versions.version(version_id)
    if version is None:
        raise BadInput("compare", "the version does not exist", "choose another")
    other = replace(setup, contract_name=version.name, contract_text=version.text)
    system = Message(role=Role.SYSTEM, text=other.parsed().system_text(date=services.today()))
    conversation = Conversation(messages=(system, *_after_system(before)))
    prompt = render(conversation, family=other.contract().family, has_contract=True)
    return f"{version.name} v{version.number}", prompt.text


def _of_template(services: Services, setup: RunConfig, before: tuple[Message, ...]) -> str:
    engine = services.models.engine(setup.model)
    source = engine.chat_template() if isinstance(engine, Templated) else None
    if source is None:
        remedy = "choose a local GGUF model, such as 'embedded'"
        raise BadInput(f"model {setup.model!r}", "its chat template is not known", remedy)
    template_input = TemplateInput(
        messages=to_messages(Conversation(messages=_after_system(before))),
        tools=[spec.document for spec in setup.offered_tools().specs] or None,
        generation_prompt=True,
        now=services.calendar.now(),
    )
    with template_in_child(source) as template:
        return template.render(template_input)


def _after_system(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    return messages[1:] if messages and messages[0].role is Role.SYSTEM else messages
