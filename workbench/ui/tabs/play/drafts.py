"""What was typed and not sent, kept in the browser's own storage; the server never writes it down."""

from typing import Final

from gradio.blocks import Block

from workbench.ui.components.fields import TextField
from workbench.ui.listen import Trigger, listen
from workbench.ui.tabs.play.setup_column import SetupParts

_KEY: Final = "'hermes-workbench:draft:' + (new URLSearchParams(location.search).get('session') || '')"

_SECRET: Final = "'hermes-workbench:browser'"

_EDITING: Final = "'hermes-workbench:editing'"
"""Where `message_pane.js` keeps which message is edited."""

READ_BROWSER: Final = f"""() => {{
  let draft = '', secret = '';
  try {{
    draft = localStorage.getItem({_KEY}) || '';
    secret = localStorage.getItem({_SECRET}) || '';
    const editing = localStorage.getItem({_EDITING});
    const session = new URLSearchParams(location.search).get('session');
    if (editing && session && JSON.parse(editing).session === session)
      draft = JSON.stringify({{ ...JSON.parse(draft || '{{}}'), editing }});
  }} catch {{ /* forbidden: what this visitor makes is theirs as long as the page is open */ }}
  if (!secret) {{
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    secret = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    try {{ localStorage.setItem({_SECRET}, secret); }} catch {{ }}
  }}
  return [draft, secret];
}}"""
"""The draft of the session that the address bar names, as JSON text, and which message is edited; the secret
that tells this browser from others, made where there is none."""

_KEEP: Final = f"""(value) => {{
  try {{
    const key = {_KEY};
    const draft = JSON.parse(localStorage.getItem(key) || '{{}}');
    draft['NAME'] = VALUE || undefined;
    localStorage.setItem(key, JSON.stringify(draft));
  }} catch {{ /* storage is full or forbidden: the draft lives as long as the page */ }}
  return [];
}}"""
_DROP: Final = f"() => {{ try {{ localStorage.removeItem({_KEY}); }} catch {{ }} return []; }}"


def keep_drafts(composer: TextField, setup: SetupParts) -> None:
    """Keeps what is typed; a contract, a version or a toolset that is chosen drops the draft that it replaces."""
    # Not `input`: the first one behind a change from here is swallowed, and a paste is one.
    _keep(composer.change, composer, "composer", "value")
    _keep(setup.contract.contract_text.input, setup.contract.contract_text, "contract_text", "value")
    _keep(setup.contract.ephemeral.input, setup.contract.ephemeral, "ephemeral", "value")
    _keep(setup.contract.variables.input, setup.contract.variables, "variables", "value")
    _keep(setup.tools.tools_text.input, setup.tools.tools_text, "tools_text", "value")
    _keep(setup.contract.contract.input, setup.contract.contract, "contract_text", "undefined")
    restored = setup.contract.versions.event("restore_version")
    _keep(restored, setup.contract.contract, "contract_text", "undefined")
    _keep(setup.tools.toolset.input, setup.tools.toolset, "tools_text", "undefined")


def drop_draft(trigger: Trigger) -> None:
    """Forgets the open session's draft."""
    listen(trigger, None, js=_DROP, is_queued=False)


def _keep(trigger: Trigger, part: Block, name: str, value: str) -> None:
    listen(trigger, None, [part], js=_KEEP.replace("NAME", name).replace("VALUE", value), is_queued=False)
