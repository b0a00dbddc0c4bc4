"""The training row that a conversation becomes once one labeller's corrections hold."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.records.corpus.conversations import Conversation, tell_session
from workbench.records.corpus.made import Warned, make_row
from workbench.records.corpus.material import DamagedSession, Material, Obstacle
from workbench.records.corpus.source import Source, Wanted
from workbench.records.labels.label import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an export would make of the conversation that is shown, in the format of Hermes' own rows."""

    obstacles: tuple[Obstacle, ...] = ()
    """Why no row is made of it; empty where one is."""
    warnings: tuple[Warned, ...] = ()
    """What else the validator says of the row."""
    fixed_messages: int = 0
    """Messages in which safe fixes were applied."""


def outcome_of(
    material: Material | DamagedSession | None, labels: Sequence[Label], *, labeller: str
) -> Outcome:
    """The row of a session's open path for one labeller; the labels of others count where they decide.

    Args:
        material: As the store has it.
        labels: Of the session, in one project.
        labeller: Whose corrections hold.
    """
    if not isinstance(material, Material):
        said = "it was deleted meanwhile" if material is None else f"its row is damaged: {material.problem}"
        return Outcome(
            obstacles=(Obstacle(code="gone" if material is None else "damaged-session", message=said),)
        )
    own = [label for label in labels if label.is_deciding or label.labeller == labeller]
    wanted = Wanted()
    told = next(tell_session(Source(replace(material, labels=own), wanted)))
    if not isinstance(told, Conversation):
        return Outcome(obstacles=(told,))
    made = make_row(told, wanted)
    return Outcome(obstacles=made.obstacles, warnings=made.warnings, fixed_messages=told.fixed_messages)
