"""The plan of a run: its cases, its arms, and the order of its jobs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, cast

from pydantic import TypeAdapter

from workbench.chat.json_value import JsonObject
from workbench.rollout.sampling import Sampling
from workbench.rollout.tool_faults import FaultPlan
from workbench.suite.case import Case
from workbench.suite.read_suite import parse_case
from workbench.suite.search_plan import Search
from workbench.toolspec.spec import canonical_json

SOLUTION: Final = "solution"
"""Name of the model that writes the solution of each case, to prove that the case can be solved."""
SEPARATOR: Final = " · "
"""Separates the parts of an arm's label."""


class ToolVariation(StrEnum):
    """A change of the tools that should not change the calls."""

    RENAMED = "renamed"
    """The words of each tool name are in reverse order."""
    SHUFFLED = "shuffled"
    """The tools are in another order."""
    PARAPHRASED = "paraphrased"
    """The descriptions say the same in other words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """A contract, a model and settings with which all cases are run. A run compares its arms."""

    label: str
    """Unique in the run. Names what distinguishes the arm from the others."""
    contract_name: str
    """Name of the contract as requested, such as `minimal` or `minimal@3`."""
    contract_text: str
    """Text of the contract's file."""
    model: str
    """Name of the model, as for `--model`."""
    tool_choice: str = "auto"
    """Tool choice for cases that do not set their own."""
    sampling: Sampling = Sampling()
    """Sampling of the first repetition. The seed increases by one with each repetition."""
    is_constrained: bool = True
    """False: no grammar, whatever the tool choice."""
    left_out: str = ""
    """Label of the part that was removed from the contract. Empty if the contract is complete."""
    left_out_of: str = ""
    """Label of the arm with the complete contract. Empty if this contract is complete."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Values of the contract's variables, for cases that do not set their own."""
    ephemeral: str = ""
    """Text added to the system prompt of every case, which is not exported."""
    variation: ToolVariation | None = None
    """How the tools are changed, or None if they are not."""
    variation_of: str = ""
    """Label of the arm with the unchanged tools. Empty if these tools are unchanged."""
    faults: FaultPlan | None = None
    """Faults that are planted in the answers of its tools, or None. `variation_of` is then the arm without them."""
    descriptions: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Changed descriptions by `tool` or `tool.parameter`. An empty text removes the description."""

    @property
    def is_changed(self) -> bool:
        """Whether it is another arm without a part of its contract, or with changed tools."""
        return bool(self.left_out or self.variation_of)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One repetition of a case with one arm."""

    arm: Arm
    case: Case
    repetition: int
    """From 0."""

    @property
    def key(self) -> str:
        """Identifies the job in its run."""
        return canonical_json([self.arm.label, self.case.key, self.repetition])

    @property
    def sampling(self) -> Sampling:
        """Sampling of the arm, with the seed of this repetition."""
        return replace(self.arm.sampling, seed=self.arm.sampling.seed + self.repetition)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """Everything that the results of a run depend on."""

    cases: tuple[Case, ...] = field(hash=False)
    arms: tuple[Arm, ...]
    """The arms. Their labels are unique."""
    tools: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """`tools_key` of each case to the offered tools as JSON text."""
    repeat: int = 1
    """Minimum number of repetitions of each case. A case can require more."""
    max_rounds: int = 8
    """Maximum number of completions, for cases that do not set their own."""
    timeout_s: float = 120.0
    at_once: int = 8
    """Maximum number of cases to run at the same time, for engines that allow this."""
    judge: str = ""
    """Model that judges rubrics. Empty uses the model of the arm."""
    person: str = ""
    """Model that acts as the persons of all cases. Empty follows their rules."""
    has_checks: bool = True
    """False to run the cases without comparing the answers with their expectations."""
    search: Search | None = None
    """The search for a better contract that adds the arms, or None if the arms are fixed."""

    @property
    def total(self) -> int:
        """Number of results that the run will have: its maximum in a search."""
        return self.search.settings.runs if self.search else len(self.jobs())

    def jobs(self) -> tuple[Job, ...]:
        """Return all jobs, arm by arm.

        Within an arm, cases with the same tools follow each other: their prompts begin with the same text, which the
        model then evaluates only once.
        """
        return tuple(self._jobs())

    def _jobs(self) -> Iterator[Job]:
        order = {key: index for index, key in enumerate(dict.fromkeys(map(tools_key, self.cases)))}
        cases = sorted(self.cases, key=lambda case: order[tools_key(case)])
        for arm in self.arms:
            for checked in cases:
                case = checked if self.has_checks else replace(checked, expectations=())
                for repetition in range(max(self.repeat, case.repeat)):
                    yield Job(arm=arm, case=case, repetition=repetition)


def tools_key(case: Case) -> str:
    """Return a key that is equal for cases that offer the same tools."""
    return canonical_json([case.tools, case.tool_specs])


def plan_document(plan: RunPlan) -> JsonObject:
    """Return the plan as JSON."""
    return {
        "cases": [{"suite": case.suite, "case": case.document} for case in plan.cases],
        "arms": [_ARM.dump_python(arm, mode="json") for arm in plan.arms],
        "tools": dict(plan.tools),
        **{name: getattr(plan, name) for name in _PLAIN},
        **({"search": _SEARCH.dump_python(plan.search, mode="json")} if plan.search else {}),
    }


def plan_value(document: JsonObject) -> RunPlan:
    """Parse a plan from JSON. Keys that an older document lacks get their defaults.

    Raises:
        BadInput: A case can no longer be parsed.
        ValueError: The document is not a plan.
    """
    fields = cast(Mapping[str, Any], document)
    cases = [parse_case(entry["case"], suite=entry["suite"]) for entry in fields["cases"]]
    return RunPlan(
        cases=tuple(cases),
        arms=tuple(_ARM.validate_python(arm) for arm in fields["arms"]),
        tools=fields["tools"],
        search=_SEARCH.validate_python(fields["search"]) if "search" in fields else None,
        **{name: fields[name] for name in _PLAIN if name in fields},
    )


def labels_of(parts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return a label for each arm: its first part, and the parts in which the arms differ.

    Args:
        parts: The parts of each arm. All arms have the same number of parts.

    >>> labels_of([("minimal", "embedded", "auto"), ("full", "embedded", "auto")])
    ('minimal', 'full')
    """
    shown = [index for index in range(len(parts[0])) if index == 0 or len({arm[index] for arm in parts}) > 1]
    return tuple(SEPARATOR.join(arm[index] for index in shown) for arm in parts)


_PLAIN: Final = ("repeat", "max_rounds", "timeout_s", "at_once", "judge", "person", "has_checks")
_ARM: Final = TypeAdapter(Arm)
_SEARCH: Final = TypeAdapter(Search)
