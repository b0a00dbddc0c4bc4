"""Plan a comparison from names: which turns are answered, and with which settings in each column."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from workbench.app.services import Services
from workbench.chat.message import Message, Role
from workbench.errors import BadInput
from workbench.records.comparisons import Column, Comparison, StoredComparison, check_count
from workbench.records.run_config import RunConfig
from workbench.records.session_tree import newest_leaf
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage
from workbench.rollout.sampling import Sampling
from workbench.toolspec.tools_text import render_tools

TAG: Final = "compared"
"""The tag of a session that was made to compare answers to a question."""
LETTERS: Final = "ABCD"
"""What a person calls the columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRequest:
    """One way to answer, as it is asked for."""

    contract: str = ""
    """Such as `minimal`, `minimal@3` or `minimal@production`; empty takes the base's text as it stands."""
    model: str
    """As `--model` takes it."""
    tool_choice: str = "auto"
    """none, auto, required, or a tool's name."""
    sampling: Sampling = Sampling()
    """How tokens are chosen."""
    is_constrained: bool = True
    """False: without a grammar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Turns of a stored session."""

    session_id: str
    message_id: str | None = None
    """Any message of the turn; None takes the last turn of the open path."""
    is_whole: bool = False
    """True: all turns of the path on which the message stands."""
    goes_on: bool = False
    """With `is_whole`: a column answers each turn behind its own answers."""


def compare_question(
    services: Services, question: str, tools: Sequence[str], base: RunConfig, wanted: Sequence[ColumnRequest]
) -> StoredComparison:
    """A comparison on a question, in a session of its own; nothing is written where it cannot be used.

    Args:
        tools: Toolsets, tools and files that are offered.
        base: What the columns do not say.
        wanted: The columns.

    Raises:
        BadInput: There is no question, or a contract or a tool is not there.
        StoreError: It could not be written.
    """
    if not question.strip():
        raise BadInput("comparison", "there is no question", "write one, or choose a turn of a session")
    offered = services.tools.select(tuple(tools)) if tools else None
    setup = replace(
        base, tools_text=render_tools(offered) if offered else "[]", disabled_tools=frozenset(), ephemeral=""
    )
    columns = _columns(services, setup, wanted)
    first = columns[0].setup
    # Told without loading the model: where it is wrong, the column's answers get a path of their own.
    writes_tools = services.models.status(first.model).writes_tools
    system = first.system_text(date=services.today(), are_tools_apart=writes_tools)
    said = [Message(role=Role.SYSTEM, text=system), Message(role=Role.USER, text=question)]
    session = services.sessions.create_session(first)
    kept = services.sessions.append_all(
        session.id, [NewMessage(message=one, origin=MessageOrigin.PERSON) for one in said], parent_id=None
    )
    services.sessions.tag_session(session.id, (TAG,))
    comparison = Comparison(session_id=session.id, turns=(kept[-1].id,), columns=columns)
    return services.comparisons.create_comparison(question, comparison)


def compare_turns(services: Services, turns: Turns, wanted: Sequence[ColumnRequest]) -> StoredComparison:
    """A comparison on turns of a stored session, with its tools.

    Raises:
        BadInput: Nobody asked anything there, or a contract is not there.
        StoreError: There is no such session or message, or it could not be written.
    """
    session = services.sessions.find_session(turns.session_id)
    if session is None:
        raise BadInput(f"session {turns.session_id!r}", "there is no such session", "choose another")
    asked = turns_of(services, turns)
    comparison = Comparison(
        session_id=session.id,
        turns=tuple(kept.id for kept in asked),
        columns=_columns(services, session.setup, wanted),
        goes_on=turns.goes_on and turns.is_whole,
    )
    return services.comparisons.create_comparison(asked[0].message.text, comparison)


def turns_of(services: Services, turns: Turns) -> tuple[StoredMessage, ...]:
    """The user's messages that are meant, in order.

    Raises:
        BadInput: Nobody asked anything there.
        StoreError: There is no such session or message.
    """
    leaf_id = turns.message_id
    if turns.is_whole and leaf_id is not None:
        shown = services.sessions.path(turns.session_id)
        is_open = any(kept.id == leaf_id for kept in shown)
        tree = () if is_open else services.sessions.tree(turns.session_id)
        leaf_id = None if is_open else newest_leaf(tree, leaf_id)
    path = services.sessions.path(turns.session_id, leaf_id=leaf_id)
    found = tuple(kept for kept in path if kept.message.role is Role.USER)
    if not found:
        raise BadInput(f"session {turns.session_id!r}", "nobody asked anything there", "choose another turn")
    return found if turns.is_whole else found[-1:]


def _columns(services: Services, base: RunConfig, wanted: Sequence[ColumnRequest]) -> tuple[Column, ...]:
    check_count(len(wanted))
    return tuple(_column(services, base, one, LETTERS[place]) for place, one in enumerate(wanted))


def _column(services: Services, base: RunConfig, wanted: ColumnRequest, letter: str) -> Column:
    setup = replace(
        base,
        model=wanted.model,
        tool_choice=wanted.tool_choice,
        sampling=wanted.sampling,
        is_constrained=wanted.is_constrained,
        wants_logprobs=False,
    )
    try:
        if wanted.contract:
            version = services.contract_version(wanted.contract)
            setup = replace(setup, contract_name=version.name, contract_text=version.text)
        setup.system_text(date=services.today())
    except BadInput as error:
        raise BadInput(f"column {letter}, {error.where}", error.problem, error.remedy) from error
    return Column(contract=wanted.contract, setup=setup)
