"""Plan a comparison from names: which turns are answered, and with which setup in each column."""

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
from workbench.records.versions import name_in
from workbench.rollout.sampling import Sampling
from workbench.toolspec.tools_text import render_tools

TAG: Final = "compared"
"""The tag of sessions that were created to compare answers to a question."""
LETTERS: Final = "ABCD"
"""The columns' names on the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRequest:
    """The requested setup of one column."""

    contract: str = ""
    """Such as `minimal`, `minimal@3` or `minimal@production`. Empty uses the contract of the base setup."""
    draft: str | None = None
    """The text of `contract` if that is a draft."""
    model: str
    """A name as in `--model`."""
    tool_choice: str = "auto"
    """`none`, `auto`, `required`, or the name of a tool."""
    sampling: Sampling = Sampling()
    is_constrained: bool = True
    """Whether forced calls are constrained by a grammar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Turns of a stored session."""

    session_id: str
    message_id: str | None = None
    """Any message of the turn. None takes the last turn of the open path."""
    is_whole: bool = False
    """True takes all turns of the message's path."""
    goes_on: bool = False
    """With `is_whole`: True continues each column from its own earlier answers."""


def compare_question(
    services: Services,
    question: str,
    tools: Sequence[str],
    base: RunConfig,
    requests: Sequence[ColumnRequest],
) -> StoredComparison:
    """Create a comparison on a question, in a new session. On an error, nothing is stored.

    Args:
        tools: The offered toolsets, tools and files.
        base: The setup for everything that a column does not set.
        requests: The columns.

    Raises:
        BadInput: The question is empty, or a contract or a tool does not exist.
        StoreError: The comparison could not be written.
    """
    if not question.strip():
        raise BadInput("comparison", "there is no question", "write one, or choose a turn of a session")
    offered = services.tools.select(tuple(tools)) if tools else None
    setup = replace(
        base, tools_text=render_tools(offered) if offered else "[]", disabled_tools=frozenset(), ephemeral=""
    )
    columns = _columns(services, setup, requests)
    first = columns[0].setup
    # The status is known without loading the model. If it turns out wrong, the column's answers get another path.
    writes_tools = services.models.status(first.model).writes_tools
    system = first.parsed().system_text(date=services.today(), are_tools_apart=writes_tools)
    messages = [Message(role=Role.SYSTEM, text=system), Message(role=Role.USER, text=question)]
    session = services.sessions.create_session(first)
    stored = services.sessions.append_all(
        session.id,
        [NewMessage(message=message, origin=MessageOrigin.PERSON) for message in messages],
        parent_id=None,
    )
    services.sessions.tag_session(session.id, (TAG,))
    comparison = Comparison(session_id=session.id, turns=(stored[-1].id,), columns=columns)
    return services.comparisons.create_comparison(question, comparison)


def compare_turns(services: Services, turns: Turns, requests: Sequence[ColumnRequest]) -> StoredComparison:
    """Create a comparison on turns of a stored session, with the session's tools.

    Raises:
        BadInput: There is no user message, or a contract does not exist.
        StoreError: The session or message does not exist, or the comparison could not be written.
    """
    session = services.sessions.find_session(turns.session_id)
    if session is None:
        raise BadInput("the chosen turn", "there is no such session", "choose a turn of another session")
    questions = turns_of(services, turns)
    comparison = Comparison(
        session_id=session.id,
        turns=tuple(stored.id for stored in questions),
        columns=_columns(services, session.setup, requests),
        goes_on=turns.goes_on and turns.is_whole,
    )
    return services.comparisons.create_comparison(questions[0].message.text, comparison)


def turns_of(services: Services, turns: Turns) -> tuple[StoredMessage, ...]:
    """Return the user messages of the turns, first to last.

    Raises:
        BadInput: There is no user message.
        StoreError: The session or message does not exist.
    """
    leaf_id = turns.message_id
    if turns.is_whole and leaf_id is not None:
        open_path = services.sessions.path(turns.session_id)
        is_open = any(stored.id == leaf_id for stored in open_path)
        tree = () if is_open else services.sessions.tree(turns.session_id)
        leaf_id = None if is_open else newest_leaf(tree, leaf_id)
    path = services.sessions.path(turns.session_id, leaf_id=leaf_id)
    questions = tuple(stored for stored in path if stored.message.role is Role.USER)
    if not questions:
        raise BadInput("the chosen turn", "there is no user message here", "choose another turn")
    return questions if turns.is_whole else questions[-1:]


def _columns(services: Services, base: RunConfig, requests: Sequence[ColumnRequest]) -> tuple[Column, ...]:
    check_count(len(requests))
    return tuple(_column(services, base, request, LETTERS[place]) for place, request in enumerate(requests))


def _column(services: Services, base: RunConfig, request: ColumnRequest, letter: str) -> Column:
    setup = replace(
        base,
        model=request.model,
        tool_choice=request.tool_choice,
        sampling=request.sampling,
        is_constrained=request.is_constrained,
        wants_logprobs=False,
    )
    try:
        if request.draft is not None:
            setup = replace(setup, contract_name=name_in(request.contract), contract_text=request.draft)
        elif request.contract:
            version = services.contract_version(request.contract)
            setup = replace(setup, contract_name=version.name, contract_text=version.text)
        setup.parsed().system_text(date=services.today())
    except BadInput as error:
        raise BadInput(f"column {letter}, {error.where}", error.problem, error.remedy) from error
    return Column(contract=request.contract, setup=setup)
