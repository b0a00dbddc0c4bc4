"""What is known of a contract's versions: the runs that played them, and what models wrote under them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from workbench.app.services import Services
from workbench.contract.contract import parse_contract
from workbench.records.facts import DayOfModel
from workbench.records.runs import PlayedArm
from workbench.records.versions import VersionKind, hash_of
from workbench.suite.reports.report import Worth, worths_of
from workbench.suite.variants import Part, parts_of

MOST_VERSIONS: Final = 200
"""The newest versions whose numbers are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """All that is known of one contract."""

    numbers: Mapping[str, int] = field(hash=False)
    """Hash of a version's text to its number; of a text that was restored, the newest."""
    arms: tuple[PlayedArm, ...] = field(hash=False)
    """Those that played it whole, with their results; of the newest run first."""
    days: tuple[DayOfModel, ...]
    """What models wrote under its versions, day by day."""
    ablation: "Ablation | None"
    """The newest; None where there was none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """What each part of a version was found to be worth."""

    arm: PlayedArm
    """The whole contract."""
    parts: tuple[tuple[Part, Worth | None], ...]
    """Its paragraphs in order, each with what it is worth; None where that was not measured."""


def measured(services: Services, name: str) -> Measured:
    """What is known of the contract of that name.

    Raises:
        StoreError: It cannot be read.
    """
    history = services.versions.history(VersionKind.CONTRACT, name, limit=MOST_VERSIONS)
    numbers = {version.text_hash: version.number for version in reversed(history)}
    arms = services.runs.arms_of(name)
    whole = tuple(one for one in arms if not one.arm.left_out and one.arm.variation is None)
    return Measured(
        numbers=numbers,
        arms=whole,
        days=tuple(services.facts.days(tuple(numbers))),
        ablation=_ablation(arms, name),
    )


def version_of(one: PlayedArm) -> str:
    """Hash of the contract's text that an arm played."""
    return hash_of(one.arm.contract_text)


def _ablation(arms: Sequence[PlayedArm], name: str) -> Ablation | None:
    without = next((one for one in arms if one.arm.left_out), None)
    if without is None:
        return None
    run = [one for one in arms if one.run_id == without.run_id]
    base = next((one for one in run if one.arm.label == without.arm.left_out_of), None)
    if base is None:
        return None
    results = [result for one in run for result in one.results]
    worths = worths_of([one.arm for one in run if one.arm.left_out], results)
    found = {one.change: one for one in worths if one.of == base.arm.label}
    contract = parse_contract(base.arm.contract_text, name=name)
    return Ablation(arm=base, parts=tuple((part, found.get(part.label)) for part in parts_of(contract)))
