"""What tools cost in a prompt, as each family spells them."""

from collections.abc import Callable
from dataclasses import dataclass

from workbench.hermes.spelling.families import FAMILIES
from workbench.toolspec.spec import OfferedTools


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSize:
    """The size of one spelling."""

    families: tuple[str, ...]
    """Families that spell the tools so."""
    chars: int
    """Its length in characters."""
    tokens: int | None
    """Its length in tokens; None where no model is there to count them."""


def tool_sizes(tools: OfferedTools, count: Callable[[str], int] | None) -> tuple[ToolSize, ...]:
    """The tools' size in each spelling that there is, the shortest first.

    Args:
        tools: The tools, all sound.
        count: Tells how many tokens a text has; None where no model is loaded.
    """
    families: dict[str, list[str]] = {}
    for name, family in FAMILIES.items():
        families.setdefault(family.spell_tools(tools), []).append(name)
    sizes = (
        ToolSize(families=tuple(names), chars=len(text), tokens=count(text) if count else None)
        for text, names in families.items()
    )
    return tuple(sorted(sizes, key=lambda size: size.chars))
