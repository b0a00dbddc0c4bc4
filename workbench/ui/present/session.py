"""One session as all panes show it."""

from collections.abc import Sequence
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
    show_calls,
    show_fixes,
    told_of,
)
from workbench.ui.present.parsers import ParserComparisonView, ask_differ
from workbench.ui.present.raw import RawView, show_round
from workbench.ui.present.timing import TimingView, show_timing
from workbench.ui.present.tokens import TokensView, ask_tokens
from workbench.ui.present.transcript import TranscriptView, examples_for, show_transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """Transcript and inspector."""

    transcript: TranscriptView
    raw: RawView
    """Prompt and completion of the selected round."""
    calls: CallsView
    fixes: FixesView
    timing: TimingView
    decision: DecisionView
    """What else it might have begun with."""
    tokens: TokensView
    """Its tokens, as yet unasked."""
    differ: ParserComparisonView
    """What others would have read of it, as yet unasked."""


def show_session(
    path: Sequence[StoredMessage],
    setup: RunConfig,
    *,
    tree: Sequence[TreeNode] = (),
    message_id: str | None = None,
    call: int | None = None,
    can_edit: bool = True,
) -> SessionView:
    """The panes for a path.

    Args:
        path: From the root to the open leaf; may be empty.
        setup: What the session is set to; tells the tools and the family.
        tree: All messages of the session; tells the branches beside the path.
        message_id: The message that was picked; None follows the newest.
        call: The call of it that was picked; None for none.
        can_edit: False where it can be looked at and copied, not gone on with.
    """
    tools = tools_of(setup)
    rounds = read_path(path, tools)
    one = round_of(path, rounds, message_id)
    return SessionView(
        transcript=show_transcript(
            path,
            rounds,
            selected=message_id,
            examples=examples_for(tools.names),
            tree=tree,
            call=call,
            can_edit=can_edit,
        ),
        raw=show_round(path, one, family=family_of(setup), call=call),
        tokens=ask_tokens(one),
        calls=show_calls(
            one.reading if one else None,
            one.results if one else {},
            selected_call=call,
            no_result="not run",
            message_id=one.kept.id if one else "",
        ),
        fixes=show_fixes(one.reading if one else None, told=told_of(one), picked_call=call),
        timing=show_timing(rounds, one),
        decision=show_decision(one, call=call),
        differ=ask_differ(one),
    )


def tools_of(setup: RunConfig) -> OfferedTools:
    """The tools that the setup offers; none where its text cannot be read any more."""
    try:
        return setup.offered_tools()
    except BadInput:
        return OfferedTools()


def family_of(setup: RunConfig) -> str | None:
    """The family of the setup's contract; None where it cannot be read."""
    try:
        return setup.contract().family
    except BadInput:
        return None
