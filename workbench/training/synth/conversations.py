"""Conversations: several exchanges over some tools, under a contract."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

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
from workbench.trajectory.validate.duplicates import MOST_BITS, fingerprint_row
from workbench.trajectory.validate.rows_check import RowsCheck
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
"""Kinds of parameters that a family cannot spell: a type beside null has no word in its signatures."""


class ContractShare(NamedTuple):
    """A contract, and how often rows stand under it."""

    contract: Contract
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthOptions:
    """What rows are made of."""

    split: WordSplit
    """Whose words, tools and grammars."""
    contracts: tuple[ContractShare, ...]
    kinds: tuple[tuple[str, float], ...] = SHARES
    """Kinds of exchanges with their shares."""
    lengths: tuple[tuple[int, float], ...] = ((1, 4.0), (2, 3.0), (3, 2.0), (4, 1.0))
    """Numbers of exchanges with their shares."""
    most_exchanges: int = 4
    """So many of them at most."""
    no_tools: float = 0.06
    """Share of rows without any tool."""
    most_tools: int = 5
    """So many tools at most."""
    together: int = 1
    """So many conversations at most share contract and tools, one behind the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthConversation:
    """A conversation, and what it was drawn as."""

    trajectory: Trajectory = field(hash=False)
    """As training rows mean it."""
    kinds: tuple[str, ...]
    """Of its exchanges, in order."""
    family: str
    """In whose spelling tools and results stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthSetting:
    """Contract and tools that conversations may share."""

    contract: Contract
    """Whose text the system turn is."""
    family: str
    tools: tuple[Tool, ...]
    offered: OfferedTools
    """The same, as a model is told of it."""
    system: RowMessage


def draw_setting(dice: Dice, terms: SynthOptions) -> SynthSetting | None:
    """Contract and tools; None for a chat without any. The same dice and terms give the same."""
    if dice.chance(terms.no_tools):
        return None
    contract, family = _contract(dice, terms)
    tools = _tools(dice, WordList(terms.split), terms, _UNFIT.get(family, frozenset()))
    offered = OfferedTools(specs=tuple(tool.spec for tool in tools))
    system = _system(dice, contract, family, offered)
    return SynthSetting(contract=contract, family=family, tools=tools, offered=offered, system=system)


def draw_conversation(dice: Dice, terms: SynthOptions, setting: SynthSetting | None) -> SynthConversation:
    """One conversation in a setting; the same arguments give the same."""
    words = WordList(terms.split)
    if setting is None:
        return _plain(dice, words)
    kinds = _kinds(dice, terms)
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
    """A chat without tools."""
    scene = Scene(dice=dice, words=words, tools=())
    count = dice.weighted(((1, 3.0), (2, 3.0), (3, 2.0)))
    messages = [message for _ in range(count) for message in EXCHANGES["chat"](scene)]
    system = dice.pick(_PLAIN_SYSTEMS)
    begun = [RowMessage(role=Role.SYSTEM, parts=(Prose(text=system),), text=system)] if system else []
    columns = {"source": "synth", "contract": None, "family": "hermes-lines"}
    trajectory = Trajectory(messages=(*begun, *messages), columns=columns)
    return SynthConversation(trajectory=trajectory, kinds=("chat",) * count, family="hermes-lines")


def _contract(dice: Dice, terms: SynthOptions) -> tuple[Contract, str]:
    """A contract, and the family that spells its tools: its own, or its kin of the other spelling."""
    contract = dice.weighted(terms.contracts)
    sane = family_named(contract.family).sane_name
    other = sane or _ARRAY
    return contract, other if dice.chance(0.3) else contract.family


def _tools(dice: Dice, words: WordList, terms: SynthOptions, unfit: frozenset[str]) -> tuple[Tool, ...]:
    count = dice.weighted(
        tuple((n, s) for n, s in ((1, 2.5), (2, 3.5), (3, 2.0), (4, 1.0), (5, 0.5)) if n <= terms.most_tools)
    )
    found: dict[str, Tool] = {}
    while len(found) < count:
        near = dice.pick(list(found.values())) if found and dice.chance(0.3) else None
        tool = draw_neighbour(dice, words, near) if near else draw_tool(dice, words)
        if not any(param.kind in unfit for param in tool.params):
            found.setdefault(tool.name, tool)
    return tuple(dice.some(tuple(found.values()), count))


def _kinds(dice: Dice, terms: SynthOptions) -> Sequence[str]:
    lengths = tuple(one for one in terms.lengths if one[0] <= terms.most_exchanges)
    kinds = [dice.weighted(terms.kinds) for _ in range(dice.weighted(lengths))]
    return [*kinds, "thanks"] if len(kinds) > 1 and dice.chance(0.06) else kinds


def _system(dice: Dice, contract: Contract, family: str, offered: OfferedTools) -> RowMessage:
    date = f"{dice.between(2024, 2028)}-{dice.between(1, 12):02d}-{dice.between(1, 28):02d}"
    text = compose(replace(contract, family=family), offered, variables={"date": date})
    # Where the text is nothing but a family's own sentences around the tools, the row itself says nothing.
    own = split_system(text).own
    return RowMessage(role=Role.SYSTEM, parts=(Prose(text=own),) if own else (), text=text)


_MOST_TRIES: Final = 200
"""So many draws for one row that is like no other; then the grammars are exhausted."""


def synth_rows(seed: int, count: int, terms: SynthOptions) -> Iterator[JsonObject]:
    """`count` rows in the form `sharegpt`, each sound, no two of them almost the same.

    The same arguments give the same rows, and more of them begin with these.

    Raises:
        BadInput: The grammars have no further row that is like no other.
    """
    for drawn, row in _unlike(seed, count, terms):
        yield {**row, "kinds": list(drawn.kinds)}


def draw_rows(seed: int, count: int, terms: SynthOptions) -> Iterator[SynthConversation]:
    """The conversations of `synth_rows`, as they were drawn."""
    for drawn, _ in _unlike(seed, count, terms):
        yield drawn


def _unlike(seed: int, count: int, terms: SynthOptions) -> Iterator[tuple[SynthConversation, JsonObject]]:
    sharegpt, writing = format_named(DEFAULT_FORMAT), RowOptions()
    exact: set[int] = set()
    sketches = np.zeros(count, dtype=np.uint64)
    check = RowsCheck()
    made = tries = place = 0
    setting: SynthSetting | None = None
    while made < count:
        if place % terms.together == 0:
            setting = draw_setting(Dice("setting", terms.split, seed, place // terms.together), terms)
        drawn = draw_conversation(Dice("row", terms.split, seed, place), terms, setting)
        place += 1
        row = write_row(drawn.trajectory, sharegpt, writing).row
        read = sharegpt.read(row) if row else None
        tries += 1
        if tries > _MOST_TRIES:
            raise BadInput("synth", f"no further row after {made} that is like no other", "ask for fewer")
        if row is None or read is None or check.check(read):
            continue
        like = fingerprint_row(read)
        known = sketches[:made]
        if like.exact in exact or _is_near(known, like.sketch):
            continue
        exact.add(like.exact)
        sketches[made] = like.sketch
        made, tries = made + 1, 0
        yield drawn, row


def _is_near(known: "np.ndarray[tuple[int], np.dtype[np.uint64]]", sketch: int) -> bool:
    return bool((np.bitwise_count(known ^ np.uint64(sketch)) <= MOST_BITS).any())
