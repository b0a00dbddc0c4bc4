"""Show a stored round as code that repeats its request: curl, Python with the openai client, a CLI command."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pprint import pformat
from typing import Final

from workbench.app.services import Services
from workbench.chat.json_value import JsonValue
from workbench.chat.message import Conversation, Message, Role
from workbench.contract.compose import TOOLS_APART
from workbench.engines.all_models import HF_INFERENCE, OPENAI
from workbench.engines.remote.engine import RemoteEngine
from workbench.engines.remote.openai_request import OpenAiRequest, build_request
from workbench.engines.remote.server import DEFAULT_URLS, Mode, Server, ServerKind, ToolsBy
from workbench.errors import BadInput, WorkbenchError
from workbench.records.run_config import RunConfig
from workbench.records.sessions import StoredMessage, with_ephemeral
from workbench.records.versions import VersionKind, hash_of
from workbench.rollout.events import Generation
from workbench.rollout.ports import ChoiceKind, GenerationRequest, ToolChoice
from workbench.toolspec.tools_text import render_tools

_LLAMA_SERVER: Final = Server(
    name="", base_url=DEFAULT_URLS[ServerKind.LLAMA_SERVER], kind=ServerKind.LLAMA_SERVER, mode=Mode.RAW
)
"""Asked in place of an engine that is not a server."""
END: Final = "JSON"
"""Ends a text on standard input; JSON on one line never has a line of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundCode:
    """One round, said three ways."""

    curl: str
    """For a shell."""
    python: str
    command: str
    """For a shell; `workbench` must be on the path."""
    is_whole: bool
    """False where the command goes on with the session, for it cannot be given the conversation so far."""


def code_of(
    services: Services, session_id: str, setup: RunConfig, path: Sequence[StoredMessage], message_id: str
) -> RoundCode:
    """The round of a message as code. No key stands in it: it is read from the environment.

    Args:
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
    system = before[0].text if before else ""
    server, model = _server_of(services, made, system)
    request = build_request(_asked(setup, made, before), server, model)
    users = [message.text for message in before if message.role is Role.USER]
    contract = _contract(services, setup)
    is_whole = contract is not None and len(users) == 1
    begun = ["--contract", contract] if is_whole and contract else ["--session", session_id]
    return RoundCode(
        curl=_curl(request, server.plain_url),
        python=_python(request, server.plain_url),
        command=_command(services, setup, made, begun, users[-1] if users else "", is_whole=is_whole),
        is_whole=is_whole,
    )


def _server_of(services: Services, made: Generation, system: str) -> tuple[Server, str]:
    """The server that wrote a message, asked as it was then, and its name for the model.

    What no server wrote is asked of a llama-server on this machine. A server that is not known any more, or that is
    asked in another mode by now, is given the tools if the system text says that they come apart from it.
    """
    server, model = _LLAMA_SERVER, made.engine_name
    if model.startswith((OPENAI, HF_INFERENCE)):
        try:
            engine = services.models.engine(model)
        except WorkbenchError:
            model = model.partition(":")[2]
            server = Server(name="", base_url=services.settings.openai_base_url or server.base_url)
        else:
            if isinstance(engine, RemoteEngine):
                server, model = engine.server, engine.model
    mode = Mode.RAW if made.is_exact else Mode.CHAT
    if server.mode is mode:
        return server, model
    tools_by = ToolsBy.SERVER if TOOLS_APART in system else ToolsBy.CONTRACT
    return replace(server, mode=mode, tools_by=tools_by), model


def _asked(setup: RunConfig, made: Generation, before: Sequence[Message]) -> GenerationRequest:
    """What the engine was asked when it wrote a message."""
    messages = tuple(before)
    if messages and messages[0].role is Role.SYSTEM:
        seen = with_ephemeral(messages[0].text, made.ephemeral)
        messages = (replace(messages[0], text=seen), *messages[1:])
    kinds = (ChoiceKind.NONE, ChoiceKind.AUTO, ChoiceKind.REQUIRED)
    choice = (
        ToolChoice(kind=ChoiceKind(made.tool_choice))
        if made.tool_choice in kinds
        else ToolChoice(kind=ChoiceKind.NAMED, tool=made.tool_choice)
    )
    return GenerationRequest(
        prompt=made.prompt_text + made.prefill,
        sampling=made.sampling,
        conversation=Conversation(messages=messages),
        tools=setup.offered_tools(),
        tool_choice=choice,
        wants_logprobs=setup.wants_logprobs,
    )


def _curl(request: OpenAiRequest, url: str) -> str:
    return (
        f'curl -sS "${{OPENAI_BASE_URL:-{url}}}/{request.path}" \\\n'
        '  -H "Content-Type: application/json" \\\n'
        '  -H "Authorization: Bearer ${OPENAI_API_KEY:-none}" \\\n'
        f"  --data-binary @- <<'{END}'\n{json.dumps(request.body, ensure_ascii=False)}\n{END}\n"
    )


def _python(request: OpenAiRequest, url: str) -> str:
    is_text = request.path == "completions"
    named = {**request.fields, **({"extra_body": request.own} if request.own else {})}
    fields = "\n".join(f"    {name}={_literal(value)}," for name, value in named.items())
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


def _command(
    services: Services, setup: RunConfig, made: Generation, begun: Sequence[str], said: str, *, is_whole: bool
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


def _toolset(services: Services, setup: RunConfig) -> str | None:
    """The name of the toolset that is offered, all of it; None where it is no toolset's."""
    if setup.disabled_tools:
        return None
    toolsets = services.tools.toolsets()
    return next((name for name, tools in toolsets.items() if render_tools(tools) == setup.tools_text), None)


def _contract(services: Services, setup: RunConfig) -> str | None:
    """How a command names the contract; None where its text is no version's."""
    text_hash = hash_of(setup.contract_text)
    version = services.versions.find(VersionKind.CONTRACT, setup.contract_name, text_hash)
    if version is None or setup.ephemeral:
        return None
    return f"{version.name}@{version.number}"
