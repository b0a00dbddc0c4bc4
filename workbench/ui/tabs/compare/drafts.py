"""What was typed and chosen and not compared yet, kept in the browser's own storage."""

from collections.abc import Sequence
from typing import Final

from gradio.blocks import Block

from workbench.ui.listen import Trigger, any_of, listen

_KEY: Final = "'hermes-workbench:compare'"

READ_DRAFT: Final = f"""() => {{
  try {{
    return [localStorage.getItem({_KEY}) || '', localStorage.getItem('hermes-workbench:browser') || ''];
  }} catch {{ return ['', '']; }}
}}"""
"""The form as it was left, as JSON text; the secret that tells this browser from others."""

_KEEP: Final = f"""(...values) => {{
  try {{ localStorage.setItem({_KEY}, JSON.stringify(values)); }} catch {{ /* full or forbidden */ }}
  return [];
}}"""


def keep_drafts(form: Sequence[Block]) -> None:
    """Keeps the form, all of it, whenever a part of it changes."""
    changes: list[Trigger] = [getattr(part, "change") for part in form]  # noqa: B009 - `Block` names no events
    listen(any_of(*changes), None, form, js=_KEEP, is_queued=False)
