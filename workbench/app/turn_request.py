"""What a turn is asked to do, who takes part in it, and the events that it adds to those of the rollout."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.app.person import PersonAnswered, PersonAwaited
from workbench.records.run_config import RunConfig
from workbench.records.sessions import MessageOrigin, StoredMessage
from workbench.rollout.events import Event
from workbench.rollout.ports import Approver, Toolbox
from workbench.rollout.steps import Stepper
from workbench.rollout.tool_faults import PlantedFaults
from workbench.settings import Secret
from workbench.toolbox.entry import NO_STAGING, Staging


class Execution(StrEnum):
    """What happens to the tool calls of a turn."""

    AUTO = "auto"
    """The toolbox runs them."""
    STEP = "step"
    """The turn waits at each call: the user runs it, writes its result or lets it fail."""
    STOP = "stop"
    """The turn ends at the first completion with a tool call; the call is not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumePoint:
    """The point from which a session continues."""

    message_id: str
    """The last message to keep. A user message or tool result gets an answer. The calls of an answer run first."""
    prefix: str = ""
    """How the answer must begin. Empty sets no beginning."""
    is_answer: bool = False
    """True if a message is answered again, in which case several samples can be drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """A turn to run."""

    setup: RunConfig
    """It becomes the setup of the session."""
    session_id: str | None = None
    """The session to continue, or None to create one."""
    new_session_id: str = field(default_factory=lambda: secrets.token_hex(16))
    """The id of the session that is created."""
    text: str = ""
    """The user's message. Empty if the session is continued without one."""
    origin: MessageOrigin = MessageOrigin.PERSON
    """Who says `text`."""
    leaf_id: str | None = None
    """The message that the user's message follows. None takes the open leaf. If the session was continued from that
    message in the meantime, the turn becomes a sibling branch."""
    resume: ResumePoint | None = None
    """Where to continue the session, or None to run a turn with `text`."""
    execution: Execution = Execution.AUTO
    has_person: bool = True
    """False refuses risky calls, because nobody can be asked."""
    samples: int = 1
    """How many answers to generate, as parallel branches."""
    token: Secret | None = None
    """A visitor's own access token for a hosted model. See `workbench.rollout.models.Models`."""

    @property
    def subject(self) -> str:
        """The id of the session that the turn belongs to."""
        return self.session_id or self.new_session_id


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """Who takes part in a turn in addition to the model."""

    is_cancelled: Callable[[], bool] = lambda: False
    """Returns True once a person has stopped the turn."""
    approver: Approver | None = None
    """Asked before a risky call. None refuses risky calls."""
    stepper: Stepper | None = None
    """Decides about each call before it runs. None runs all calls."""
    runs_calls: bool = True
    """False ends the turn at the first completion that calls a tool."""
    staging: Staging = NO_STAGING
    """Where the tools differ from their catalog files."""
    toolbox: Toolbox | None = None
    """Runs the calls in place of the catalog. None takes the catalog's tools."""
    faults: PlantedFaults | None = None
    """Faults in the answers of the tools. None plants none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageStored:
    """A message was stored."""

    stored: StoredMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleStarted:
    """Another sample has started."""

    number: int
    """Number of the sample, from 1."""
    count: int
    """How many samples there will be."""


TurnEvent = Event | MessageStored | SampleStarted | PersonAwaited | PersonAnswered
"""Any event of a turn."""
