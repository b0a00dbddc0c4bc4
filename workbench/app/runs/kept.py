"""Turn the rollouts of a run into training material: sessions of those that passed, and preference pairs."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.hermes.written_out import read_message
from workbench.records.run_config import RunConfig
from workbench.records.runs import StoredRun
from workbench.records.session_tree import SearchFilter
from workbench.records.sessions import StoredMessage, StoredSession, copy_of
from workbench.suite.result import CaseResult, CaseStatus
from workbench.toolspec.spec import OfferedTools

KEPT_TAG: Final = "kept"
"""Tag of all sessions that are kept from runs."""
MOST_KEPT: Final = 100_000
"""How many sessions of a run are found that were kept before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What was kept of a run."""

    session_ids: tuple[str, ...]
    """The new sessions."""
    passed: int
    total: int
    """Results of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Preference pairs of a run."""

    rows: tuple[JsonObject, ...]
    """TRL's rows for DPO: `prompt`, `chosen`, `rejected` and `tools`, and where they come from."""
    cases: int
    """Cases with both passed and failed repetitions."""

    def kto_rows(self) -> Iterator[JsonObject]:
        """Yield TRL's rows for KTO: both answers of each pair, the chosen one with the label true."""
        for row in self.rows:
            shared = {key: value for key, value in row.items() if key not in ("chosen", "rejected")}
            for name, label in (("chosen", True), ("rejected", False)):
                yield {**shared, "completion": row[name], "label": label}


def keep_passed(services: Services, run: StoredRun) -> Kept:
    """Copy the rollout of each passed repetition into a session that is listed, labelled and exported like others.

    The tags of a session prove where it comes from: suite, case, score, seed and run. What was kept
    before is not kept again.

    Raises:
        StoreError: A session could not be read or written.
    """
    results = services.runs.results(run.id)
    passed = [result for result in results if result.is_passed and result.session_id]
    seeds = {job.key: job.sampling.seed for job in run.plan.jobs()}
    run_tag, made = f"run:{run.id[:12]}", list[str]()
    before = services.search.find("", SearchFilter(tag=run_tag), limit=MOST_KEPT)
    known = {tuple(found.session.tags) for found in before}
    for result in passed:
        session = services.sessions.find_session(result.session_id or "")
        if session is None:
            continue
        tags = (
            KEPT_TAG,
            f"suite:{result.suite}",
            f"case:{result.case_id}",
            f"score:{result.share:g}",
            f"seed:{seeds.get(result.key, 0)}",
            run_tag,
        )
        if tags in known:
            continue
        made.append(_copy(services, session, tags))
    return Kept(session_ids=tuple(made), passed=len(passed), total=len(results))


def _copy(services: Services, session: StoredSession, tags: Sequence[str]) -> str:
    path = list(services.sessions.path(session.id))
    while path and path[-1].message.role is Role.USER:
        # Nobody answered the message that ended the conversation.
        path.pop()
    new = services.sessions.create_session(session.setup)
    messages = [replace(copy_of(stored), copy_of=None) for stored in path]
    services.sessions.append_all(new.id, messages, parent_id=None)
    services.sessions.rename_session(new.id, session.title)
    services.sessions.tag_session(new.id, tags)
    return new.id


def pairs_of(services: Services, run: StoredRun) -> Pairs:
    """Return a pair for each failed repetition of a case that also passed.

    Of the passed repetition that agrees with it for the longest time, the first message that differs is chosen, and
    that of the failed one is rejected. If the first difference is not a message of the model, there is no pair.

    Raises:
        StoreError: A session could not be read.
    """
    by_case: dict[str, list[CaseResult]] = defaultdict(list)
    for result in services.runs.results(run.id):
        if result.session_id and result.status in (CaseStatus.PASSED, CaseStatus.FAILED):
            by_case[result.case_key].append(result)
    rows: list[JsonObject] = []
    both = [group for group in by_case.values() if len({result.is_passed for result in group}) == 2]
    for group in both:
        paths = {result.key: services.sessions.path(result.session_id or "") for result in group}
        passed = [result for result in group if result.is_passed]
        for failed in (result for result in group if not result.is_passed):
            chosen = max(passed, key=lambda result: _shared(paths[result.key], paths[failed.key]))
            session = services.sessions.find_session(chosen.session_id or "")
            row = _pair(paths[chosen.key], paths[failed.key], session.setup) if session else None
            if row is not None:
                rows.append({**row, "case": failed.case_key, "rejected_because": failed.reason})
    return Pairs(rows=tuple(rows), cases=len(both))


def _shared(first: Sequence[StoredMessage], second: Sequence[StoredMessage]) -> int:
    """Return how many messages two conversations have in common at the beginning."""
    pairs = enumerate(zip(first, second, strict=False))
    return next(
        (place for place, (one, other) in pairs if one.message != other.message), min(len(first), len(second))
    )


def _pair(
    passed: Sequence[StoredMessage], failed: Sequence[StoredMessage], setup: RunConfig
) -> JsonObject | None:
    place = _shared(passed, failed)
    if place >= min(len(passed), len(failed)):
        return None
    if {path[place].message.role for path in (passed, failed)} != {Role.ASSISTANT}:
        return None
    tools = setup.offered_tools()
    document = {
        "prompt": [_message(stored, tools) for stored in passed[:place]],
        "chosen": [_message(passed[place], tools)],
        "rejected": [_message(failed[place], tools)],
        "tools": [spec.document for spec in tools.specs],
    }
    # Only plain JSON values.
    return json.loads(json.dumps(document))


def _message(stored: StoredMessage, tools: OfferedTools) -> Mapping[str, Any]:
    """Return a message as chat templates take it."""
    message = stored.message
    if message.role is not Role.ASSISTANT:
        return {
            "role": message.role.value,
            "content": message.text,
            **({"name": message.name} if message.name else {}),
        }
    reading = read_message(message, tools=tools)
    document: dict[str, Any] = {"role": "assistant", "content": "".join(reading.prose).strip()}
    if reading.calls:
        document["tool_calls"] = [
            {"type": "function", "function": {"name": call.name, "arguments": dict(call.arguments)}}
            for call in reading.calls
        ]
    return document
