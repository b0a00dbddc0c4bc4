"""Contracts and sessions as MCP resources. Only the sessions of the server's owner are among them."""

import json
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.hermes.written_out import written_out

CONTRACT: Final = "workbench://contract/"
SESSION: Final = "workbench://session/"
LISTED: Final = 50
"""Most sessions in the list, the newest first. Others can be read by their address."""


class AgentResource(NamedTuple):
    """A resource in the list."""

    uri: str
    name: str
    description: str
    mime_type: str


class ResourceText(NamedTuple):
    """The content of a resource."""

    text: str
    mime_type: str


def list_resources(services: Services) -> list[AgentResource]:
    """Return the contracts and the newest sessions.

    Raises:
        StoreError: The sessions cannot be read.
    """
    contracts = [
        AgentResource(CONTRACT + quote(name, safe=""), name, f"The contract {name}", "text/markdown")
        for name in services.contract_names()
    ]
    sessions = [
        AgentResource(
            SESSION + listed.id, listed.title or listed.id, "A session with its messages", "application/json"
        )
        for listed in services.sessions.list_sessions(limit=LISTED)
    ]
    return [*contracts, *sessions]


def read_resource(services: Services, uri: str) -> ResourceText:
    """Return the text of a contract, or the messages of a session as JSON.

    Raises:
        BadInput: There is no such resource, or it belongs to somebody else.
        StoreError: It cannot be read.
    """
    if uri.startswith(CONTRACT):
        version = services.contract_version(unquote(uri.removeprefix(CONTRACT)))
        return ResourceText(version.text, "text/markdown")
    session = services.sessions.find_session(uri.removeprefix(SESSION)) if uri.startswith(SESSION) else None
    if session is None:
        raise BadInput(f"resource {uri[:100]!r}", "there is no such resource", "list the resources")
    messages = [
        {"role": stored.message.role.value, "content": written_out(stored.message)}
        for stored in services.sessions.path(session.id)
    ]
    fields = {"id": session.id, "model": session.setup.model, "contract": session.setup.contract_name}
    return ResourceText(json.dumps({**fields, "messages": messages}, ensure_ascii=False), "application/json")
