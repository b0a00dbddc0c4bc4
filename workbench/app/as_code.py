"""A kept round as code that asks for it again: curl, Python with the openai client, a verb of the workbench."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pprint import pformat
from typing import Final

from workbench.app.services import Services
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Conversation, Message, Role
from workbench.errors import BadInput
from workbench.hermes.chat_request import to_chat_request
from workbench.hermes.spelling.chatml import TURN_CLOSE
from workbench.records.sessions import KeptMessage
from workbench.records.setup import Setup
from workbench.records.versions import VersionKind, hash_of
from workbench.rollout.events import Generation
from workbench.toolspec.tools_text import render_tools

LOCAL_URL: Final = "http://127.0.0.1:8080/v1"
"""Where llama-server listens unless it is told otherwise."""
OPENAI: Final = "openai:"
"""Begins the name of a model that a server has."""
END: Final = "JSON"
"""Ends a text on standard input; JSON on one line never has a line of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundCode:
    """One round, said three ways."""

    curl: str
    """For a shell."""
    python: str
    """A whole program."""
    verb: str
    """For a shell; `workbench` must be on the path."""
    is_whole: bool
    """False where the verb goes on with the session, for it cannot be given the conversation so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    path: str
    """Behind the server's address."""
    body: Mapping[str, JsonValue] = field(hash=False)


def code_of(
    services: Services, session_id: str, setup: Setup, path: Sequence[KeptMessage], message_id: str
) -> RoundCode:
    """The round of a message as code. No key stands in it: it is read from the environment.

    Args:
        services: The edges.
        session_id: The session.
        setup: The session's.
        path: The message's, from the root on.
        message_id: A model's message.

    Raises:
        BadInput: No model wrote that message, or the tools cannot be read.
        StoreError: The versions cannot be read.
    """
    ids = [kept.id for kept in path]
    place = ids.index(message_id) if message_id in ids else -1
    made = path[place].generation if place >= 0 else None
    if made is None:
        raise BadInput("code", "no model wrote this message", "pick one that a model wrote")
    before = [kept.message for kept in path[:place]]
    request = _request(setup, made, before)
    url = services.settings.openai_base_url if setup.model.startswith(OPENAI) else ""
    users = [message.text for message in before if message.role is Role.USER]
    contract = _contract(services, setup)
    is_whole = contract is not None and len(users) == 1
    begun = ["--contract", contract] if is_whole and contract else ["--session", session_id]
    return RoundCode(
        curl=_curl(request, url or LOCAL_URL),
        python=_python(request, url or LOCAL_URL),
        verb=_verb(services, setup, made, begun, users[-1] if users else "", is_whole=is_whole),
        is_whole=is_whole,
    )


def _request(setup: Setup, made: Generation, before: Sequence[Message]) -> _Request:
    """The body that a server with OpenAI's protocol takes: the exact text, or messages where a server renders."""
    sampling = made.sampling
    body: dict[str, JsonValue] = {
        "model": made.engine_name.removeprefix(OPENAI),
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
    }
    if made.is_exact:
        stops = [TURN_CLOSE, *(text for text in sampling.stop if text != TURN_CLOSE)]
        return _Request(
            path="completions", body={**body, "prompt": made.prompt_text + made.prefill, "stop": stops}
        )
    tools = setup.offered_tools().specs
    offered: JsonObject = {"tools": [spec.document for spec in tools]} if tools else {}
    messages = to_chat_request(Conversation(messages=tuple(before)))
    return _Request(path="chat/completions", body={**body, "messages": [*messages], **offered})


def _curl(request: _Request, url: str) -> str:
    return (
        f'curl -sS "${{OPENAI_BASE_URL:-{url}}}/{request.path}" \\\n'
        '  -H "Content-Type: application/json" \\\n'
        '  -H "Authorization: Bearer ${OPENAI_API_KEY:-none}" \\\n'
        f"  --data-binary @- <<'{END}'\n{json.dumps(request.body, ensure_ascii=False)}\n{END}\n"
    )


def _python(request: _Request, url: str) -> str:
    is_text = request.path == "completions"
    fields = "\n".join(f"    {name}={_literal(value)}," for name, value in request.body.items())
    return (
        "import os\n\nfrom openai import OpenAI\n\n"
        "client = OpenAI(\n"
        f'    base_url=os.environ.get("OPENAI_BASE_URL", {url!r}),\n'
        '    api_key=os.environ.get("OPENAI_API_KEY", "none"),\n'
        ")\n"
        f"completion = client.{'completions' if is_text else 'chat.completions'}.create(\n{fields}\n)\n"
        f"print(completion.choices[0].{'text' if is_text else 'message'})\n"
    )


def _literal(value: JsonValue) -> str:
    """A value as Python spells it, long texts a line each."""
    if isinstance(value, str) and "\n" in value:
        lines = value.splitlines(keepends=True)
        return "(\n" + "".join(f"        {line!r}\n" for line in lines) + "    )"
    return pformat(value, width=100, sort_dicts=False).replace("\n", "\n        ")


def _verb(
    services: Services, setup: Setup, made: Generation, begun: Sequence[str], said: str, *, is_whole: bool
) -> str:
    sampling = made.sampling
    options = [*begun]
    if is_whole:
        options += ["--model", setup.model]
    options += ["--tool-choice", setup.tool_choice, "--temperature", f"{sampling.temperature:g}"]
    options += ["--seed", str(sampling.seed), "--max-tokens", str(sampling.max_tokens)]
    options += ["--max-rounds", str(setup.max_rounds)]
    tools = _toolset(services, setup) if is_whole else ""
    if tools is not None:
        options += ["--tools", tools] if tools else []
        return f"{shlex.join(['workbench', 'chat', *options, '--', said])}\n"
    options += ["--tools", "/dev/stdin"]
    text = json.dumps([spec.document for spec in setup.offered_tools().specs], ensure_ascii=False)
    return f"{shlex.join(['workbench', 'chat', *options, '--', said])} <<'{END}'\n{text}\n{END}\n"


def _toolset(services: Services, setup: Setup) -> str | None:
    """The name of the toolset that is offered, all of it; None where it is no toolset's."""
    if setup.disabled_tools:
        return None
    toolsets = services.tools.toolsets()
    return next((name for name, tools in toolsets.items() if render_tools(tools) == setup.tools_text), None)


def _contract(services: Services, setup: Setup) -> str | None:
    """How a verb names the contract; None where its text is no version's."""
    text_hash = hash_of(setup.contract_text)
    version = services.versions.find(VersionKind.CONTRACT, setup.contract_name, text_hash)
    if version is None or setup.ephemeral:
        return None
    return f"{version.name}@{version.number}"
