"""Rows of conversations, one unlike the other."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.training.synth.conversations import Drawn, Setting, Terms, draw_conversation, draw_setting
from workbench.training.synth.dice import Dice
from workbench.trajectory.formats.known import DEFAULT_FORMAT, format_named
from workbench.trajectory.validate.doubles import MOST_BITS, likeness_of
from workbench.trajectory.validate.rows_check import RowsCheck
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.holding import Terms as WritingTerms

_MOST_TRIES: Final = 200
"""So many draws for one row that is like no other; then the grammars are exhausted."""


def synth_rows(seed: int, count: int, terms: Terms) -> Iterator[JsonObject]:
    """`count` rows in the form `sharegpt`, each sound, no two of them almost the same.

    The same arguments give the same rows, and more of them begin with these.

    Raises:
        BadInput: The grammars have no further row that is like no other.
    """
    for drawn, row in _unlike(seed, count, terms):
        yield {**row, "kinds": list(drawn.kinds)}


def draw_rows(seed: int, count: int, terms: Terms) -> Iterator[Drawn]:
    """The conversations of `synth_rows`, as they were drawn."""
    for drawn, _ in _unlike(seed, count, terms):
        yield drawn


def _unlike(seed: int, count: int, terms: Terms) -> Iterator[tuple[Drawn, JsonObject]]:
    sharegpt, writing = format_named(DEFAULT_FORMAT), WritingTerms()
    exact: set[int] = set()
    sketches = np.zeros(count, dtype=np.uint64)
    check = RowsCheck()
    made = tries = place = 0
    setting: Setting | None = None
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
        like = likeness_of(read)
        known = sketches[:made]
        if like.exact in exact or _is_near(known, like.sketch):
            continue
        exact.add(like.exact)
        sketches[made] = like.sketch
        made, tries = made + 1, 0
        yield drawn, row


def _is_near(known: "np.ndarray[tuple[int], np.dtype[np.uint64]]", sketch: int) -> bool:
    return bool((np.bitwise_count(known ^ np.uint64(sketch)) <= MOST_BITS).any())
