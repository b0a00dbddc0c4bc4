"""Play a case with the completions of a trainer's model: what the model sees next, and in the end what to score.

A trainer writes one completion at a time and asks what follows it: the results of its calls, the next message of the
person, or nothing. Worlds, mock tools and scripted persons answer the same calls and messages with the same texts. So
an episode keeps no state: it runs again from the start with all completions so far.

    play(…, [])                    the person: "Where is my order?"
    play(…, [call])                the result: {"status": "shipped"}
    play(…, [call, "Shipped."])    the person: "Thanks, bye." The episode is over, and its rollout can be scored.

It is the loop of a run (`run_rollout` and `converse`), so prompts and scores are the same as in a run.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.chat.json_value import JsonObject
from workbench.chat.message import Conversation, Message, Role, ToolCall, ToolResult
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.events import CompletionEnded, ToolFinished
from workbench.rollout.loop import Turn, run_rollout
from workbench.rollout.ports import (
    Capabilities,
    Delta,
    FinishReason,
    GenerationRequest,
    Toolbox,
    ToolRun,
    Usage,
)
from workbench.suite.case import Case
from workbench.suite.case_rollout import CaseRollout, PersonTurn, rollout_of
from workbench.suite.conversation import converse, goodbye, scripted_speaker, turn_of, without_mistakes
from workbench.suite.people.scripted import PersonMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A case with the completions that were written so far."""

    rollout: CaseRollout
    conversation: Conversation
    """All messages so far, with the system message and the one that ended the conversation."""
    prompt: str
    """The exact prompt of the next completion. Empty if the episode is over."""

    @property
    def is_over(self) -> bool:
        """Whether the model has nothing more to write."""
        return not self.prompt

    @property
    def news(self) -> tuple[Message, ...]:
        """The messages after the last completion, which it has not seen. Empty if the episode is over."""
        messages = self.conversation.messages
        last = max(
            (place for place, message in enumerate(messages) if message.role is Role.ASSISTANT), default=0
        )
        return () if self.is_over else messages[last + 1 :]


def play(
    case: Case,
    setup: TurnSetup,
    system: str,
    completions: Sequence[str],
    *,
    toolbox: Toolbox,
    world_start: JsonObject | None = None,
) -> Episode:
    """Play a case with completions. Those that are left over once the episode is over are ignored.

    Args:
        setup: The tools, the family and the limit of completions of a turn.
        system: The system text. Empty if the prompt does not matter.
        completions: What the model wrote, byte for byte.
        toolbox: Runs the calls. It must not have run any.
        world_start: The world before the first call. None if there is none.
    """
    player = _Player(setup, toolbox, list(completions))
    player.messages = [Message(role=Role.SYSTEM, text=system), *case.messages[:-1]]
    if case.user is None:
        rollout = player.run_turn(case.messages[-1].text)
    else:
        rollout = converse(scripted_speaker(case.user), player.run_turn_of, player.hear_goodbye)
        rollout = (
            rollout if player.prompt else without_mistakes(case.user, rollout, setup.tools, has_model=False)
        )
    return Episode(
        rollout=replace(rollout, world_start=world_start or {}),
        conversation=Conversation(messages=tuple(player.messages)),
        prompt=player.prompt,
    )


class _Player:
    """The turns of an episode, and the engine that has written its completions already."""

    name = "recorded"
    fingerprint = "recorded"
    context_tokens = 0
    capabilities = Capabilities(has_exact_prompt=True, has_grammar=False)

    def __init__(self, setup: TurnSetup, toolbox: Toolbox, completions: list[str]) -> None:
        self._setup = setup
        self._toolbox = toolbox
        self._left = completions
        self.messages: list[Message] = []
        self.prompt = ""

    def run_turn_of(self, _number: int, text: str) -> tuple[PersonTurn, CaseRollout]:
        rollout = self.run_turn(text)
        return turn_of(text, rollout), rollout

    def hear_goodbye(self, message: PersonMessage) -> PersonTurn:
        if message.text:
            self.messages.append(Message(role=Role.USER, text=message.text))
        return goodbye(message)

    def run_turn(self, text: str) -> CaseRollout:
        self.messages.append(Message(role=Role.USER, text=text))
        turn = Turn(
            setup=self._setup,
            engine=self,
            toolbox=self._toolbox,
            clock=_NoClock(),
            is_cancelled=lambda: False,
        )
        return rollout_of(self._events(turn))

    def _events(self, turn: Turn) -> Iterator[object]:
        try:
            for event in run_rollout(turn, Conversation(messages=tuple(self.messages))):
                if isinstance(event, CompletionEnded | ToolFinished):
                    self.messages.append(event.message)
                yield event
        except _NoCompletionError:
            return

    def count_tokens(self, text: str) -> int:
        return len(text)

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        if not self._left:
            self.prompt = request.prompt
            raise _NoCompletionError
        yield Delta(text=self._left.pop(0))
        yield Delta(finish_reason=FinishReason.STOP, usage=Usage())


class _NoCompletionError(Exception):
    """The model has not written the next completion yet."""


class NoTools:
    """Answers all calls with nothing, for cases that the first completion decides."""

    def run(self, call: ToolCall) -> ToolRun:
        """Return an empty object."""
        return ToolRun(result=ToolResult(text="{}"), milliseconds=0)

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        """Return an empty object for each call."""
        return map(self.run, calls)


class _NoClock:
    def seconds(self) -> float:
        return 0.0
