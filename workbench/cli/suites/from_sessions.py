"""`workbench run --from-sessions`: run the recorded conversations again."""

import sys
from dataclasses import dataclass

from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.session_suite import (
    SESSIONS_SUITE,
    SessionSuite,
    save_session_suite,
    suite_from_sessions,
)
from workbench.app.services import Services
from workbench.cli.terminal.paint import count_of
from workbench.errors import BadInput
from workbench.suite.plan import RunPlan

MOST_REASONS = 5
"""The most turns that are named with the reason why they are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """The options of a run over sessions."""

    tag: str | None
    """Tag of the sessions. None runs suites or rows."""
    save_as: str
    """Name of the suite to save the cases in. Empty saves none."""

    def check(self, request: RunRequest, *, has_rows: bool) -> None:
        """Check that the options fit together.

        Raises:
            BadInput: They do not.
        """
        if self.tag is None:
            if self.save_as:
                raise BadInput("--save-suite", "it needs --from-sessions", "add --from-sessions TAG")
            return
        if request.suites or has_rows:
            raise BadInput("--from-sessions", "a run is of suites, rows or sessions", "omit the others")


def session_plan(services: Services, request: RunRequest, options: SessionOptions) -> RunPlan:
    """Return the plan of a run over sessions, after reporting what becomes of them. Saves the suite if asked to.

    Raises:
        BadInput: No turn of the sessions can become a case, or the run cannot be planned.
        StoreError: The sessions cannot be read, or the suite could not be saved.
    """
    tag = options.tag or ""
    made = suite_from_sessions(services, tag, name=options.save_as or SESSIONS_SUITE)
    for line in report(made):
        print(line, file=sys.stderr)
    plan = plan_run(services, request, [made.suite])
    if options.save_as:
        version = save_session_suite(services, made, tag)
        print(f"saved as suite {version.name}@{version.number}", file=sys.stderr)
    return plan


def report(made: SessionSuite) -> list[str]:
    """Return lines about the cases that were made, and the turns that were left out."""
    cases = len(made.suite.cases)
    lines = [
        f"{count_of(cases, 'case')} from {count_of(made.sessions, 'session')}, "
        f"{made.labelled} of them labelled"
    ]
    for turn in made.left_out[:MOST_REASONS]:
        place = f"session {turn.session_id}" + (f", message {turn.message_id}" if turn.message_id else "")
        lines.append(f"skipped: {place}: {turn.reason}")
    more = len(made.left_out) - MOST_REASONS
    if more > 0:
        lines.append(f"skipped: {count_of(more, 'more turn')}")
    return lines
