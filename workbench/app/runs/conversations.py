"""Run the conversation of a case: the person and the model in turn, until the person ends it or a limit is reached."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Protocol

from workbench.app.demo import SingleEngineModels
from workbench.app.services import Services
from workbench.app.turn_request import MessageStored, TurnContext, TurnRequest
from workbench.app.turns import run_turn
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Conversation, Message, Role
from workbench.errors import BadInput, EngineError
from workbench.records.run_config import RunConfig
from workbench.records.sessions import MessageOrigin, NewMessage
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.events import EndReason
from workbench.rollout.loop import Turn, run_rollout
from workbench.rollout.sampling import Sampling
from workbench.settings import Secret
from workbench.suite.case import SolutionStep
from workbench.suite.case_rollout import CaseRollout, PersonTurn, Price, rollout_of, rollout_of_turns
from workbench.suite.people.faults import Talk, person_fault
from workbench.suite.people.person import Person
from workbench.suite.people.scripted import PersonMessage, ScriptedPerson
from workbench.suite.people.simulated import parse_person_message, person_conversation
from workbench.suite.plan import SOLUTION, Job
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools, render_tools

_MOST_TOKENS: Final = 512
"""Maximum length of a message of a simulated person."""


class Speaker(Protocol):
    """Someone who talks to the model in one conversation."""

    origin: MessageOrigin
    most_messages: int
    goes_on_after: Collection[EndReason]

    def first(self) -> PersonMessage:
        """Return the first message."""
        ...

    def reply(self, message: str) -> PersonMessage:
        """Return the answer to a message of the model."""
        ...


@dataclass(slots=True)
class _Scripted:
    script: ScriptedPerson
    most_messages: int
    origin: MessageOrigin = MessageOrigin.SCRIPTED
    goes_on_after: Collection[EndReason] = (EndReason.ANSWERED,)

    def first(self) -> PersonMessage:
        return self.script.first()

    def reply(self, message: str) -> PersonMessage:
        return self.script.reply(message)


@dataclass(slots=True)
class _Simulated:
    """A person that a model acts as."""

    person: Person
    ask: Callable[[Conversation], str]
    most_messages: int
    origin: MessageOrigin = MessageOrigin.SIMULATED
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
    if person.script and (person.is_fixed or not model):
        # They say the next message whatever the model wrote, even what nobody can read.
        after = (EndReason.ANSWERED, EndReason.UNREADABLE, EndReason.LENGTH)
        return _Scripted(ScriptedPerson(person), len(person.script) + 1, goes_on_after=after)
    if not model and person.is_scripted:
        return _Scripted(ScriptedPerson(person), person.max_turns)
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
    turns: list[tuple[PersonTurn, CaseRollout | None]] = []
    message = person.first()
    while message.text.strip() and not message.ends:
        withheld = [name for turn, names in missed.items() if len(turns) < int(turn) for name in names]
        setup = _without(request.setup, withheld)
        said = replace(request, setup=setup, origin=person.origin, text=message.text)
        turn, rollout = _run_turn(services, said, context, price)
        turns.append((turn, rollout))
        if rollout.end not in person.goes_on_after or len(turns) >= person.most_messages:
            return rollout_of_turns(turns)
        message = person.reply(turn.answer)
    if not turns:
        raise EngineError("the person said nothing, so the conversation did not begin")
    turns.append((_goodbye(services, request.subject, message, person.origin), None))
    return replace(rollout_of_turns(turns), has_person_ended=message.ends)


def _without(setup: RunConfig, names: Sequence[str]) -> RunConfig:
    """Return the setup without some of its tools."""
    if not names:
        return setup
    kept = tuple(spec for spec in parse_tools(setup.tools_text).specs if spec.name not in names)
    return replace(setup, tools_text=render_tools(OfferedTools(specs=kept)))


def without_mistakes(
    person: Person, rollout: CaseRollout, tools: OfferedTools, *, has_model: bool
) -> CaseRollout:
    """Return the rollout, void if the person made a mistake. A person with a script makes none.

    Args:
        has_model: Whether a model acted as the person, if the case lets it.
    """
    if person.script and (person.is_fixed or not has_model):
        return rollout
    talk = Talk(
        said=tuple(turn.said for turn in rollout.turns),
        answers=tuple(turn.answer for turn in rollout.turns if turn.completions),
        has_ended=rollout.has_person_ended,
        tools=tools.names,
    )
    fault = person_fault(person, talk)
    return replace(rollout, void=fault.reason, void_turn=fault.turn) if fault else rollout


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
    turn = PersonTurn(
        said=request.text,
        answer=rollout.answer,
        completions=len(rollout.completions),
        tool_runs=len(rollout.tool_runs),
        message_id=message_ids[0] if message_ids else "",
    )
    return turn, rollout


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
    return PersonTurn(said=message.text, answer="", completions=0, tool_runs=0, message_id=stored_id)


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
