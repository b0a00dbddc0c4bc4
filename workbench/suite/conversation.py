"""The conversation of a case: the person and the model in turn, until the person ends it or a limit is reached."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Protocol

from workbench.errors import EngineError
from workbench.rollout.events import EndReason
from workbench.suite.case_rollout import CaseRollout, PersonTurn, rollout_of_turns
from workbench.suite.people.faults import PersonConversation, person_fault
from workbench.suite.people.person import Person
from workbench.suite.people.scripted import PersonMessage, ScriptedPerson
from workbench.toolspec.spec import OfferedTools


class Speaker(Protocol):
    """Someone who talks to the model in one conversation."""

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
    goes_on_after: Collection[EndReason] = (EndReason.ANSWERED,)

    def first(self) -> PersonMessage:
        return self.script.first()

    def reply(self, message: str) -> PersonMessage:
        return self.script.reply(message)


def scripted_speaker(person: Person) -> Speaker:
    """Return a person who follows their script or their rules."""
    if not person.script:
        return _Scripted(ScriptedPerson(person), person.max_turns)
    # They say the next message whatever the model wrote, even what nobody can read.
    after = (EndReason.ANSWERED, EndReason.UNREADABLE, EndReason.LENGTH)
    return _Scripted(ScriptedPerson(person), len(person.script) + 1, goes_on_after=after)


def converse(
    person: Speaker,
    run_turn: Callable[[int, str], tuple[PersonTurn, CaseRollout]],
    say_goodbye: Callable[[PersonMessage], PersonTurn],
) -> CaseRollout:
    """Let a person and the model talk, and return the rollout of the conversation.

    Args:
        run_turn: Called with the index of the turn and the person's message. Runs the turn of the model.
        say_goodbye: Called with the message that ended the conversation.

    Raises:
        EngineError: The person said nothing.
    """
    turns: list[tuple[PersonTurn, CaseRollout | None]] = []
    message = person.first()
    while message.text.strip() and not message.ends:
        turn, rollout = run_turn(len(turns), message.text)
        turns.append((turn, rollout))
        if rollout.end not in person.goes_on_after or len(turns) >= person.most_messages:
            return rollout_of_turns(turns)
        message = person.reply(turn.answer)
    if not turns:
        raise EngineError("the person said nothing, so the conversation did not begin")
    turns.append((say_goodbye(message), None))
    return replace(rollout_of_turns(turns), has_person_ended=message.ends)


def turn_of(said: str, rollout: CaseRollout, *, message_id: str = "") -> PersonTurn:
    """Return a message of the person with the model's turn.

    Args:
        message_id: The person's message in the session. Empty if it is not stored.
    """
    return PersonTurn(
        said=said,
        answer=rollout.answer,
        completions=len(rollout.completions),
        tool_runs=len(rollout.tool_runs),
        message_id=message_id,
    )


def goodbye(message: PersonMessage, *, message_id: str = "") -> PersonTurn:
    """Return the message that ended the conversation. Nobody answers it."""
    return PersonTurn(said=message.text, answer="", completions=0, tool_runs=0, message_id=message_id)


def without_mistakes(
    person: Person, rollout: CaseRollout, tools: OfferedTools, *, has_model: bool
) -> CaseRollout:
    """Return the rollout, void if the person made a mistake. A person with a script makes none.

    Args:
        has_model: Whether a model acted as the person, if the case lets it.
    """
    if person.script and (person.is_fixed or not has_model):
        return rollout
    conversation = PersonConversation(
        said=tuple(turn.said for turn in rollout.turns),
        answers=tuple(turn.answer for turn in rollout.turns if turn.completions),
        has_ended=rollout.has_person_ended,
        tools=tools.names,
    )
    fault = person_fault(person, conversation)
    return replace(rollout, void=fault.reason, void_turn=fault.turn) if fault else rollout
