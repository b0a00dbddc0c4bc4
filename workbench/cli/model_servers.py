"""`workbench models servers`: list, add, test and remove the servers whose models can be used."""

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import write_json_line
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.settings import Secret, read_settings

if TYPE_CHECKING:
    from workbench.engines.remote.server_book import ServerBook, ServerState

ServerName = Annotated[str, typer.Argument(metavar="SERVER", help="Name of the server")]


def _servers() -> "ServerBook":
    from workbench.wiring import build_servers

    return build_servers(read_settings())


def list_servers(as_json: JsonOption = False) -> None:
    """List the servers with their state.

    These are the servers of the settings and of servers.yaml: what each says about itself, or why it fails.
    """
    servers = _servers()
    servers.lists.ask_all(servers.all)
    for state in servers.states():
        _show(state, as_json=as_json)


def _show(state: "ServerState", *, as_json: bool) -> None:
    server = state.server
    if as_json:
        document: JsonObject = {"name": server.name, "url": server.place, "kind": server.kind.value,
                                "status": state.status.value, "models": [*state.models],
                                "reason": state.reason or None}  # fmt: skip
        write_json_line(document)
        return
    found = state.reason or f"{server.kind}, {', '.join(state.models) or 'no models'}"
    print(shown(f"{server.name or '(settings)'}  {server.place}  {state.status}: {found}"))


def add(
    name: ServerName,
    url: Annotated[
        str, typer.Argument(metavar="URL", help="Address of the server, such as http://host:8000/v1")
    ],
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND", help="openai (any software), vllm, sglang, llama-server, ollama or lm-studio"
        ),
    ] = "openai",
    key_variable: Annotated[
        str, typer.Option(metavar="VARIABLE", help="Environment variable that holds the API key")
    ] = "",
    keyring: Annotated[
        bool, typer.Option("--keyring", help="Ask for the API key, and keep it in the keyring of the system")
    ] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Replace the server of this name")] = False,
    as_json: JsonOption = False,
) -> None:
    """Add a server to servers.yaml, and ask it for its models.

    With --keyring, the key is read from standard input if that is not a terminal.
    """
    from workbench.engines.remote.server import KeyPlace, ServerKind
    from workbench.engines.remote.servers_file import ServerDraft

    if kind not in tuple(ServerKind):
        raise BadInput("--kind", f"unknown kind {kind!r}", f"use one of {', '.join(ServerKind)}")
    place = KeyPlace.KEYRING if keyring else KeyPlace.VARIABLE
    draft = ServerDraft(
        name=name,
        base_url=url,
        kind=ServerKind(kind),
        key=Secret(_entered_key()) if keyring else None,
        key_place=place,
        key_variable=key_variable,
    )
    servers = _servers()
    servers.save(draft, replaces=name if replace and name in servers.named else "")
    _show(next(state for state in servers.states() if state.server.name == name), as_json=as_json)


def _entered_key() -> str:
    key = typer.prompt("API key", hide_input=True) if sys.stdin.isatty() else sys.stdin.readline()
    if not key.strip():
        raise BadInput("API key", "it is empty")
    return str(key).strip()


def test(
    name: ServerName,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="Model on the server; its first one if left out")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Find out what a server can do.

    Also says what is wrong and how to repair it. Sends about twenty short requests. Exit code 1 if something is wrong.
    """
    report = _servers().test(name, model)
    if as_json:
        write_json_line(report.document)
    else:
        print(shown(f"{report.server.place}  {report.model}"))
        for fact in report.facts:
            print(shown(f"{'BAD' if fact in report.problems else 'ok '}  {fact.line}"))
    if report.problems:
        raise typer.Exit(1)


def remove(name: ServerName, as_json: JsonOption = False) -> None:
    """Remove a server from servers.yaml, and its API key from the keyring."""
    _servers().remove(name)
    if as_json:
        write_json_line({"removed": name})
    else:
        print(f"Removed {name}")


GROUP: Final = {
    "list": list_servers,
    "add": add,
    "test": test,
    "rm": remove,
}
"""The commands of `workbench models servers`."""
