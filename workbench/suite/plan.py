"""The plan of a run: its cases, the arms that are compared, and the order of its jobs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, cast

from pydantic import TypeAdapter

from workbench.chat.json_value import JsonObject
from workbench.rollout.sampling import Sampling
from workbench.suite.case import Case
from workbench.suite.read_suite import parse_case
from workbench.toolspec.spec import canonical_json

SEPARATOR: Final = " · "
"""Stands between the parts of an arm's label."""


class ToolVariation(StrEnum):
    """What of the tools is changed, to see how much a model leans on it."""

    RENAMED = "renamed"
    """The words of each tool's name stand in the other order."""
    SHUFFLED = "shuffled"
    """The tools stand in another order."""
    PARAPHRASED = "paraphrased"
    """Descriptions say the same in other words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One way to play all cases; a run compares its arms."""

    label: str
    """Unique in its run; says what tells the arm from the others."""
    contract_name: str
    """As it was named, such as `minimal` or `minimal@3`."""
    contract_text: str
    """The contract's file text."""
    model: str
    """As `--model` takes it."""
    tool_choice: str = "auto"
    """When a call is asked for, where a case does not say."""
    sampling: Sampling = Sampling()
    """How tokens are chosen; the seed goes up by one with each repetition."""
    is_constrained: bool = True
    """False: no grammar, whatever the tool choice."""
    left_out: str = ""
    """What of the contract was taken away, for a person; empty where it is whole."""
    left_out_of: str = ""
    """Label of the arm whose contract is whole; empty where this one's is."""
    variation: ToolVariation | None = None
    """What of the tools is changed; None for nothing."""
    variation_of: str = ""
    """Label of the arm with the tools as they are; empty where these are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One case, to be played once."""

    arm: Arm
    case: Case
    repetition: int
    """From 0."""

    @property
    def key(self) -> str:
        """Tells it among the jobs of its run."""
        return canonical_json([self.arm.label, self.case.key, self.repetition])

    @property
    def sampling(self) -> Sampling:
        """The arm's, with the repetition's own seed."""
        return replace(self.arm.sampling, seed=self.arm.sampling.seed + self.repetition)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """All that a run depends on."""

    cases: tuple[Case, ...] = field(hash=False)
    """In order."""
    arms: tuple[Arm, ...]
    """In order; labels are unique."""
    tools: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """`tools_key` of each case to the JSON text of what it offers."""
    repeat: int = 1
    """Plays of each case; a case that says more is played more often."""
    max_rounds: int = 8
    """Completions, where a case does not say."""
    timeout_s: float = 120.0
    at_once: int = 8
    """Cases that are played at the same time, where the engine takes many."""
    judge: str = ""
    """Model that judges rubrics; empty takes the arm's own."""

    def jobs(self) -> tuple[Job, ...]:
        """Every play: arm by arm, and in an arm cases with the same tools in a row, so that what their prompts
        begin with is evaluated once."""
        return tuple(self._jobs())

    def _jobs(self) -> Iterator[Job]:
        order = {key: place for place, key in enumerate(dict.fromkeys(map(tools_key, self.cases)))}
        cases = sorted(self.cases, key=lambda case: order[tools_key(case)])
        for arm in self.arms:
            for case in cases:
                for repetition in range(max(self.repeat, case.repeat)):
                    yield Job(arm=arm, case=case, repetition=repetition)


def tools_key(case: Case) -> str:
    """Tells what a case offers from what others offer."""
    return canonical_json([case.tools, case.tool_specs])


def plan_document(plan: RunPlan) -> JsonObject:
    """The plan as JSON."""
    return {
        "cases": [{"suite": case.suite, "case": case.document} for case in plan.cases],
        "arms": [_ARM.dump_python(arm, mode="json") for arm in plan.arms],
        "tools": dict(plan.tools),
        **{name: getattr(plan, name) for name in _PLAIN},
    }


def plan_value(document: JsonObject) -> RunPlan:
    """The plan in its JSON; what an older document lacks is as the defaults say.

    Raises:
        BadInput: A case cannot be read any more.
        ValueError: It is no plan.
    """
    given = cast(Mapping[str, Any], document)
    cases = [parse_case(one["case"], suite=one["suite"]) for one in given["cases"]]
    return RunPlan(
        cases=tuple(cases),
        arms=tuple(_ARM.validate_python(arm) for arm in given["arms"]),
        tools=given["tools"],
        **{name: given[name] for name in _PLAIN if name in given},
    )


def labels_of(parts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Labels of arms: of what each is made of, the parts in which they differ, and always the first.

    >>> labels_of([("minimal", "embedded", "auto"), ("full", "embedded", "auto")])
    ('minimal', 'full')
    """
    telling = [
        place for place in range(len(parts[0])) if place == 0 or len({one[place] for one in parts}) > 1
    ]
    return tuple(SEPARATOR.join(one[place] for place in telling) for one in parts)


_PLAIN: Final = ("repeat", "max_rounds", "timeout_s", "at_once", "judge")
_ARM: Final = TypeAdapter(Arm)
