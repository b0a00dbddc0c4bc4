"""A tool parser for vLLM: `vllm serve … --tool-parser-plugin FILE --tool-call-parser hermes_workbench`.

This file runs inside vLLM, which imports it by its path. The pieces that a client gets are those of the gateway, which
are made of the reader's `Stream`, so what Inspect shows for a completion is what the server answers.

vLLM keeps two lists for each stream: what was sent of each call (`streamed_args_for_tool`), and what each call is
(`prev_tool_call_arr`). When a completion ends in the same step as a call, it sends what the second has beyond the
first, both written as JSON with spaces. So at the end of a call both are the same value in that form, whatever white
space the model wrote. Until then the second is a text, which is never valid as arguments: a call that is cut off must
not become one that can be run.

*Source:* https://docs.vllm.ai/en/latest/features/tool_calling.html, "How to Write a Tool Parser Plugin";
`vllm/tool_parsers/abstract_tool_parser.py` of vLLM 0.11 to 0.33 for the classes; `serving_chat.py` and, since 0.20,
`vllm/parser/abstract_parser.py` for the two lists.
"""
# pyright: basic, reportMissingImports=false

import json
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final
from uuid import uuid4

try:
    from vllm.tool_parsers.abstract_tool_parser import DeltaMessage, ToolParser, ToolParserManager
except ImportError:  # before vLLM 0.13
    from vllm.entrypoints.openai.tool_parsers.abstract_tool_parser import (
        DeltaMessage,
        ToolParser,
        ToolParserManager,
    )

from workbench.errors import BadInput
from workbench.gateway.answer import (
    AnswerPiece,
    AnswerWriter,
    ArgumentsPiece,
    CallOpening,
    CallRules,
    ContentPiece,
)
from workbench.rollout.ports import Delta
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.toolspec.tools_text import parse_tools

NAME: Final = "hermes_workbench"
"""The name for `--tool-call-parser`."""

# vLLM moved the classes of its answers twice. The base class of parsers names them in its signatures, so `DeltaMessage`
# is always importable from there and knows the module in which its siblings are.
_protocol: Final[Any] = import_module(DeltaMessage.__module__)


class HermesWorkbenchToolParser(ToolParser):
    """Reads Hermes' tool calls as the workbench does, with its fixes."""

    def __init__(self, tokenizer: Any, *more: Any, **options: Any) -> None:
        super().__init__(tokenizer, *more, **options)
        self._writer: AnswerWriter | None = None

    def adjust_request(self, request: Any) -> Any:
        """Keep the tags in the text: some tokenizers have them as special tokens, which are left out otherwise."""
        request = super().adjust_request(request)
        if request.tools and request.tool_choice != "none":
            request.skip_special_tokens = False
        return request

    def extract_tool_calls(self, model_output: str, request: Any) -> Any:
        """Return the calls and the content of a whole completion."""
        writer = _writer_for(request)
        writer.feed(Delta(text=model_output))
        writer.finish("stop")
        calls = [
            _protocol.ToolCall(
                id=call.id,
                type="function",
                function=_protocol.FunctionCall(name=call.name, arguments="".join(call.arguments)),
            )
            for call in writer.sent.complete_calls
        ]
        content = "".join(writer.sent.content)
        return _protocol.ExtractedToolCallInformation(
            tools_called=bool(calls), tool_calls=calls, content=content or None
        )

    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: Any,
    ) -> Any:
        """Return what is certain after one more piece, or None."""
        if self._writer is None or not previous_text:
            self._writer = _writer_for(request)
            self.prev_tool_call_arr = []
            self.streamed_args_for_tool = []
            self.current_tool_id = -1
        pieces = self._writer.feed(Delta(text=delta_text))
        content = "".join(piece.text for piece in pieces if isinstance(piece, ContentPiece))
        calls = self._calls(pieces)
        if not content and not calls:
            return None
        return DeltaMessage(content=content or None, tool_calls=calls)

    def _calls(self, pieces: Sequence[AnswerPiece]) -> list[Any]:
        """Return the pieces of calls, one for each call, and note what was sent."""
        deltas: dict[int, Any] = {}
        sent: dict[int, str] = {}
        for piece in pieces:
            if isinstance(piece, CallOpening):
                deltas[piece.number] = _protocol.DeltaToolCall(
                    index=piece.number,
                    id=piece.id,
                    type="function",
                    function=_protocol.DeltaFunctionCall(name=piece.name),
                )
                self.current_tool_id = piece.number
                self.prev_tool_call_arr.append({"name": piece.name, "arguments": ""})
                self.streamed_args_for_tool.append("")
            elif isinstance(piece, ArgumentsPiece):
                sent[piece.number] = sent.get(piece.number, "") + piece.text
        for number, text in sent.items():
            delta = deltas.setdefault(
                number, _protocol.DeltaToolCall(index=number, function=_protocol.DeltaFunctionCall())
            )
            delta.function.arguments = text
            self._note(number, text)
        return list(deltas.values())

    def _note(self, number: int, text: str) -> None:
        call = self._writer.sent.calls[number] if self._writer else None
        if call is None or not call.is_complete:
            self.streamed_args_for_tool[number] += text
            self.prev_tool_call_arr[number]["arguments"] = self.streamed_args_for_tool[number]
            return
        arguments = json.loads("".join(call.arguments))
        written = json.dumps(arguments, ensure_ascii=False)
        self.prev_tool_call_arr[number]["arguments"] = arguments
        self.streamed_args_for_tool[number] = written


ToolParserManager.register_module(name=NAME, module=HermesWorkbenchToolParser)


def _writer_for(request: Any) -> AnswerWriter:
    # The default was False in 0.11, where it meant nothing.
    is_chosen = "parallel_tool_calls" in getattr(request, "model_fields_set", ())
    is_single = is_chosen and request.parallel_tool_calls is False
    return AnswerWriter(
        tools=_offered(request),
        call_id=lambda _number: f"chatcmpl-tool-{uuid4().hex}",
        rules=CallRules(is_single=is_single),
    )


def _offered(request: Any) -> OfferedTools:
    """Return the tools of a request. Only the name counts of a tool whose schema cannot be used."""
    # In the Responses API a tool is the function itself, and some tools, such as a web search, have no name.
    functions = [getattr(tool, "function", tool) for tool in getattr(request, "tools", None) or ()]
    named = {name: function for function in functions if (name := getattr(function, "name", None))}
    return OfferedTools(specs=tuple(_spec(name, function) for name, function in named.items()))


def _spec(name: str, function: Any) -> ToolSpec:
    # Not `model_dump(exclude_none=True)`, which leaves out each null inside the schema as well.
    document = {"name": name, "parameters": getattr(function, "parameters", None) or {}}
    by_name = ToolSpec.of_function({"name": name})
    try:
        return next(iter(parse_tools([document]).specs), by_name)
    except BadInput:
        return by_name
