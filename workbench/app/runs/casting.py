"""Make a case from a turn of a session: its conversation, and what the model did as the expectation."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.contract.contract import parse_contract
from workbench.errors import BadInput
from workbench.hermes.written_out import read_message
from workbench.records.facts import DailyModelStats
from workbench.records.run_config import RunConfig
from workbench.records.runs import ArmResults
from workbench.records.sessions import StoredMessage
from workbench.records.versions import NewVersion, Version, VersionKind, hash_of
from workbench.suite.case import Suite
from workbench.suite.read_suite import parse_case, parse_suite, render_suite
from workbench.suite.reports.report import ArmGain, worths_of
from workbench.suite.variants import Part, parts_of
from workbench.toolspec.spec import OfferedTools

MOST_VERSIONS: Final = 200
"""The newest versions whose numbers are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractInventory:
    """All that is known of one contract."""

    numbers: Mapping[str, int] = field(hash=False)
    """Hash of a version's text to its number; of a text that was restored, the newest."""
    arms: tuple[ArmResults, ...] = field(hash=False)
    """Those that played it whole, with their results; of the newest run first."""
    days: tuple[DailyModelStats, ...]
    """What models wrote under its versions, day by day."""
    ablation: "Ablation | None"
    """The newest; None where there was none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """What each part of a version was found to be worth."""

    arm: ArmResults
    parts: tuple[tuple[Part, ArmGain | None], ...]
    """Its paragraphs in order, each with what it is worth; None where that was not measured."""


def measured(services: Services, name: str) -> ContractInventory:
    """What is known of the contract of that name.

    Raises:
        StoreError: It cannot be read.
    """
    history = services.versions.history(VersionKind.CONTRACT, name, limit=MOST_VERSIONS)
    numbers = {version.text_hash: version.number for version in reversed(history)}
    arms = services.runs.arms_of(name)
    whole = tuple(one for one in arms if not one.arm.left_out and one.arm.variation is None)
    return ContractInventory(
        numbers=numbers,
        arms=whole,
        days=tuple(services.facts.days(tuple(numbers))),
        ablation=_ablation(arms, name),
    )


def version_of(one: ArmResults) -> str:
    """Hash of the contract's text that an arm played."""
    return hash_of(one.arm.contract_text)


def _ablation(arms: Sequence[ArmResults], name: str) -> Ablation | None:
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


OWN_SUITE: Final = "mine"
"""Where cases go that are made by one click."""
_ID_CHARS: Final = 12


def case_of_turn(
    setup: RunConfig, path: Sequence[StoredMessage], message_id: str | None = None
) -> JsonObject:
    """The case of one turn, as it stands in a suite.

    What the model called first is wanted; where it called nothing, nothing may be called. Look at it before
    you trust it: a model's mistake is wanted again as well.

    Args:
        path: Its messages, from the root.
        message_id: Any message of the turn; None takes the last turn.

    Raises:
        BadInput: There is no such turn, or nothing answers it.
    """
    ids = [one.id for one in path]
    if message_id is not None and message_id not in ids:
        raise BadInput(f"message {message_id!r}", "it is not on this path")
    end = ids.index(message_id) + 1 if message_id else len(path)
    asked = next((place for place in reversed(range(end)) if path[place].message.role is Role.USER), None)
    answer = path[asked + 1] if asked is not None and asked + 1 < len(path) else None
    if asked is None or answer is None:
        raise BadInput("case", "nothing answers this turn", "send it first")
    tools = setup.offered_tools()
    calls = read_message(answer.message, tools=tools).calls
    wanted = [{"name": call.name, "arguments": dict(call.arguments)} for call in calls]
    messages = [one for one in path[: asked + 1] if one.message.role is not Role.SYSTEM]
    document: dict[str, Any] = {
        "id": path[asked].id[:_ID_CHARS],
        "messages": [_written(one, tools) for one in messages],
        "tool_specs": [spec.document for spec in tools.specs],
        "tags": ["session"],
        "max_rounds": 1,
        "expect": [{"calls": wanted} if wanted else {"no_call": True}],
    }
    if len(messages) == 1:
        document["prompt"] = document.pop("messages")[0]["content"]
    # Equal to what a suite's file gives: plain JSON.
    return cast(JsonObject, json.loads(json.dumps(document)))


def add_case(services: Services, document: JsonObject, *, suite: str = OWN_SUITE) -> Version:
    """A new version of the suite with the case in it; one of the same id gives way.

    Raises:
        BadInput: The case or the suite cannot be read.
        StoreError: It could not be kept.
    """
    case = parse_case(document, suite=suite)
    found = services.versions.find(VersionKind.SUITE, suite)
    known = parse_suite(found.text, name=suite) if found else Suite(name=suite, cases=())
    kept = tuple(one for one in known.cases if one.id != case.id)
    whole = Suite(name=suite, description=known.description, cases=(*kept, case))
    new = NewVersion(
        kind=VersionKind.SUITE, name=suite, text=render_suite(whole), message=f"case {case.id} of a session"
    )
    return services.versions.save(new)


def _written(one: StoredMessage, tools: OfferedTools) -> dict[str, Any]:
    message = one.message
    written: dict[str, Any] = {"role": message.role.value, "content": message.text}
    if message.role is Role.TOOL and message.name:
        written["name"] = message.name
    if message.calls:
        calls = read_message(message, tools=tools).calls
        written["calls"] = [{"name": call.name, "arguments": dict(call.arguments)} for call in calls]
    return written
