"""Load, find and remove the demo sessions of an owner."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from workbench.app.services import Services
from workbench.app.turn_request import TurnRequest
from workbench.app.turns import begin_session, run_turn
from workbench.chat.message import Role
from workbench.records.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.session_tree import SearchFilter
from workbench.records.sessions import StoredMessage
from workbench.rollout.models import Models, ModelStatus
from workbench.rollout.ports import Engine
from workbench.settings import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """An annotator's correction of a message, which makes the messages after it stale."""

    completion: int
    """Index of the corrected completion in the conversation, from 0."""
    text: str
    comment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoConversation:
    """A conversation of the demo."""

    title: str
    tag: str
    """A word for what goes wrong in it."""
    user_texts: tuple[str, ...]
    """The user's text of each turn."""
    completions: tuple[str, ...]
    """The model's completions, byte for byte."""
    tools: tuple[str, ...] = ("nonsense",)
    max_tokens: int = 256
    """The longest completion, in tokens of the scripted engine, which have four characters each."""
    verdict: Verdict | None = None
    """An annotator's verdict on the first call. None if it has no label."""
    correction: Correction | None = None


def _call(body: str) -> str:
    return f"<tool_call>\n{body}\n</tool_call>"


_CAIRO: Final = _call('{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}')
EXAMPLE: Final = DemoConversation(
    title="The weather in Paris: a call with a small fault",
    tag="fixed",
    user_texts=("What is the weather in Paris?",),
    completions=(
        "<think>\nThe user asks for the weather; get_weather gives it.\n</think>\n"
        + _call('{"name": "get_weather", "arguments": {"city": "Paris",}}'),
        "It is 18 °C and partly cloudy in Paris.",
    ),
    tools=("weather",),
)
"""The session that a first visit shows."""
DEMO: Final = (
    DemoConversation(
        title="A valid call",
        tag="clean",
        user_texts=("What is the flumbuster reading for cairo?",),
        completions=(_CAIRO, "The flumbuster reading for Cairo is 31 metric usters."),
        verdict=Verdict.RIGHT,
    ),
    DemoConversation(
        title="Python's quotes and constants",
        tag="fixed",
        user_texts=("How is the weather in Rome?",),
        completions=(
            _call("{'name': 'get_weather', 'arguments': {'city': 'Rome'}}"),
            "I looked it up: see the result above.",
        ),
        tools=("weather",),
    ),
    DemoConversation(
        title="A call that was dropped",
        tag="dropped",
        user_texts=("What is the flumbuster reading for lima?",),
        completions=(_call('{"name": "get_flumbuster", "arguments": '),),
    ),
    DemoConversation(
        title="Cut off in the middle of a call",
        tag="cut",
        user_texts=("What is the flumbuster reading for oslo, in imperial usters?",),
        completions=(
            _call('{"name": "get_flumbuster", "arguments": {"flumb": "oslo", "uster": "imperial"}}'),
        ),
        max_tokens=16,
    ),
    DemoConversation(
        title="The wrong tool",
        tag="wrong-tool",
        user_texts=("Add the zorb 3 and the bix 4 to a zorbix.",),
        completions=(
            _call('{"name": "get_flumbuster", "arguments": {"flumb": "3 and 4"}}'),
            "The zorbix is 17.",
        ),
        verdict=Verdict.WRONG_TOOL,
    ),
    DemoConversation(
        title="A tool that was not offered",
        tag="unknown-tool",
        user_texts=("What is the flumbuster reading for quito?",),
        completions=(
            _call('{"name": "read_flumbuster", "arguments": {"place": "quito"}}'),
            "There is no such tool, so I cannot tell.",
        ),
    ),
    DemoConversation(
        title="Arguments that do not match the schema",
        tag="bad-arguments",
        user_texts=("What is the flumbuster reading for cairo, in kelvin?",),
        completions=(
            _call('{"name": "get_flumbuster", "arguments": {"flumb": "cairo", "uster": "kelvin"}}'),
            "Kelvin is not offered; metric or imperial?",
        ),
        verdict=Verdict.BAD_ARGUMENTS,
    ),
    DemoConversation(
        title="An unnecessary call",
        tag="needless",
        user_texts=("Thanks, that is all!",),
        completions=(_CAIRO, "You are welcome."),
    ),
    DemoConversation(
        title="It should have asked",
        tag="should-ask",
        user_texts=("What is the flumbuster reading?",),
        completions=(
            _call('{"name": "get_flumbuster", "arguments": {"flumb": "New York"}}'),
            "The flumbuster reading for New York is 18.",
        ),
    ),
    DemoConversation(
        title="Two calls at once, in a code fence",
        tag="fixed",
        user_texts=("The flumbuster readings for cairo and lima, please.",),
        completions=(
            "```\n" + _CAIRO + "\n" + _CAIRO.replace("cairo", "lima") + "\n```",
            "Cairo reads 31, Lima 14 metric usters.",
        ),
    ),
    DemoConversation(
        title="A correction that makes later messages stale",
        tag="stale",
        user_texts=("What is the flumbuster reading for paris, in imperial usters?", "And is that much?"),
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
        user_texts=("Write a link and a script.",),
        completions=('<script>alert("no")</script> <a href="//example.org">link</a> ${1 + 1} <|im_end|>',),
    ),
)


TAG: Final = "demo"
"""The tag of every demo session. A second tag says what goes wrong in it."""
EXAMPLE_TAG: Final = "example"
"""The tag of the session that a first visit shows, which is not part of the demo."""
ENGINE: Final = "scripted:demo set"
"""The model name in the demo's messages."""
_MOST: Final = 1_000


def load_demo(services: Services) -> Sequence[str]:
    """Create a session for each conversation of the demo, and return their ids.

    Raises:
        BadInput: The catalog lacks one of the tools.
        StoreError: The sessions could not be stored.
    """
    return [load_conversation(services, conversation, TAG) for conversation in reversed(DEMO)]


def load_conversation(services: Services, conversation: DemoConversation, tag: str) -> str:
    """Create a session with a demo conversation, and return its id.

    The turns run as usual, except that a scripted engine replaces the model.

    Args:
        services: The services of the owner who gets the session.
        tag: The session's first tag. The second is the conversation's.

    Raises:
        BadInput: The catalog lacks one of the tools.
        StoreError: The session could not be stored.
    """
    setup = services.setup_for(tools=conversation.tools)
    setup = replace(setup, sampling=replace(setup.sampling, max_tokens=conversation.max_tokens))
    engine = services.models.scripted(ENGINE, conversation.completions)
    scripted = replace(services, models=SingleEngineModels(services.models, engine))
    session_id = begin_session(scripted, setup).id
    for text in conversation.user_texts:
        for _ in run_turn(scripted, TurnRequest(setup=setup, session_id=session_id, text=text)):
            pass
    services.sessions.rename_session(session_id, conversation.title)
    services.sessions.tag_session(session_id, (tag, conversation.tag))
    _label(services, session_id, conversation)
    return session_id


def is_demo_loaded(services: Services) -> bool:
    """Whether any demo session exists.

    Raises:
        StoreError: The sessions cannot be read.
    """
    return bool(_demo_ids(services, limit=1))


def remove_demo(services: Services) -> int:
    """Delete all demo sessions and return their number. They can be restored like other deleted sessions.

    Raises:
        StoreError: The sessions could not be deleted.
    """
    ids = _demo_ids(services, limit=_MOST)
    for session_id in ids:
        services.sessions.delete_session(session_id)
    return len(ids)


@dataclass(frozen=True, slots=True)
class SingleEngineModels:
    """The usual models, except that one engine answers for all of them."""

    models: Models
    engine_for_all: Engine

    def names(self) -> Sequence[str]:
        return self.models.names()

    def ask_servers(self) -> Sequence[str]:
        return self.models.ask_servers()

    def check(self, name: str) -> None:
        self.models.check(name)

    def with_paths(self, *, is_permitted: bool, guest: str = "") -> Models:
        return self

    def engine(self, name: str, *, token: Secret | None = None) -> Engine:
        return self.engine_for_all

    def status(self, name: str) -> ModelStatus:
        return self.models.status(name)

    def scripted(self, name: str, completions: Sequence[str]) -> Engine:
        return self.models.scripted(name, completions)


def _demo_ids(services: Services, *, limit: int) -> list[str]:
    found = services.search.find("", SearchFilter(tag=TAG), limit=limit)
    return [result.session.id for result in found if TAG in result.session.tags]


def _label(services: Services, session_id: str, conversation: DemoConversation) -> None:
    path = services.sessions.path(session_id)
    completions = [stored for stored in path if stored.message.role is Role.ASSISTANT]
    if conversation.verdict is not None:
        content = LabelContent(verdict=conversation.verdict)
        _save_label(services, session_id, completions[0], content, call_index=0)
    if conversation.correction is not None:
        correction = conversation.correction
        content = LabelContent(correction=correction.text, comment=correction.comment)
        _save_label(services, session_id, completions[correction.completion], content)


def _save_label(
    services: Services,
    session_id: str,
    stored: StoredMessage,
    content: LabelContent,
    *,
    call_index: int | None = None,
) -> None:
    target = LabelTarget(session_id=session_id, message_id=stored.id, call_index=call_index)
    services.labels.save(NewLabel(target=target, content=content, annotator=services.owner.name))
