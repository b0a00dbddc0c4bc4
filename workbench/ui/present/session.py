"""Show one session in all panes of the Play tab."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from workbench.errors import BadInput
from workbench.records.run_config import RunConfig
from workbench.records.sessions import StoredMessage, TreeNode
from workbench.toolspec.spec import OfferedTools
from workbench.ui.present.conversation import read_path, round_of
from workbench.ui.present.decision import DecisionView, show_decision
from workbench.ui.present.inspect import (
    CallsView,
    FixesView,
    generation_findings,
    show_calls,
    show_fixes,
)
from workbench.ui.present.parsers import ParserComparisonView, ask_differ
from workbench.ui.present.questions import example_questions
from workbench.ui.present.raw import RawView, show_round
from workbench.ui.present.timing import TimingView, show_timing
from workbench.ui.present.tokens import TokensView, ask_tokens
from workbench.ui.present.transcript import TranscriptView, show_transcript
from workbench.ui.present.world import WorldView, ask_world


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """The transcript and the panes of the inspector."""

    transcript: TranscriptView
    raw: RawView
    """The prompt and completion of the selected round."""
    calls: CallsView
    fixes: FixesView
    timing: TimingView
    decision: DecisionView
    """Possible starts of the answer."""
    tokens: TokensView
    """The tokens, not loaded yet."""
    differ: ParserComparisonView
    """The results of other parsers, not computed yet."""
    world: WorldView
    """The world after the selected message, not loaded yet."""


def show_session(
    path: Sequence[StoredMessage],
    setup: RunConfig,
    *,
    tree: Sequence[TreeNode] = (),
    message_id: str | None = None,
    call: int | None = None,
    can_edit: bool = True,
    toolsets: Collection[str] = (),
) -> SessionView:
    """Show the panes for a path.

    Args:
        path: Messages from the root to the open leaf. May be empty.
        setup: The run configuration of the session, with its tools and family.
        tree: All messages of the session, to find the branches of each message.
        message_id: The selected message, or None to select the newest.
        call: Index of the selected call of that message, or None.
        can_edit: False if the session is read-only.
        toolsets: Names of the toolsets that can be chosen, for example questions.
    """
    tools = tools_of(setup)
    rounds = read_path(path, tools)
    read_round = round_of(path, rounds, message_id)
    return SessionView(
        transcript=show_transcript(
            path,
            rounds,
            selected=message_id,
            examples=example_questions(tools.names, toolsets),
            tree=tree,
            call=call,
            can_edit=can_edit,
        ),
        raw=show_round(path, read_round, family=family_of(setup), call=call),
        tokens=ask_tokens(read_round),
        calls=show_calls(
            read_round.reading if read_round else None,
            read_round.results if read_round else {},
            selected_call=call,
            no_result="not run",
            message_id=read_round.stored.id if read_round else "",
            has_refused=bool(read_round and read_round.refuses_calls),
        ),
        fixes=show_fixes(
            read_round.reading if read_round else None,
            stored_findings=generation_findings(read_round),
            picked_call=call,
        ),
        timing=show_timing(rounds, read_round),
        decision=show_decision(read_round, call=call),
        differ=ask_differ(read_round),
        world=ask_world(path, message_id),
    )


def tools_of(setup: RunConfig) -> OfferedTools:
    """Return the tools that the setup offers, or no tools if their text cannot be parsed."""
    try:
        return setup.offered_tools()
    except BadInput:
        return OfferedTools()


def family_of(setup: RunConfig) -> str | None:
    """Return the family of the setup's contract, or None if the contract cannot be parsed."""
    try:
        return setup.contract().family
    except BadInput:
        return None
