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
from workbench.engines.remote.probes.server_probes import ProbedServer
from workbench.engines.remote.request.openai_request import OpenAiRequest, build_request
from workbench.engines.remote.server import DEFAULT_URLS, Mode, Server, ServerKind, ToolsBy
from workbench.errors import BadInput, WorkbenchError
from workbench.records.run_config import RunConfig
from workbench.records.sessions import StoredMessage, with_ephemeral
from workbench.records.versions import VersionKind, hash_of, name_in
from workbench.rollout.constraint import PREFILL, constrain
from workbench.rollout.events import Generation
from workbench.rollout.ports import ChoiceKind, Constraint, GenerationRequest, ToolChoice
from workbench.toolspec.tools_text import render_tools

_LLAMA_SERVER: Final = Server(
    name="", base_url=DEFAULT_URLS[ServerKind.LLAMA_SERVER], kind=ServerKind.LLAMA_SERVER, mode=Mode.RAW
)
"""The server of the examples for an engine that is not a server."""
END: Final = "JSON"
"""The delimiter of a here-document. It cannot occur as a line of the JSON, which is a single line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundCode:
    """The request of one round in three forms."""

    curl: str
    """A command line for a shell."""
    python: str
    """A script that uses the `openai` package."""
    command: str
    """A `workbench` command line for a shell."""
    is_whole: bool
    """False if the command continues the stored session, because it cannot contain the conversation so far."""


def code_of(
    services: Services, session_id: str, setup: RunConfig, path: Sequence[StoredMessage], message_id: str
) -> RoundCode:
    """Return the request of a message's round as code. The code reads the API key from the environment.

    Args:
        path: The path to the message, root first.
        message_id: A message that a model wrote.

    Raises:
        BadInput: No model wrote the message, or the tools cannot be read.
        StoreError: The versions cannot be read.
    """
    ids = [stored.id for stored in path]
    place = ids.index(message_id) if message_id in ids else -1
    generation = path[place].generation if place >= 0 else None
    if generation is None:
        raise BadInput("code", "no model wrote this message", "choose an answer or a call")
    before = [stored.message for stored in path[:place]]
    system = before[0].text if before else ""
    server, model, probed = _server_of(services, generation, system)
    request = build_request(_request_of(setup, generation, before), server, model, probed)
    users = [message.text for message in before if message.role is Role.USER]
    contract = _contract(services, setup)
    is_whole = contract is not None and len(users) == 1
    start = ["--contract", contract] if is_whole and contract else ["--session", session_id]
    return RoundCode(
        curl=_curl(request, server.plain_url),
        python=_python(request, server.plain_url),
        command=_command(services, setup, generation, start, users[-1] if users else "", is_whole=is_whole),
        is_whole=is_whole,
    )


def _server_of(
    services: Services, generation: Generation, system: str
) -> tuple[Server, str, ProbedServer | None]:
    """Return the server that generated a message, in the mode that it had then, its name for the model, and its probes.

    For engines that are not servers, this is a llama-server on this machine. If the server has been removed, or
    is now used in another mode, the tools are sent separately if the system text says so.
    """
    server, model, probed = _LLAMA_SERVER, generation.engine_name, None
    if model.startswith((OPENAI, HF_INFERENCE)):
        try:
            engine = services.models.engine(model)
        except WorkbenchError:
            model = model.partition(":")[2]
            server = Server(name="", base_url=services.settings.openai_base_url or server.base_url)
        else:
            if isinstance(engine, RemoteEngine):
                (server, probed), model = engine.known, engine.model
    mode = Mode.RAW if generation.is_exact else Mode.CHAT
    if server.mode is mode:
        return server, model, probed
    tools_by = ToolsBy.SERVER if TOOLS_APART in system else ToolsBy.CONTRACT
    return replace(server, mode=mode, tools_by=tools_by), model, probed


def _request_of(setup: RunConfig, generation: Generation, before: Sequence[Message]) -> GenerationRequest:
    """Return the request that led to a generation."""
    messages = tuple(before)
    if messages and messages[0].role is Role.SYSTEM:
        seen = with_ephemeral(messages[0].text, generation.ephemeral)
        messages = (replace(messages[0], text=seen), *messages[1:])
    kinds = (ChoiceKind.NONE, ChoiceKind.AUTO, ChoiceKind.REQUIRED)
    choice = (
        ToolChoice(kind=ChoiceKind(generation.tool_choice))
        if generation.tool_choice in kinds
        else ToolChoice(kind=ChoiceKind.NAMED, tool=generation.tool_choice)
    )
    return GenerationRequest(
        prompt=generation.prompt_text + generation.prefill,
        sampling=generation.sampling,
        conversation=Conversation(messages=messages),
        tools=setup.offered_tools(),
        tool_choice=choice,
        constraint=_constraint(setup, generation, choice),
        wants_logprobs=setup.wants_logprobs,
    )


def _constraint(setup: RunConfig, generation: Generation, choice: ToolChoice) -> Constraint | None:
    """Return the constraint of a forced call, or None. Others are not sent to servers."""
    is_forced = choice.is_forced and generation.prefill.endswith(PREFILL)
    if not is_forced or not setup.is_constrained:
        return None
    free = replace(setup, tool_choice=ChoiceKind.AUTO.value).parsed().turn_setup()
    return constrain(free, choice, starts_in_thought=False).constraint


def _curl(request: OpenAiRequest, url: str) -> str:
    return (
        f'curl -sS "${{OPENAI_BASE_URL:-{url}}}/{request.path}" \\\n'
        '  -H "Content-Type: application/json" \\\n'
        '  -H "Authorization: Bearer ${OPENAI_API_KEY:-none}" \\\n'
        f"  --data-binary @- <<'{END}'\n{json.dumps(request.body, ensure_ascii=False)}\n{END}\n"
    )


def _python(request: OpenAiRequest, url: str) -> str:
    is_text = request.path == "completions"
    arguments = {**request.fields, **({"extra_body": request.own} if request.own else {})}
    fields = "\n".join(f"    {name}={_literal(value)}," for name, value in arguments.items())
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
    """Return a value as a Python literal. Texts of several lines become one literal per line."""
    if isinstance(value, str) and "\n" in value:
        lines = value.splitlines(keepends=True)
        return "(\n" + "".join(f"        {line!r}\n" for line in lines) + "    )"
    return pformat(value, width=100, sort_dicts=False).replace("\n", "\n        ")


def _command(
    services: Services,
    setup: RunConfig,
    generation: Generation,
    start: Sequence[str],
    user_text: str,
    *,
    is_whole: bool,
) -> str:
    sampling = generation.sampling
    options = [*start]
    if is_whole:
        options += ["--model", setup.model]
    options += ["--tool-choice", setup.tool_choice, "--temperature", f"{sampling.temperature:g}"]
    options += ["--seed", str(sampling.seed), "--max-tokens", str(sampling.max_tokens)]
    options += ["--max-rounds", str(setup.max_rounds)]
    tools = _toolset(services, setup) if is_whole else ""
    if tools is not None:
        options += ["--tools", tools] if tools else []
        return f"{shlex.join(['workbench', 'chat', *options, '--', user_text])}\n"
    options += ["--tools", "/dev/stdin"]
    text = json.dumps([spec.document for spec in setup.offered_tools().specs], ensure_ascii=False)
    return f"{shlex.join(['workbench', 'chat', *options, '--', user_text])} <<'{END}'\n{text}\n{END}\n"


def _toolset(services: Services, setup: RunConfig) -> str | None:
    """Return the name of the toolset that is offered, or None if the tools are not exactly a toolset."""
    if setup.disabled_tools:
        return None
    toolsets = services.tools.toolsets()
    return next((name for name, tools in toolsets.items() if render_tools(tools) == setup.tools_text), None)


def _contract(services: Services, setup: RunConfig) -> str | None:
    """Return the reference of the contract's version. None if there is no such version, or with ephemeral text."""
    text_hash = hash_of(setup.contract_text)
    version = services.versions.find(VersionKind.CONTRACT, name_in(setup.contract_name), text_hash)
    if version is None or setup.ephemeral:
        return None
    return f"{version.name}@{version.number}"
