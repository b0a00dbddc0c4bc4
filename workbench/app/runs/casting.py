"""Create suite cases from turns of sessions, and collect what was measured of a contract."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, cast

from workbench.app.runs.suites import load_suite, suite_names
from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Message, Role
from workbench.contract.contract import parse_contract
from workbench.errors import BadInput
from workbench.hermes.written_out import read_message
from workbench.records.facts import DailyModelStats
from workbench.records.run_config import RunConfig
from workbench.records.runs import ArmResults
from workbench.records.sessions import StoredMessage, index_on
from workbench.records.versions import NewVersion, Version, VersionKind, check_name, hash_of, name_in
from workbench.suite.case import Suite
from workbench.suite.read_suite import parse_case, render_suite
from workbench.suite.reports.report import ArmGain, gains_of
from workbench.suite.variants import Part, parts_of
from workbench.toolspec.conditions import exactly
from workbench.toolspec.spec import OfferedTools

MOST_VERSIONS: Final = 200
"""How many of the newest versions are loaded to find their numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractInventory:
    """Everything that was measured of a contract."""

    numbers: Mapping[str, int] = field(hash=False)
    """Version numbers by the hash of the version's text. A restored text has its newest number."""
    arms: tuple[ArmResults, ...] = field(hash=False)
    """Arms that used the whole contract, with their results, newest run first."""
    days: tuple[DailyModelStats, ...]
    """Daily statistics of the completions that used its versions."""
    ablation: "Ablation | None"
    """The newest ablation. None if no run had one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """How much each part of a contract contributes."""

    arm: ArmResults
    """The arm with the whole contract."""
    parts: tuple[tuple[Part, ArmGain | None], ...]
    """The paragraphs in order, each with its gain. None if the gain was not measured."""


def measured(services: Services, name: str) -> ContractInventory:
    """Return what was measured of the contract with this name.

    Raises:
        StoreError: The measurements cannot be read.
    """
    name = name_in(name)
    history = services.versions.history(VersionKind.CONTRACT, name, limit=MOST_VERSIONS)
    numbers = {version.text_hash: version.number for version in reversed(history)}
    arms = tuple(_arms_of(services, name))
    whole = tuple(entry for entry in arms if not entry.arm.left_out and entry.arm.variation is None)
    return ContractInventory(
        numbers=numbers,
        arms=whole,
        days=tuple(services.facts.days(tuple(numbers))),
        ablation=_ablation(arms, name),
    )


def _arms_of(services: Services, name: str) -> Iterator[ArmResults]:
    """Yield the arms that used a contract under this name, then those under the names that it had before."""
    ended_at: datetime | None = None
    seen = set[str]()
    while name not in seen:
        seen.add(name)
        for entry in services.runs.arms_of(name):
            if ended_at is None or entry.created_at <= ended_at:
                yield entry
        renamed = services.audit.entries(
            subject=f"{VersionKind.CONTRACT}:{name}", action="version.rename", limit=1
        )
        if not renamed:
            return
        name, ended_at = str(renamed[0].detail["before"]), renamed[0].at


def version_of(results: ArmResults) -> str:
    """Return the hash of the contract text that an arm used."""
    return hash_of(results.arm.contract_text)


def _ablation(arms: Sequence[ArmResults], name: str) -> Ablation | None:
    ablated = next((entry for entry in arms if entry.arm.left_out), None)
    if ablated is None:
        return None
    run = [entry for entry in arms if entry.run_id == ablated.run_id]
    base = next((entry for entry in run if entry.arm.label == ablated.arm.left_out_of), None)
    if base is None:
        return None
    results = [result for entry in run for result in entry.results]
    gains = gains_of([entry.arm for entry in run if entry.arm.left_out], results)
    gain_by_part = {gain.change: gain for gain in gains if gain.of == base.arm.label}
    contract = parse_contract(base.arm.contract_text, name=name)
    parts = tuple((part, gain_by_part.get(part.label)) for part in parts_of(contract))
    return Ablation(arm=base, parts=parts)


OWN_SUITE: Final = "mine"
"""The suite for cases that are created from a session without naming a suite."""
_ID_WORDS: Final = 6
_ID_CHARS: Final = 4


def offered_toolsets(services: Services, setup: RunConfig) -> tuple[str, ...]:
    """Return the toolsets that have exactly the tools that a setup offers, in their order. Empty if there are none.

    Raises:
        BadInput: The tools of the setup cannot be parsed.
        StoreError: The saved toolsets cannot be read.
    """
    toolsets = services.tools.toolsets_of(setup.tools_text)
    return toolsets if services.tools.select(toolsets).names == setup.offered_tools().names else ()


def case_of_turn(
    setup: RunConfig,
    path: Sequence[StoredMessage],
    message_id: str | None = None,
    *,
    toolsets: Sequence[str] = (),
) -> JsonObject:
    """Return the case of one turn in the form of a suite's file.

    The case expects the calls of the model's first answer, or no call if there were none. Check it before you use
    it: if the model made a mistake, the case expects the same mistake.

    Args:
        path: The messages, root first.
        message_id: Any message of the turn. None takes the last turn.
        toolsets: Names of the toolsets that the case refers to. Empty writes the tools into the case.

    Raises:
        BadInput: There is no such turn, or it has no answer.
    """
    end = len(path) if message_id is None else index_on(path, message_id) + 1
    user = next((place for place in reversed(range(end)) if path[place].message.role is Role.USER), None)
    answer = path[user + 1] if user is not None and user + 1 < len(path) else None
    if user is None or answer is None:
        raise BadInput("case", "the turn has no answer", "send the message first")
    tools = setup.offered_tools()
    calls = read_message(answer.message, tools=tools).calls
    expected = [call_pattern(call.name, call.arguments) for call in calls]
    messages = [stored for stored in path[: user + 1] if stored.message.role is not Role.SYSTEM]
    document: dict[str, Any] = {
        "id": case_id(path[user]),
        "messages": [message_document(stored.message, tools) for stored in messages],
        **(
            {"tools": list(toolsets)} if toolsets else {"tool_specs": [spec.document for spec in tools.specs]}
        ),
        "tags": ["session"],
        "max_rounds": 1,
        "expect": [{"calls": expected} if expected else {"no_call": True}],
    }
    if len(messages) == 1:
        document["prompt"] = document.pop("messages")[0]["content"]
    # Only plain JSON values, as they are read from a suite's file.
    return cast(JsonObject, json.loads(json.dumps(document)))


def case_id(question: StoredMessage) -> str:
    """Return the first words of a question with the beginning of its id, such as `what-is-the-weather-3f2a`."""
    words = re.findall(r"\w+", question.message.text[:200].lower())[:_ID_WORDS]
    return "-".join([*(word[:20] for word in words), question.id[:_ID_CHARS]])


def add_case(services: Services, document: JsonObject, *, suite: str = OWN_SUITE) -> Version:
    """Save a new version of a suite, which may be new, with the case. A case with the same id is replaced.

    Raises:
        BadInput: The case or the suite cannot be read, or the name of the suite is not usable.
        StoreError: The version could not be stored.
    """
    check_name(suite)
    case = parse_case(document, suite=suite)
    existing = load_suite(services, suite) if suite in suite_names(services) else Suite(name=suite, cases=())
    others = tuple(other for other in existing.cases if other.id != case.id)
    changed = Suite(name=suite, description=existing.description, cases=(*others, case))
    new = NewVersion(
        kind=VersionKind.SUITE,
        name=suite,
        text=render_suite(changed),
        message=f"case {case.id} from a session",
    )
    return services.versions.save(new)


def call_pattern(name: str, arguments: JsonObject) -> dict[str, Any]:
    """Return an expectation that only a call of this tool with these arguments meets."""
    return {"name": name, "arguments": {key: exactly(value) for key, value in arguments.items()}}


def message_document(message: Message, tools: OfferedTools) -> dict[str, Any]:
    """Return a message of a conversation in the form of a suite's file."""
    document: dict[str, Any] = {"role": message.role.value, "content": message.text}
    if message.role is Role.TOOL and message.name:
        document["name"] = message.name
    if message.calls:
        calls = read_message(message, tools=tools).calls
        document["calls"] = [{"name": call.name, "arguments": dict(call.arguments)} for call in calls]
    return document
