"""Draw conversations of several exchanges, with tools and a contract, and write them as rows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import count
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.contract.compose import compose
from workbench.contract.contract import Contract
from workbench.errors import BadInput
from workbench.hermes.spelling.families import family_named
from workbench.toolspec.spec import OfferedTools
from workbench.training.synth.exchanges import EXCHANGES, SHARES
from workbench.training.synth.phrasing import Scene
from workbench.training.synth.tools import Tool, draw_neighbour, draw_tool
from workbench.training.synth.words import Dice, WordList, WordSplit
from workbench.trajectory.formats.known import DEFAULT_FORMAT, format_named
from workbench.trajectory.system_text import split_system
from workbench.trajectory.trajectory import Prose, RowMessage, Trajectory
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.validate.duplicates import MOST_BITS, RowFingerprint, fingerprint_row
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import RowOptions

_ARRAY: Final = "hermes-array"
_PLAIN_SYSTEMS: Final = (
    None,
    None,
    "You are a helpful AI assistant named SmolLM, trained by Hugging Face",
    "You are a helpful assistant.",
    "Answer briefly.",
)
_UNFIT: Final = {"hermes-3": frozenset({"limit"})}
"""Kinds of parameters that a family cannot write. Its signatures cannot express a type combined with null."""


class ContractShare(NamedTuple):
    """A contract and its share of the rows."""

    contract: Contract
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthOptions:
    """Options for drawing rows."""

    split: WordSplit
    """Split whose words, tools and grammars are used."""
    contracts: tuple[ContractShare, ...]
    kinds: tuple[tuple[str, float], ...] = SHARES
    """Kinds of exchanges with their shares."""
    lengths: tuple[tuple[int, float], ...] = ((1, 4.0), (2, 3.0), (3, 2.0), (4, 1.0))
    """Numbers of exchanges per conversation with their shares."""
    most_exchanges: int = 4
    """Maximum number of exchanges."""
    no_tools: float = 0.06
    """Share of rows without tools."""
    most_tools: int = 5
    """Maximum number of tools."""
    together: int = 1
    """Maximum number of consecutive conversations with the same contract and tools."""

    def drawing(self, seed: int) -> Callable[[int], "SynthConversation"]:
        """Return a function that draws the conversation with a number. It keeps the setting of the last one."""

        @lru_cache(maxsize=1)
        def setting(number: int) -> SynthSetting | None:
            return draw_setting(Dice("setting", self.split, seed, number), self)

        return lambda number: draw_conversation(
            Dice("row", self.split, seed, number), self, setting(number // self.together)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthConversation:
    """A drawn conversation."""

    trajectory: Trajectory = field(hash=False)
    kinds: tuple[str, ...]
    """Kinds of its exchanges, in order."""
    family: str
    """Template family that writes tools and results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthSetting:
    """The contract and tools of one or more conversations."""

    contract: Contract
    family: str
    tools: tuple[Tool, ...]
    offered: OfferedTools
    system: RowMessage


def draw_setting(dice: Dice, options: SynthOptions) -> SynthSetting | None:
    """Draw contract and tools, or None for a chat without tools. The same arguments give the same setting."""
    if dice.chance(options.no_tools):
        return None
    contract, family = draw_contract(dice, options.contracts)
    tools = _tools(dice, WordList(options.split), options, _UNFIT.get(family, frozenset()))
    offered = OfferedTools(specs=tuple(tool.spec for tool in tools))
    date = f"{dice.between(2024, 2028)}-{dice.between(1, 12):02d}-{dice.between(1, 28):02d}"
    system = system_message(contract, family, offered, date=date)
    return SynthSetting(contract=contract, family=family, tools=tools, offered=offered, system=system)


def draw_conversation(dice: Dice, options: SynthOptions, setting: SynthSetting | None) -> SynthConversation:
    """Draw a conversation in a setting. The same arguments give the same conversation."""
    words = WordList(options.split)
    if setting is None:
        return _plain(dice, words)
    kinds = _kinds(dice, options)
    scene = Scene(dice=dice, words=words, tools=setting.tools)
    messages = [message for kind in kinds for message in EXCHANGES[kind](scene)]
    contract = setting.contract
    columns = {
        "source": "synth",
        "contract": {"name": contract.name, "fingerprint": contract.fingerprint},
        "family": setting.family,
    }
    trajectory = Trajectory(messages=(setting.system, *messages), tools=setting.offered, columns=columns)
    return SynthConversation(trajectory=trajectory, kinds=tuple(kinds), family=setting.family)


def _plain(dice: Dice, words: WordList) -> SynthConversation:
    """Draw a chat without tools."""
    scene = Scene(dice=dice, words=words, tools=())
    count = dice.weighted(((1, 3.0), (2, 3.0), (3, 2.0)))
    messages = [message for _ in range(count) for message in EXCHANGES["chat"](scene)]
    system = dice.pick(_PLAIN_SYSTEMS)
    system_messages = (
        [RowMessage(role=Role.SYSTEM, parts=(Prose(text=system),), text=system)] if system else []
    )
    columns = {"source": "synth", "contract": None, "family": "hermes-lines"}
    trajectory = Trajectory(messages=(*system_messages, *messages), columns=columns)
    return SynthConversation(trajectory=trajectory, kinds=("chat",) * count, family="hermes-lines")


def draw_contract(dice: Dice, contracts: Sequence[ContractShare]) -> tuple[Contract, str]:
    """Draw a contract and the family that writes its tools: its own, or a variant of it."""
    contract = dice.weighted(contracts)
    sane = family_named(contract.family).sane_name
    other = sane or _ARRAY
    return contract, other if dice.chance(0.3) else contract.family


def _tools(dice: Dice, words: WordList, options: SynthOptions, unfit: frozenset[str]) -> tuple[Tool, ...]:
    count = dice.weighted(
        tuple(
            (n, s) for n, s in ((1, 2.5), (2, 3.5), (3, 2.0), (4, 1.0), (5, 0.5)) if n <= options.most_tools
        )
    )
    tools_by_name: dict[str, Tool] = {}
    while len(tools_by_name) < count:
        near = dice.pick(list(tools_by_name.values())) if tools_by_name and dice.chance(0.3) else None
        tool = draw_neighbour(dice, words, near) if near else draw_tool(dice, words)
        if not any(param.kind in unfit for param in tool.params):
            tools_by_name.setdefault(tool.name, tool)
    return tuple(dice.some(tuple(tools_by_name.values()), count))


def _kinds(dice: Dice, options: SynthOptions) -> Sequence[str]:
    lengths = tuple(length for length in options.lengths if length[0] <= options.most_exchanges)
    kinds = [dice.weighted(options.kinds) for _ in range(dice.weighted(lengths))]
    return [*kinds, "thanks"] if len(kinds) > 1 and dice.chance(0.06) else kinds


def system_message(
    contract: Contract, family: str, offered: OfferedTools, *, date: str, addition: str = ""
) -> RowMessage:
    """Return the system message of a row.

    Args:
        date: The value of the contract's variable `date`.
        addition: Text to append after an empty line; empty for none.
    """
    text = compose(replace(contract, family=family), offered, variables={"date": date})
    text = f"{text.rstrip()}\n\n{addition}" if addition else text
    # If the text consists only of the family's own sentences about the tools, the row has no prose.
    own = split_system(text).own
    return RowMessage(role=Role.SYSTEM, parts=(Prose(text=own),) if own else (), text=text)


_MOST_TRIES: Final = 200
"""Maximum number of draws for a row that differs from all others. Then the grammars are exhausted."""

_Item = TypeVar("_Item")


class Candidate(NamedTuple, Generic[_Item]):
    """A valid row, or what it was drawn from. It may still be a near-duplicate of another one."""

    item: _Item
    likeness: RowFingerprint


NumberedRows = Callable[[Iterable[int]], Iterator[Candidate[JsonObject] | None]]
"""Draws the rows with these numbers, in order; None for a number without a valid row.

A row depends on its number only, not on the other rows, so the numbers can be distributed over processes."""
RowSource = Callable[[NumberedRows], Iterator[Candidate[JsonObject] | None]]
"""Draws the rows with the numbers 0, 1, 2 and so on, without an end."""


class DrawingOptions(Protocol):
    """Options of a generator of conversations."""

    def drawing(self, seed: int) -> Callable[[int], SynthConversation | None]:
        """Return a function that draws the conversation with a number, or None if that is not possible."""
        ...


def drawn_here(draw: NumberedRows) -> Iterator[Candidate[JsonObject] | None]:
    """Draw the rows in this process, when they are asked for. A `RowSource`."""
    return draw(count())


def synth_rows(
    seed: int,
    row_count: int,
    options: DrawingOptions,
    source: RowSource = drawn_here,
    *,
    without: Sequence[RowFingerprint] = (),
) -> Iterator[JsonObject]:
    """Draw `row_count` valid rows in the format `sharegpt`, without near-duplicates.

    The same arguments give the same rows, whatever the source, and a larger count begins with the same rows.

    Args:
        without: Fingerprints of other rows. No row is like one of them.

    Raises:
        BadInput: No further row differs enough from the others.
    """
    return distinct(source(partial(_numbered_rows, seed, options)), row_count, without)


def _numbered_rows(
    seed: int, options: DrawingOptions, numbers: Iterable[int]
) -> Iterator[Candidate[JsonObject] | None]:
    return map(row_candidate, map(options.drawing(seed), numbers))


def draw_rows(seed: int, row_count: int, options: DrawingOptions) -> Iterator[SynthConversation]:
    """Draw the conversations of `synth_rows`."""
    return distinct(map(conversation_candidate, map(options.drawing(seed), count())), row_count)


def conversation_candidate(drawn: SynthConversation | None) -> Candidate[SynthConversation] | None:
    """Return the conversation with the fingerprint of its row, or None if it has no valid row."""
    candidate = row_candidate(drawn)
    return Candidate(drawn, candidate.likeness) if drawn and candidate else None


def row_candidate(drawn: SynthConversation | None) -> Candidate[JsonObject] | None:
    """Write a conversation as a row with the column `kinds`. Return None if that is not possible, or has findings."""
    sharegpt = format_named(DEFAULT_FORMAT)
    row = write_row(drawn.trajectory, sharegpt, RowOptions()).row if drawn else None
    read = sharegpt.read(row) if row else None
    if drawn is None or row is None or read is None or check_completely(read).findings:
        return None
    return Candidate({**row, "kinds": list(drawn.kinds)}, fingerprint_row(read))


def distinct(
    candidates: Iterable[Candidate[_Item] | None], item_count: int, without: Sequence[RowFingerprint] = ()
) -> Iterator[_Item]:
    """Yield the first `item_count` items of which none is a near-duplicate of an earlier one, or of `without`.

    Raises:
        BadInput: No further row differs enough from the others.
    """
    exact = {likeness.exact for likeness in without}
    known = len(without)
    sketches = np.zeros(known + item_count, dtype=np.uint64)
    sketches[:known] = [likeness.sketch for likeness in without]
    yielded = tries = 0
    for candidate in candidates:
        tries += 1
        if tries > _MOST_TRIES:
            raise BadInput(
                "synth", f"the grammars have only {yielded} different rows", "use a smaller --count"
            )
        if candidate is None:
            continue
        likeness = candidate.likeness
        if likeness.exact in exact or _is_near(sketches[: known + yielded], likeness.sketch):
            continue
        exact.add(likeness.exact)
        sketches[known + yielded] = likeness.sketch
        yielded, tries = yielded + 1, 0
        yield candidate.item
        if yielded == item_count:
            return


def _is_near(known: "np.ndarray[tuple[int], np.dtype[np.uint64]]", sketch: int) -> bool:
    return bool((np.bitwise_count(known ^ np.uint64(sketch)) <= MOST_BITS).any())
