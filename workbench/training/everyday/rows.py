"""Draw conversations about everyday tools, and write them as rows."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import Final

from workbench.toolspec.spec import OfferedTools
from workbench.training.everyday.disguise import DISGUISES, disguised, masked
from workbench.training.everyday.drawing import EverydayScene, OfferedFamily
from workbench.training.everyday.exchanges import EVERYDAY_EXCHANGES, EVERYDAY_SHARES
from workbench.training.everyday.family import Family, FamilySplit
from workbench.training.everyday.family_files import families_of
from workbench.training.everyday.tools import EverydayTool
from workbench.training.synth import vocabulary
from workbench.training.synth.conversations import (
    ContractShare,
    SynthConversation,
    SynthSetting,
    draw_contract,
    system_message,
)
from workbench.training.synth.words import Dice, WordList, WordSplit
from workbench.trajectory.trajectory import RowMessage, Trajectory

_FIRST_DAY: Final = date(2024, 1, 1)
_DAYS: Final = 5 * 365
_TOOL_COUNTS: Final = ((1, 2.5), (2, 3.0), (3, 2.5), (4, 1.5), (5, 1.0), (6, 0.5))
_TRIES: Final = 12
"""Maximum number of draws of one exchange, for kinds that the offered families cannot always make."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EverydayOptions:
    """Options for drawing rows about everyday tools."""

    split: FamilySplit
    contracts: tuple[ContractShare, ...]
    kinds: tuple[tuple[str, float], ...] = EVERYDAY_SHARES
    """Kinds of exchanges with their shares."""
    lengths: tuple[tuple[int, float], ...] = ((1, 7.0), (2, 2.0))
    """Numbers of exchanges per conversation with their shares."""
    most_exchanges: int = 2
    """Maximum number of exchanges."""
    most_tools: int = 6
    """Maximum number of offered families."""
    together: int = 1
    """Maximum number of consecutive conversations with the same contract and tools."""
    disguised: float = 0.0
    """Share of offered variants that are disguised: with other names and shapes."""
    masked: float = 0.0
    """Share of offered variants whose tools have names without a meaning."""
    dated: float = 0.75
    """Share of conversations whose system text says today's date. In the others, dates are said with their year."""

    def drawing(self, seed: int) -> Callable[[int], SynthConversation | None]:
        """Return a function that draws the conversation with a number. It keeps the setting of the last one."""
        families = families_of(self.split)

        @lru_cache(maxsize=1)
        def setting(number: int) -> EverydaySetting:
            dice = Dice("everyday setting", self.split, seed, number)
            return draw_everyday_setting(dice, self, families)

        return lambda number: draw_everyday_conversation(
            Dice("everyday row", self.split, seed, number), self, setting(number // self.together), families
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EverydaySetting:
    """The contract, tools and day of one or more conversations."""

    base: SynthSetting
    offered: tuple[OfferedFamily, ...]
    today: date | None


def words_of_split(split: FamilySplit) -> WordList:
    """Return the words that a split of families uses."""
    return WordList(WordSplit.TRAIN if split is FamilySplit.TRAIN else WordSplit.TEST)


def draw_everyday_setting(
    dice: Dice, options: EverydayOptions, families: tuple[Family, ...]
) -> EverydaySetting:
    """Draw a contract, a day and tools of one or more families. The same arguments give the same setting."""
    contract, family = draw_contract(dice, options.contracts)
    counts = tuple(entry for entry in _TOOL_COUNTS if entry[0] <= options.most_tools)
    offered = _offered(dice, families, dice.weighted(counts), options)
    tools = [tool for offer in offered for tool in offer.variant]
    specs = OfferedTools(specs=tuple(tool.spec for tool in dice.some(tools, len(tools))))
    day = _FIRST_DAY + timedelta(days=dice.between(0, _DAYS))
    is_dated = dice.chance(options.dated)
    addition = f"Today is {vocabulary.DAYS[day.weekday()]}, {day.isoformat()}." if is_dated else ""
    system = system_message(contract, family, specs, date=day.isoformat(), addition=addition)
    base = SynthSetting(contract=contract, family=family, tools=(), offered=specs, system=system)
    return EverydaySetting(base=base, offered=offered, today=day if is_dated else None)


def _offered(
    dice: Dice, families: tuple[Family, ...], count: int, options: EverydayOptions
) -> tuple[OfferedFamily, ...]:
    """Draw families that may be offered together, and a variant of each. No two tools have the same name.

    The dice are rolled for all families, so that the same seed gives the same rows as in earlier versions.
    """
    offered: list[OfferedFamily] = []
    names: set[str] = set()
    for family in dice.some(families, len(families)):
        place = dice.between(0, len(family.variants) - 1)
        variant = family.variants[place]
        is_wanted = len(offered) < count and all(family.may_join(offer.family) for offer in offered)
        if options.disguised and dice.chance(options.disguised):
            number = dice.between(0, DISGUISES - 1)
            if is_wanted:
                variant = _disguised_variant(options.split, family.name, place, number)
        if options.masked and dice.chance(options.masked):
            variant = masked(dice, variant, words_of_split(options.split))
        own = {tool.name for tool in variant}
        if is_wanted and not own & names:
            offered.append(OfferedFamily(family, variant))
            names |= own
    return tuple(offered)


@cache
def _disguised_variant(split: FamilySplit, name: str, place: int, number: int) -> tuple[EverydayTool, ...]:
    family = next(family for family in families_of(split) if family.name == name)
    return disguised(family, place, number, words_of_split(split))


def draw_everyday_conversation(
    dice: Dice, options: EverydayOptions, setting: EverydaySetting, families: tuple[Family, ...]
) -> SynthConversation | None:
    """Draw a conversation in a setting, or None if the offered families cannot make the drawn kinds."""
    lengths = tuple(length for length in options.lengths if length[0] <= options.most_exchanges)
    offered_names = {offer.family.name for offer in setting.offered}
    scene = EverydayScene(
        dice=dice,
        words=words_of_split(options.split),
        offered=setting.offered,
        others=tuple(family for family in families if family.name not in offered_names),
        today=setting.today,
    )
    kinds: list[str] = []
    messages: list[RowMessage] = []
    for _ in range(dice.weighted(lengths)):
        kind = dice.weighted(options.kinds)
        exchange = next(filter(None, (EVERYDAY_EXCHANGES[kind](scene) for _ in range(_TRIES))), None)
        if exchange is None:
            return None
        kinds.append(kind)
        messages += exchange
    base = setting.base
    columns = {
        "source": "everyday",
        "contract": {"name": base.contract.name, "fingerprint": base.contract.fingerprint},
        "family": base.family,
    }
    trajectory = Trajectory(messages=(base.system, *messages), tools=base.offered, columns=columns)
    return SynthConversation(trajectory=trajectory, kinds=tuple(kinds), family=base.family)
