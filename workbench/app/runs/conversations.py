"""Run the conversation of a case: the person and the model in turn, until the person ends it or a limit is reached."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from workbench.app.demo import SingleEngineModels
from workbench.app.services import Services
from workbench.app.turn_request import MessageStored, TurnContext, TurnRequest
from workbench.app.turns import run_turn
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Conversation, Message, Role
from workbench.errors import BadInput
from workbench.records.run_config import RunConfig
from workbench.records.sessions import MessageOrigin, NewMessage
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.events import EndReason
from workbench.rollout.loop import Turn, run_rollout
from workbench.rollout.sampling import Sampling
from workbench.settings import Secret
from workbench.suite.case import SolutionStep
from workbench.suite.case_rollout import CaseRollout, PersonTurn, Price, rollout_of
from workbench.suite.conversation import Speaker, converse, goodbye, scripted_speaker, turn_of
from workbench.suite.people.person import Person
from workbench.suite.people.scripted import PersonMessage
from workbench.suite.people.simulated import parse_person_message, person_conversation
from workbench.suite.plan import SOLUTION, Job
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools, render_tools

_MOST_TOKENS: Final = 512
"""Maximum length of a message of a simulated person."""


@dataclass(slots=True)
class _Simulated:
    """A person that a model acts as."""

    person: Person
    ask: Callable[[Conversation], str]
    most_messages: int
    goes_on_after: Collection[EndReason] = (EndReason.ANSWERED,)
    said: list[str] = field(default_factory=list[str])
    answers: list[str] = field(default_factory=list[str])

    def first(self) -> PersonMessage:
        message = PersonMessage(self.person.first) if self.person.first else self._next()
        self.said.append(message.text)
        return message

    def reply(self, message: str) -> PersonMessage:
        self.answers.append(message)
        reply = self._next()
        self.said.append(reply.text)
        return reply

    def _next(self) -> PersonMessage:
        return parse_person_message(self.ask(person_conversation(self.person, self.said, self.answers)))


def person_of(
    services: Services,
    job: Job,
    model: str,
    family: str,
    is_cancelled: Callable[[], bool],
    *,
    token: Secret | None = None,
) -> Speaker:
    """Return the person of a case.

    Args:
        model: The model that acts as the person. Empty follows the rules or the script of the case.
        family: The template family of its prompts.

    Raises:
        BadInput: The person has no rules, and no model acts as them.
    """
    person = job.case.user
    if person is None:
        raise BadInput(f"case {job.case.key!r}", "it has no person", "give it the key user")
    if person.is_fixed or (not model and person.is_scripted):
        return scripted_speaker(person)
    if not model:
        raise BadInput(
            f"case {job.case.key!r}, user",
            "it has no rules",
            "name a model that acts as the person: --person",
        )

    def ask(conversation: Conversation) -> str:
        sampling = replace(Sampling(), seed=job.sampling.seed, max_tokens=_MOST_TOKENS)
        return ask_model(
            services,
            model,
            conversation,
            family=family,
            sampling=sampling,
            is_cancelled=is_cancelled,
            token=token,
        )

    return _Simulated(person, ask, person.max_turns)


def ask_model(
    services: Services,
    model: str,
    conversation: Conversation,
    *,
    family: str,
    sampling: Sampling,
    is_cancelled: Callable[[], bool],
    token: Secret | None = None,
    answer_schema: JsonObject | None = None,
) -> str:
    """Return what a model without tools answers, such as a judge or a simulated person.

    Raises:
        EngineError: The model cannot be loaded or reached, or fails.
        BadInput: There is no such model.
    """
    turn = Turn(
        setup=TurnSetup(
            tools=OfferedTools(), family=family, sampling=sampling, max_rounds=1, answer_schema=answer_schema
        ),
        engine=services.engine(model, token=token),
        toolbox=services.catalog.toolbox(),
        clock=services.calendar,
        is_cancelled=is_cancelled,
    )
    return rollout_of(run_rollout(turn, conversation)).answer


def run_conversation(
    services: Services,
    request: TurnRequest,
    context: TurnContext,
    person: Speaker,
    *,
    price: Price | None,
    missed: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> CaseRollout:
    """Run a conversation in a session, and return its rollout.

    Args:
        request: The turn to run for each message of the person, without the message. Its session exists.
        context: Who takes part besides the person and the model.
        missed: Tools that are withheld until a turn, by the index of the turn.

    Raises:
        BadInput: The setup cannot be used.
        EngineError: A model is missing, or fails.
        StoreError: A message could not be stored.
    """
    origin = MessageOrigin.SIMULATED if isinstance(person, _Simulated) else MessageOrigin.SCRIPTED

    def run_one(number: int, text: str) -> tuple[PersonTurn, CaseRollout]:
        withheld = [name for turn, names in missed.items() if number < int(turn) for name in names]
        setup = _without(request.setup, withheld)
        said = replace(request, setup=setup, origin=origin, text=text)
        return _run_turn(services, said, context, price)

    return converse(person, run_one, lambda message: _goodbye(services, request.subject, message, origin))


def _without(setup: RunConfig, names: Sequence[str]) -> RunConfig:
    """Return the setup without some of its tools."""
    if not names:
        return setup
    kept = tuple(spec for spec in parse_tools(setup.tools_text).specs if spec.name not in names)
    return replace(setup, tools_text=render_tools(OfferedTools(specs=kept)))


def _run_turn(
    services: Services, request: TurnRequest, context: TurnContext, price: Price | None
) -> tuple[PersonTurn, CaseRollout]:
    message_ids: list[str] = []

    def watched() -> Iterator[object]:
        for event in run_turn(services, request, context):
            if isinstance(event, MessageStored):
                message_ids.append(event.stored.id)
            yield event

    rollout = rollout_of(watched(), session_id=request.subject, price=price)
    return turn_of(request.text, rollout, message_id=message_ids[0] if message_ids else ""), rollout


def _goodbye(
    services: Services, session_id: str, message: PersonMessage, origin: MessageOrigin
) -> PersonTurn:
    """Store the message that ended the conversation, unless it is empty. Nobody answers it."""
    stored_id = ""
    if message.text:
        session = services.sessions.find_session(session_id)
        stored = services.sessions.append(
            session_id,
            NewMessage(message=Message(role=Role.USER, text=message.text), origin=origin),
            parent_id=session.leaf_id if session else None,
        )
        stored_id = stored.id
    return goodbye(message, message_id=stored_id)


def with_solution(services: Services, job: Job) -> Services:
    """Return services whose model writes the solution of a case.

    Raises:
        BadInput: The case has none.
    """
    if not job.case.solution:
        raise BadInput(
            f"case {job.case.key!r}", "it has no solution", "give it the key solution, or another model"
        )
    engine = services.models.scripted(SOLUTION, solution_completions(job.case.solution))
    return replace(services, models=SingleEngineModels(services.models, engine))


def solution_completions(solution: Sequence[SolutionStep]) -> list[str]:
    """Return the steps of a solution as a model writes them."""
    return [
        "\n".join(
            [
                *filter(None, [step.text]),
                *(
                    "<tool_call>\n"
                    + json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)
                    + "\n</tool_call>"
                    for call in step.calls
                ),
            ]
        )
        for step in solution
    ]
