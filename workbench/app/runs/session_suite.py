"""Make a suite from stored conversations: what clients asked yesterday is tomorrow's regression test."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from workbench.app.runs.session_cases import LeftOutTurn, SessionCases
from workbench.app.services import Services
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.records.corpus.material import DamagedSession, SessionFilter, SessionMaterial
from workbench.records.versions import NewVersion, Version, VersionKind, check_name
from workbench.suite.case import Suite
from workbench.suite.read_suite import parse_suite
from workbench.toolspec.yaml_text import dump_yaml

SESSIONS_SUITE: Final = "sessions"
"""Name of the suite in a run; it is stored only if it is saved."""
_AT_ONCE: Final = 50
"""How many sessions are read at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSuite:
    """A suite made from sessions."""

    text: str
    """The suite as YAML."""
    suite: Suite
    sessions: int
    """Number of sessions with the tag."""
    labelled: int
    """Number of cases whose expectation comes from labels."""
    left_out: tuple[LeftOutTurn, ...] = field(hash=False)


def suite_from_sessions(services: Services, tag: str, *, name: str = SESSIONS_SUITE) -> SessionSuite:
    """Make a suite from the owner's sessions with a tag, the oldest first. Discarded sessions are left out.

    Args:
        tag: A tag of the sessions, or of their labels.
        name: Name of the suite.

    Raises:
        BadInput: There are no such sessions, or none of their turns can become a case.
        StoreError: The sessions cannot be read.
    """
    tag = tag.strip()
    check_name(name)
    if not tag:
        raise BadInput("sessions", "no tag is given", "name a tag of the sessions")
    cases: dict[str, tuple[JsonObject, bool]] = {}
    left_out: list[LeftOutTurn] = []
    sessions = 0
    for material in _materials(services, SessionFilter(tag=tag)):
        sessions += 1
        try:
            if isinstance(material, DamagedSession):
                raise BadInput("", material.problem)
            reader = SessionCases(material, tag, today=services.today())
            found = list(reader.cases())
        except BadInput as error:
            left_out.append(LeftOutTurn(session_id=material.session_id, message_id="", reason=str(error)))
            continue
        for case, is_labelled in found:
            cases.setdefault(str(case["id"]), (case, is_labelled))
        left_out += reader.left_out
    if not sessions:
        raise BadInput(
            f"tag {tag!r}", "no session has it", "tag sessions on the page, or record with --record-tag"
        )
    if not cases:
        reason = left_out[0].reason if left_out else "they have no answers"
        raise BadInput(
            f"tag {tag!r}", f"no turn of its sessions can become a case ({reason})", "label the calls"
        )
    text = _suite_text(name, tag, [case for case, _ in cases.values()])
    services.limits.check_text("suite", text)
    return SessionSuite(
        text=text,
        suite=parse_suite(text, name=name),
        sessions=sessions,
        labelled=sum(is_labelled for _, is_labelled in cases.values()),
        left_out=tuple(left_out),
    )


def save_session_suite(services: Services, made: SessionSuite, tag: str) -> Version:
    """Save the suite as the next version of its name.

    Raises:
        StoreError: The version could not be stored.
    """
    message = f"cases from sessions tagged {tag.strip()}"
    new = NewVersion(kind=VersionKind.SUITE, name=made.suite.name, text=made.text, message=message)
    return services.versions.save(new)


def _materials(services: Services, chosen: SessionFilter) -> Iterator[SessionMaterial | DamagedSession]:
    after: str | None = None
    while ids := services.corpus.choose(chosen, after=after, limit=_AT_ONCE):
        after = ids[-1]
        yield from (material for _, material in services.corpus.materials(ids) if material is not None)


def _suite_text(name: str, tag: str, cases: Sequence[JsonObject]) -> str:
    """Return the suite as YAML. What all cases have in common is written once, as its defaults."""
    document: dict[str, JsonValue] = {
        "suite": name,
        "description": f"Recorded conversations tagged {tag}. Calls are expected as they were labelled or recorded.",
    }
    common: dict[str, JsonValue] = {}
    for key in ("tool_specs", "system", "variables", "tags"):
        values = [case.get(key) for case in cases]
        if values[0] is not None and all(value == values[0] for value in values):
            common[key] = values[0]
    document["defaults"] = common
    document["cases"] = [{key: value for key, value in case.items() if key not in common} for case in cases]
    return dump_yaml(document)
