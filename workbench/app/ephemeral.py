"""The part of a system text that the model sees and nobody else is handed."""

from dataclasses import replace
from typing import Final

from workbench.app.kept import KeptMessage
from workbench.rollout.events import Generation

SEPARATOR: Final = "\n\n"
"""Stands between the composed system text and the ephemeral part."""


def with_ephemeral(system_text: str, ephemeral: str) -> str:
    """The system text as the model sees it.

    >>> with_ephemeral("You can call tools.", "The user is Ada.")
    'You can call tools.\\n\\nThe user is Ada.'
    """
    return system_text + SEPARATOR + ephemeral if ephemeral else system_text


def without_ephemeral(kept: KeptMessage) -> KeptMessage:
    """The same message as others may see it; a prompt that had an ephemeral part is not exact any more."""
    if kept.generation is None or not kept.generation.ephemeral:
        return kept
    return replace(kept, generation=_cut(kept.generation))


def _cut(generation: Generation) -> Generation:
    before, found, after = generation.prompt_text.partition(SEPARATOR + generation.ephemeral)
    # Where rendering changed the part, it cannot be told from the rest: then nothing is shown.
    return replace(generation, prompt_text=before + after if found else "", is_exact=False, ephemeral="")
