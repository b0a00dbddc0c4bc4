"""Prepare answers: from the body of a request of each protocol to an answer that can be sent in it.

All chat protocols are translated into a chat request. So there is one way to prepare, run, read and record a request,
and a protocol is only a reader of bodies and a spelling of answers.
"""

from functools import partial
from typing import Final, NamedTuple

from starlette.datastructures import Headers

from workbench.app.recording import Recorder
from workbench.app.services import Services
from workbench.gateway.anthropic_requests import MessagesRequest, TokenCountRequest, translate_messages
from workbench.gateway.anthropic_spelling import AnthropicSpelling
from workbench.gateway.chat_answers import AnswerOptions, AnswerSpelling, ChatAnswer, TextAnswer
from workbench.gateway.chat_spelling import ChatSpelling
from workbench.gateway.preparing import Preparation, PreparedChat
from workbench.gateway.reading_rules import reading_rules
from workbench.gateway.requests import ChatRequest, CompletionRequest, parse_body
from workbench.gateway.response_memory import ResponseMemory, owner_key
from workbench.gateway.response_requests import ResponsesRequest, translate_response
from workbench.gateway.response_spelling import ResponseSpelling
from workbench.gateway.targets import Targets
from workbench.gateway.threads import Workers
from workbench.gateway.translated import TranslatedRequest

RAW_HEADER: Final = "x-hermes-raw"


class PreparedAnswer(NamedTuple):
    """An answer that can be sent."""

    answer: ChatAnswer | TextAnswer
    is_stream: bool


class Protocols:
    """Prepares answers.

    Args:
        targets: Finds what model names mean.
        family: Template family of engines without a contract.
        workers: The threads.
        recorder: Stores conversations, or None.
    """

    def __init__(self, targets: Targets, family: str, workers: Workers, recorder: Recorder | None) -> None:
        self._targets = targets
        self._preparation = Preparation(family)
        self._workers = workers
        self._recorder = recorder
        self.responses: Final = ResponseMemory()

    def chat(self, services: Services, headers: Headers, body: bytes) -> PreparedAnswer:
        """Prepare an answer of `/v1/chat/completions`.

        Raises:
            RequestFault: The request cannot be answered.
        """
        form = parse_body(body, ChatRequest)
        chat = self._prepared(services, headers, form)
        spelling = ChatSpelling(chat, sends_usage=form.sends_usage)
        return self._answer(services, headers, chat, spelling, is_stream=form.stream)

    def respond(self, services: Services, headers: Headers, body: bytes) -> PreparedAnswer:
        """Prepare an answer of `/v1/responses`.

        Raises:
            RequestFault: The request cannot be answered.
        """
        form, owner = parse_body(body, ResponsesRequest), owner_key(services)
        previous = self.responses.previous(owner, form.previous_response_id)
        if isinstance(form.input, list):
            form.input = self.responses.items(owner, form.input)
        translated = translate_response(form, previous)
        chat = self._translated(services, headers, translated)
        keep = partial(self.responses.add, owner, translated.conversation)
        spelling = ResponseSpelling(form, chat, None if form.store is False else keep)
        return self._answer(services, headers, chat, spelling, translated.ignored, is_stream=form.stream)

    def message(self, services: Services, headers: Headers, body: bytes) -> PreparedAnswer:
        """Prepare an answer of `/v1/messages`.

        Raises:
            RequestFault: The request cannot be answered.
        """
        form = parse_body(body, MessagesRequest)
        translated = translate_messages(form)
        chat = self._translated(services, headers, translated)
        spelling = AnthropicSpelling(form.model)
        return self._answer(services, headers, chat, spelling, translated.ignored, is_stream=form.stream)

    def count_tokens(self, services: Services, headers: Headers, body: bytes) -> int:
        """Return the length of the prompt of a request of `/v1/messages`, in tokens.

        Raises:
            RequestFault: The request cannot be answered.
        """
        translated = translate_messages(parse_body(body, TokenCountRequest))
        return self._translated(services, headers, translated).count_prompt(services)

    def _translated(self, services: Services, headers: Headers, request: TranslatedRequest) -> PreparedChat:
        with request.names.used():
            return self._prepared(services, headers, request.chat)

    def _prepared(self, services: Services, headers: Headers, request: ChatRequest) -> PreparedChat:
        target = self._targets.find(services, request.model)
        return self._preparation.chat(services, target, request, reading_rules(headers, services.settings))

    def _answer(
        self,
        services: Services,
        headers: Headers,
        chat: PreparedChat,
        spelling: AnswerSpelling,
        ignored: tuple[str, ...] = (),
        *,
        is_stream: bool | None,
    ) -> PreparedAnswer:
        options = AnswerOptions(has_raw=headers.get(RAW_HEADER, "") == "1", headers=headers, ignored=ignored)
        answer = ChatAnswer(self._workers, services, chat, spelling, options, self._recorder)
        return PreparedAnswer(answer, bool(is_stream))

    def complete(self, services: Services, headers: Headers, body: bytes) -> PreparedAnswer:
        """Prepare an answer of `/v1/completions`.

        Raises:
            RequestFault: The request cannot be answered.
        """
        form = parse_body(body, CompletionRequest)
        target = self._targets.find(services, form.model)
        prepared = self._preparation.completion(services, target, form)
        return PreparedAnswer(
            TextAnswer(self._workers, prepared, sends_usage=form.sends_usage), bool(form.stream)
        )
