"""Load, find and remove the demo sessions of a visitor."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from workbench.app.services import Services
from workbench.app.turns import begin_session, run_turn
from workbench.chat.message import Role
from workbench.records.labels.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.session_tree import SearchFilter
from workbench.records.sessions import StoredMessage
from workbench.rollout.models import Models, ModelStatus
from workbench.rollout.ports import Engine
from workbench.settings import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What a labeller said of a message; what comes after it is stale from then on."""

    completion: int
    """Which completion of the conversation, from 0."""
    text: str
    comment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoConversation:
    """A conversation of the demo set."""

    title: str
    tag: str
    """What goes wrong in it, in a word."""
    said: tuple[str, ...]
    """What the user says, turn by turn."""
    completions: tuple[str, ...]
    """What the model writes, byte for byte."""
    tools: tuple[str, ...] = ("nonsense",)
    max_tokens: int = 256
    """Longest completion, in tokens of the script: four characters each."""
    verdict: Verdict | None = None
    """What a labeller held of the first call; None where nobody looked yet."""
    correction: Correction | None = None
    """What a labeller wrote; None where nobody did."""


def _call(body: str) -> str:
    return f"<tool_call>\n{body}\n</tool_call>"


_CAIRO: Final = _call('{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}')
EXAMPLE: Final = DemoConversation(
    title="The flumbuster of Cairo: a call with a small fault",
    tag="fixed",
    said=("What is the flumbuster reading for cairo?",),
    completions=(
        "<think>\nThe user wants a reading; get_flumbuster gives it.\n</think>\n"
        + _call('{"name": "get_flumbuster", "arguments": {"flumb": "cairo",}}'),
        "The flumbuster reading for Cairo is 31 metric usters.",
    ),
)
"""What a first visit shows."""
DEMO: Final = (
    DemoConversation(
        title="A valid call",
        tag="clean",
        said=("What is the flumbuster reading for cairo?",),
        completions=(_CAIRO, "The flumbuster reading for Cairo is 31 metric usters."),
        verdict=Verdict.RIGHT,
    ),
    DemoConversation(
        title="Python's quotes and constants",
        tag="fixed",
        said=("How is the weather in Rome?",),
        completions=(
            _call("{'name': 'get_weather', 'arguments': {'city': 'Rome'}}"),
            "I looked it up: see the result above.",
        ),
        tools=("weather",),
    ),
    DemoConversation(
        title="A call that was dropped",
        tag="dropped",
        said=("What is the flumbuster reading for lima?",),
        completions=(_call('{"name": "get_flumbuster", "arguments": '),),
    ),
    DemoConversation(
        title="Cut off in the middle of a call",
        tag="cut",
        said=("What is the flumbuster reading for oslo, in imperial usters?",),
        completions=(
            _call('{"name": "get_flumbuster", "arguments": {"flumb": "oslo", "uster": "imperial"}}'),
        ),
        max_tokens=16,
    ),
    DemoConversation(
        title="The wrong tool",
        tag="wrong-tool",
        said=("Add the zorb 3 and the bix 4 to a zorbix.",),
        completions=(
            _call('{"name": "get_flumbuster", "arguments": {"flumb": "3 and 4"}}'),
            "The zorbix is 17.",
        ),
        verdict=Verdict.WRONG_TOOL,
    ),
    DemoConversation(
        title="A tool that nobody offered",
        tag="unknown-tool",
        said=("What is the flumbuster reading for quito?",),
        completions=(
            _call('{"name": "read_flumbuster", "arguments": {"place": "quito"}}'),
            "There is no such tool, so I cannot tell.",
        ),
    ),
    DemoConversation(
        title="Arguments that the schema refuses",
        tag="bad-arguments",
        said=("What is the flumbuster reading for cairo, in kelvin?",),
        completions=(
            _call('{"name": "get_flumbuster", "arguments": {"flumb": "cairo", "uster": "kelvin"}}'),
            "Kelvin is not offered; metric or imperial?",
        ),
        verdict=Verdict.BAD_ARGUMENTS,
    ),
    DemoConversation(
        title="A call that nobody needed",
        tag="needless",
        said=("Thanks, that is all!",),
        completions=(_CAIRO, "You are welcome."),
    ),
    DemoConversation(
        title="It should have asked",
        tag="should-ask",
        said=("What is the flumbuster reading?",),
        completions=(
            _call('{"name": "get_flumbuster", "arguments": {"flumb": "New York"}}'),
            "The flumbuster reading for New York is 18.",
        ),
    ),
    DemoConversation(
        title="Two calls at once, in a code fence",
        tag="fixed",
        said=("The flumbuster readings for cairo and lima, please.",),
        completions=(
            "```\n" + _CAIRO + "\n" + _CAIRO.replace("cairo", "lima") + "\n```",
            "Cairo reads 31, Lima 14 metric usters.",
        ),
    ),
    DemoConversation(
        title="Corrected, and stale behind it",
        tag="stale",
        said=("What is the flumbuster reading for paris, in imperial usters?", "And is that much?"),
        completions=(
            _call('{"name": "get_flumbuster", "arguments": {"flumb": "paris"}}'),
            "It is 15 metric usters.",
            "No, 15 is little.",
        ),
        correction=Correction(
            completion=0,
            text=_call('{"name": "get_flumbuster", "arguments": {"flumb": "paris", "uster": "imperial"}}'),
            comment="The user asked for imperial usters.",
        ),
    ),
    DemoConversation(
        title="An answer full of HTML",
        tag="hostile",
        said=("Write a link and a script.",),
        completions=('<script>alert("no")</script> <a href="//example.org">link</a> ${1 + 1} <|im_end|>',),
    ),
)
"""What one button loads."""


TAG: Final = "demo"
"""Each session of the set has this tag, and one that says what goes wrong in it."""
EXAMPLE_TAG: Final = "example"
"""The session of a first visit, which is none of the set, has this one."""
ENGINE: Final = "scripted:demo set"
"""Who wrote it."""
_MOST: Final = 1_000


def load_demo(services: Services) -> Sequence[str]:
    """Plays every conversation of the set into a session of its own; gives their ids.

    Raises:
        BadInput: The catalog has not the tools that they call.
        StoreError: They could not be kept.
    """
    return [load_conversation(services, one, TAG) for one in reversed(DEMO)]


def load_conversation(services: Services, one: DemoConversation, tag: str) -> str:
    """Plays one conversation as any turn is played, but that a script stands in for the model; gives its id.

    Args:
        services: Of whoever is to have it.
        tag: Tells it from a person's own, before the tag that says what goes wrong in it.

    Raises:
        BadInput: The catalog has not the tools that it calls.
        StoreError: It could not be kept.
    """
    setup = services.setup_for(tools=one.tools)
    setup = replace(setup, sampling=replace(setup.sampling, max_tokens=one.max_tokens))
    engine = services.models.scripted(ENGINE, one.completions)
    staged = replace(services, models=_SingleEngineModels(services.models, engine))
    session_id = begin_session(staged, setup).id
    for text in one.said:
        for _ in run_turn(staged, session_id, setup, text, is_cancelled=lambda: False):
            pass
    services.sessions.rename_session(session_id, one.title)
    services.sessions.tag_session(session_id, (tag, one.tag))
    _label(services, session_id, one)
    return session_id


def is_demo_loaded(services: Services) -> bool:
    """Whether any session of the set is there.

    Raises:
        StoreError: The sessions cannot be read.
    """
    return bool(_demo_ids(services, limit=1))


def remove_demo(services: Services) -> int:
    """Deletes every session that has the set's tag, as a person would: it can be undone; gives their number.

    Raises:
        StoreError: They could not be deleted.
    """
    ids = _demo_ids(services, limit=_MOST)
    for session_id in ids:
        services.sessions.delete_session(session_id)
    return len(ids)


@dataclass(frozen=True, slots=True)
class _SingleEngineModels:
    """The models as they are, but that one engine stands in for whichever is asked."""

    models: Models
    engine_for_all: Engine

    def names(self) -> Sequence[str]:
        return self.models.names()

    def with_paths(self, *, is_permitted: bool) -> Models:
        return self

    def engine(self, name: str, *, token: Secret | None = None) -> Engine:
        return self.engine_for_all

    def status(self, name: str) -> ModelStatus:
        return self.models.status(name)

    def scripted(self, name: str, completions: Sequence[str]) -> Engine:
        return self.models.scripted(name, completions)


def _demo_ids(services: Services, *, limit: int) -> list[str]:
    found = services.search.find("", SearchFilter(tag=TAG), limit=limit)
    return [one.session.id for one in found if TAG in one.session.tags]


def _label(services: Services, session_id: str, one: DemoConversation) -> None:
    path = services.sessions.path(session_id)
    written = [kept for kept in path if kept.message.role is Role.ASSISTANT]
    if one.verdict is not None:
        _say(services, session_id, written[0], LabelContent(verdict=one.verdict), call_index=0)
    if one.correction is not None:
        content = LabelContent(correction=one.correction.text, comment=one.correction.comment)
        _say(services, session_id, written[one.correction.completion], content)


def _say(
    services: Services,
    session_id: str,
    kept: StoredMessage,
    content: LabelContent,
    *,
    call_index: int | None = None,
) -> None:
    target = LabelTarget(session_id=session_id, message_id=kept.id, call_index=call_index)
    services.labels.save(NewLabel(target=target, content=content, labeller=services.owner.name))
