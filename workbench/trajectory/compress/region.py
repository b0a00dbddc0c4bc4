"""Which entries a summary replaces."""

from collections.abc import Sequence
from typing import NamedTuple

from workbench.chat.message import Role
from workbench.trajectory.compress.settings import CompressionSettings


class Region(NamedTuple):
    """Entries `[start, end)`."""

    start: int
    end: int


def find_region(roles: Sequence[Role], tokens: Sequence[int], settings: CompressionSettings) -> Region | None:
    """The stretch to replace, as short as the target allows; None where nothing can be gained.

    It lies between what must stay at the beginning and at the end. No border of it stands before results, so
    that these stay on the side of their calls.

    Args:
        roles: Whose each entry is; the results of one round are one entry.
        tokens: Length of each.
        settings: What is wanted.

    *Source:* `trajectory_compressor.py` of hermes-agent, as told in `docs/reference/formats.md`.
    """
    first, last = _open_stretch(roles, settings)
    start = _off_results(roles, first, first, last)
    wanted = sum(tokens) - settings.target_max_tokens + settings.summary_target_tokens
    end, saved = start, 0
    while end < last and saved < wanted:
        saved += tokens[end]
        end += 1
    end = _off_results(roles, end, start, last)
    if end <= start or sum(tokens[start:end]) <= settings.summary_target_tokens:
        return None
    return Region(start, end)


def _open_stretch(roles: Sequence[Role], settings: CompressionSettings) -> Region:
    """What lies between the last protected entry of the first half and the first of the second."""
    count = len(roles)
    wanted = {
        Role.SYSTEM: settings.first_system,
        Role.USER: settings.first_human,
        Role.ASSISTANT: settings.first_gpt,
        Role.TOOL: settings.first_tool,
    }
    protected = {roles.index(role) for role, is_wanted in wanted.items() if is_wanted and role in roles}
    protected.update(range(max(0, count - settings.last_n_turns), count))
    head = [place for place in protected if place < count // 2]
    tail = [place for place in protected if place >= count // 2]
    return Region(max(head) + 1 if head else 0, min(tail) if tail else count)


def _off_results(roles: Sequence[Role], place: int, least: int, most: int) -> int:
    """The next place from `place` on that is not before results; where there is none, the last before it."""

    def is_clean(index: int) -> bool:
        return index >= len(roles) or roles[index] is not Role.TOOL

    for index in range(place, most + 1):
        if is_clean(index):
            return index
    return next((index for index in range(place, least - 1, -1) if is_clean(index)), least)
