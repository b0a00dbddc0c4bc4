"""Prepare a request: from a model name, messages and tools to a turn that is ready to run."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import dropwhile
from typing import Final

from workbench.app.prepare import assemble_turn
from workbench.app.queued_engine import QueuedEngine
from workbench.app.services import Services
from workbench.app.turn_request import TurnContext
from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Conversation, Message, Role
from workbench.contract.contract import Contract, render_contract
from workbench.errors import BadInput, WorkbenchError
from workbench.gateway.answer import CallRules
from workbench.gateway.conversation import (
    check_schema_references,
    read_conversation,
    read_tools,
    split_system,
)
from workbench.gateway.faults import RequestFault
from workbench.gateway.reading_rules import ReadingRules
from workbench.gateway.request_sampling import SEEDS, read_sampling, unset_sampling
from workbench.gateway.requests import (
    OWN_SAMPLING,
    AllowedChoice,
    ChatRequest,
    CompletionRequest,
    NamedChoice,
)
from workbench.gateway.targets import Target, contract_of, engine_fault
from workbench.records.run_config import ParsedSetup, RunConfig
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.loop import Turn, render_prompt
from workbench.rollout.ports import ChoiceKind, Delta, Engine, GenerationRequest
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import render_tools

CLIENT_SYSTEM: Final = "system"
"""A contract that declares a variable with this name gets the client's own system text there."""
_FAMILY_ONLY: Final = "none"
"""Name of the contract in the setup of a request without a contract."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedChat:
    """A chat request that is ready to run."""

    target: Target
    conversation: Conversation
    """The conversation as the model sees it, the composed system text first."""
    config: RunConfig
    """The same settings as a setup of the workbench, for recording."""
    setup: TurnSetup
    engine: QueuedEngine
    rules: CallRules
    level: str
    """How much the reader may repair."""
    seed: int
    count: int
    """Number of answers."""
    wants_logprobs: bool
    is_older_spelling: bool
    """Whether the client expects a `function_call` instead of `tool_calls`."""
    session_name: str
    """The client's own name for the session, from `metadata.session`. Empty if it has none."""
    tool_findings: tuple[Finding, ...]
    """What is unusual in the client's tools, and which ones were left out."""
    message_findings: tuple[Finding, ...]
    """What is unusual in the client's messages, such as arguments that are not JSON."""
    server_messages: tuple[JsonObject, ...]
    """The messages for a server that renders them itself."""
    other_parameters: JsonObject
    """Parameters for the server as the client wrote them, above all those that the gateway does not use."""
    key: str
    """Differs between requests with different conversations, for the ids of calls."""

    @property
    def is_remote(self) -> bool:
        """Whether the model is on a server."""
        return self.engine.capabilities.is_server

    @property
    def ignored(self) -> tuple[str, ...]:
        """Names of the parameters that the model cannot use, because it is not on a server."""
        used = OWN_SAMPLING | {"user"}
        return () if self.is_remote else tuple(sorted(self.other_parameters.keys() - used))

    def turn(self, services: Services, index: int, is_cancelled: Callable[[], bool]) -> Turn:
        """Return the turn of the answer with this index."""
        sampling = replace(self.setup.sampling, seed=(self.seed + index) % SEEDS)
        setup = replace(self.setup, sampling=sampling)
        return assemble_turn(services, setup, self.engine, TurnContext(is_cancelled=is_cancelled))

    def count_prompt(self, services: Services) -> int:
        """Return the length of the prompt in tokens. An estimate for a server that renders its own."""
        turn = self.turn(services, 0, lambda: False)
        return self.engine.count_tokens(render_prompt(turn, self.conversation).text)

    def call_id(self, index: int, number: int) -> str:
        """Return the id of a call of the answer with this index. It is the same each time the request is sent."""
        return f"call_{sha256(f'{self.key}/{index}/{number}'.encode()).hexdigest()[:24]}"


class Preparation:
    """Prepares requests.

    Args:
        family: Template family of engines without a contract.
    """

    def __init__(self, family: str) -> None:
        self._family = family

    def chat(
        self, services: Services, target: Target, request: ChatRequest, reading: ReadingRules
    ) -> PreparedChat:
        """Prepare a chat request.

        Args:
            reading: How the answer is read.

        Raises:
            RequestFault: The model, the messages, the tools or a setting cannot be used.
        """
        version = contract_of(services, target)
        engine = open_engine(services, target)
        tools = _allowed(read_tools(request.tools), request)
        read = read_conversation(request.messages, takes_parts=engine.capabilities.is_chat_only)
        conversation = read.conversation
        sizes = (
            len(message.text) + sum(len(call.arguments_text or "") for call in message.calls)
            for message in conversation.messages
        )
        _check_size(services, sum(sizes) + len(render_tools(tools)), "messages")
        choice = _tool_choice(request, tools)
        sampling = read_sampling(request, engine)
        schema = _answer_schema(request)
        contract_text = version.text if version else _family_text(self._family)
        config = RunConfig(
            contract_name=version.name if version else _FAMILY_ONLY,
            contract_text=contract_text,
            tools_text=render_tools(tools),
            model=target.engine,
            tool_choice=choice,
            sampling=sampling,
            max_rounds=1,
            wants_logprobs=bool(request.logprobs),
        )
        try:
            parsed = config.parsed()
            if version:
                conversation, parsed = _with_contract(services, parsed, conversation, engine)
            config = parsed.config
            setup = parsed.turn_setup(answer_schema=schema)
            services.limits.check_setup(config)
        except BadInput as error:
            raise RequestFault(400, str(error), "invalid_value") from None
        setup = replace(
            setup,
            has_contract=version is not None,
            contract_fingerprint=setup.contract_fingerprint if version else None,
            unset_sampling=unset_sampling(request),
            top_logprobs=request.top_logprobs or 0,
            response_format=_format_for_server(request, engine),
        )
        return PreparedChat(
            target=target,
            conversation=conversation,
            config=config,
            setup=setup,
            engine=engine,
            rules=CallRules(
                are_taken=reading.takes_calls(
                    are_tools_offered=bool(tools.specs) and setup.tool_choice.kind is not ChoiceKind.NONE
                ),
                # The template of a local model opens thoughts, so that only the gateway knows where one began.
                keeps_thoughts=engine.capabilities.is_chat_only,
                is_single=request.parallel_tool_calls is False,
            ),
            level=reading.level,
            seed=sampling.seed,
            count=request.count,
            wants_logprobs=bool(request.logprobs),
            is_older_spelling=request.is_older_spelling,
            session_name=_session_name(request),
            tool_findings=tools.findings,
            message_findings=read.findings,
            server_messages=_for_server(read.for_server, conversation if version else None),
            other_parameters=request.others,
            key=_key_of(conversation, target),
        )

    def completion(
        self, services: Services, target: Target, request: CompletionRequest
    ) -> "PreparedCompletion":
        """Prepare a request that continues a prompt.

        Raises:
            RequestFault: The model cannot continue a text, or a setting is not supported.
        """
        if target.contract is not None:
            message = (
                f"model {target.name!r}: a contract writes the prompt itself. Use {target.engine!r} here."
            )
            raise RequestFault(400, message, "unsupported_value", "model")
        for name in ("echo", "suffix"):
            if getattr(request, name):
                raise RequestFault(400, f"{name}: it is not supported.", "unsupported_value", name)
        prompts = [request.prompt] if isinstance(request.prompt, str) else request.prompt
        if len(prompts) != 1:
            raise RequestFault(400, "prompt: send one text.", "unsupported_value", "prompt")
        _check_size(services, len(prompts[0]), "prompt")
        engine = open_engine(services, target)
        if engine.capabilities.is_chat_only:
            message = f"model {target.name!r}: its server renders its own prompts. Use /v1/chat/completions."
            raise RequestFault(400, message, "unsupported_value", "model")
        sampling = read_sampling(request, engine)
        try:
            services.limits.check_sampling(sampling)
            services.limits.check_text("prompt", prompts[0])
        except BadInput as error:
            raise RequestFault(400, str(error), "invalid_value") from None
        return PreparedCompletion(
            target=target,
            engine=engine,
            request=GenerationRequest(
                prompt=prompts[0],
                sampling=sampling,
                wants_logprobs=request.logprobs is not None,
                top_logprobs=request.logprobs or 0,
                unset_sampling=unset_sampling(request),
                retries=services.settings.gateway_retries,
                server_fields=request.others,
            ),
            count=request.count,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedCompletion:
    """A prompt that is ready to be continued."""

    target: Target
    engine: QueuedEngine
    request: GenerationRequest
    count: int

    def deltas(self, index: int, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """Yield the completion with this index."""
        seed = (self.request.sampling.seed + index) % SEEDS
        sampling = replace(self.request.sampling, seed=seed)
        return self.engine.generate(replace(self.request, sampling=sampling), is_cancelled=is_cancelled)


def open_engine(services: Services, target: Target) -> QueuedEngine:
    """Return the target's engine, loaded.

    Raises:
        RequestFault: There is no such model, or it cannot be loaded.
    """
    try:
        return services.engine(target.engine)
    except WorkbenchError as error:
        raise engine_fault(error, target.name) from None


def _check_size(services: Services, chars: int, param: str) -> None:
    limit = services.settings.gateway_prompt_chars
    if chars > limit:
        message = f"{param}: {chars:,} characters; at most {limit:,} are allowed. Shorten the prompt."
        raise RequestFault(400, message, "context_length_exceeded", param)


def _with_contract(
    services: Services, parsed: ParsedSetup, conversation: Conversation, engine: Engine
) -> tuple[Conversation, ParsedSetup]:
    """Put the contract's text before the conversation, and the client's system text where the contract says."""
    own, rest = split_system(conversation)
    declared = parsed.contract.variables
    if CLIENT_SYSTEM in declared:
        variables = {CLIENT_SYSTEM: own or declared[CLIENT_SYSTEM]}
        parsed = replace(parsed, config=replace(parsed.config, variables=variables))
    text = parsed.system_text(date=services.today(), are_tools_apart=engine.capabilities.writes_tools)
    if own and CLIENT_SYSTEM not in declared:
        text = f"{text}\n\n{own}"
    return Conversation(messages=(Message(role=Role.SYSTEM, text=text), *rest)), parsed


def _family_text(family: str) -> str:
    return render_contract(
        Contract(name=_FAMILY_ONLY, title="The template's own system text", family=family, text="{{ tools }}")
    )


def _for_server(
    messages: tuple[JsonObject, ...], under_contract: Conversation | None
) -> tuple[JsonObject, ...]:
    """Return the client's messages, with the system text of the contract, if there is one, instead of their own.

    A message of calls has no content. OpenAI writes null for that, which the server of llama-cpp-python refuses.
    """
    messages = tuple(
        {**message, "content": ""} if message.get("content", "") is None else message for message in messages
    )
    if under_contract is None:
        return messages
    rest = dropwhile(lambda message: message.get("role") in ("system", "developer"), messages)
    return ({"role": "system", "content": under_contract.messages[0].text}, *rest)


def _allowed(tools: OfferedTools, request: ChatRequest) -> OfferedTools:
    """Return the tools that the tool choice allows: all of them, unless it names some."""
    if not isinstance(request.tool_choice, AllowedChoice):
        return tools
    names = request.tool_choice.names
    return replace(tools, specs=tuple(spec for spec in tools.specs if spec.name in names))


def _tool_choice(request: ChatRequest, tools: OfferedTools) -> str:
    choice = request.tool_choice
    if isinstance(choice, AllowedChoice):
        unknown = sorted(choice.names - set(tools.names))
        if unknown:
            message = f"tool_choice: there is no tool {unknown[0][:80]!r}."
            raise RequestFault(400, message, "invalid_value", "tool_choice")
        choice = choice.allowed_tools.mode
    if isinstance(choice, NamedChoice):
        name = choice.function.name
        if name not in tools.by_name:
            known = ", ".join(tools.names) or "none"
            message = f"tool_choice: there is no tool {name[:80]!r}. Offered tools: {known}."
            raise RequestFault(400, message, "invalid_value", "tool_choice")
        return name
    if choice == ChoiceKind.REQUIRED and not tools.specs:
        raise RequestFault(400, "tool_choice: 'required' needs tools.", "invalid_value", "tool_choice")
    return choice or ChoiceKind.AUTO.value


def _answer_schema(request: ChatRequest) -> JsonObject | None:
    schema = request.response_format.schema_of_answers if request.response_format else None
    if schema is not None:
        check_schema_references(schema, "response_format.json_schema.schema")
    return schema


def _format_for_server(request: ChatRequest, engine: Engine) -> JsonObject | None:
    """Return the client's format for a server that applies it itself."""
    if request.response_format is None or not engine.capabilities.is_chat_only:
        return None
    document = request.response_format.model_dump(by_alias=True, exclude_none=True)
    return document if request.response_format.type != "text" else None


def _session_name(request: ChatRequest) -> str:
    name = (request.metadata or {}).get("session", "")
    if not isinstance(name, str):
        return ""
    if "\0" in name:
        problem = "metadata.session: it contains NUL (U+0000), which no name can have. Leave it out."
        raise RequestFault(400, problem, "invalid_value", "metadata")
    return name


def _key_of(conversation: Conversation, target: Target) -> str:
    texts = [
        [message.role, message.text, [[call.name, call.arguments_text] for call in message.calls]]
        for message in conversation.messages
    ]
    return sha256(json.dumps([target.name, texts]).encode()).hexdigest()
