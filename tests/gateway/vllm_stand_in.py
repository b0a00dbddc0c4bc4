"""A small stand-in for the parts of vLLM that a tool parser plugin uses, and for what its server does with them.

*Source:* `vllm/tool_parsers/abstract_tool_parser.py`, `vllm/entrypoints/generate/base/protocol.py` and, for `serve`,
`vllm/entrypoints/openai/serving_chat.py` of https://github.com/vllm-project/vllm, versions 0.11 to 0.33. Rewritten with
the same names and signatures.
"""

import importlib.util
import json
import sys
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

from pydantic import BaseModel


class FunctionDefinition(BaseModel):
    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None


class ChatCompletionToolsParam(BaseModel):
    type: str = "function"
    function: FunctionDefinition


class ChatCompletionRequest(BaseModel):
    tools: list[ChatCompletionToolsParam] | None = None
    tool_choice: str | None = "auto"
    parallel_tool_calls: bool | None = True
    skip_special_tokens: bool = True


class FunctionCall(BaseModel):
    name: str
    arguments: str


class ToolCall(BaseModel):
    id: str
    type: str = "function"
    function: FunctionCall


class DeltaFunctionCall(BaseModel):
    name: str | None = None
    arguments: str | None = None


class DeltaToolCall(BaseModel):
    id: str | None = None
    type: str | None = None
    index: int
    function: DeltaFunctionCall | None = None


class DeltaMessage(BaseModel):
    role: str | None = None
    content: str | None = None
    tool_calls: list[DeltaToolCall] = []


class ExtractedToolCallInformation(BaseModel):
    tools_called: bool
    tool_calls: list[ToolCall]
    content: str | None = None


class ToolParser:
    def __init__(self, tokenizer, tools=None):
        self.prev_tool_call_arr = []
        self.current_tool_id = -1
        self.current_tool_name_sent = False
        self.streamed_args_for_tool = []
        self.model_tokenizer = tokenizer

    def adjust_request(self, request):
        return request


class OldToolParser(ToolParser):
    """As before vLLM 0.20: without tools."""

    def __init__(self, tokenizer):
        super().__init__(tokenizer)


class ToolParserManager:
    tool_parsers: ClassVar[dict[str, type[ToolParser]]] = {}

    @classmethod
    def register_module(cls, name=None, force=True, module=None):  # noqa: FBT002  vLLM's signature
        if module is None:
            return lambda parser: cls.register_module(name, force, parser)
        assert issubclass(module, ToolParser)
        cls.tool_parsers[name] = module
        return module


PROTOCOL = (
    FunctionCall, ToolCall, DeltaFunctionCall, DeltaToolCall, DeltaMessage, ExtractedToolCallInformation,
)  # fmt: skip


class Layout(NamedTuple):
    """Where a version of vLLM has its parsers and the classes of its answers."""

    parser: str
    protocol: str
    has_tools: bool
    """Whether a parser gets the offered tools when it is made."""


_OLD_PARSER = "vllm.entrypoints.openai.tool_parsers.abstract_tool_parser"
_PARSER = "vllm.tool_parsers.abstract_tool_parser"
LAYOUTS = {
    "0.11": Layout(_OLD_PARSER, "vllm.entrypoints.openai.protocol", has_tools=False),
    "0.13 to 0.14": Layout(_PARSER, "vllm.entrypoints.openai.protocol", has_tools=False),
    "0.20 to 0.25": Layout(_PARSER, "vllm.entrypoints.openai.engine.protocol", has_tools=True),
    "0.29 to 0.33": Layout(_PARSER, "vllm.entrypoints.generate.base.protocol", has_tools=True),
}


@contextmanager
def installed(layout: Layout):
    """Provide the modules of vLLM in one layout."""
    kinds = {kind.__name__: kind for kind in PROTOCOL}
    for kind in PROTOCOL:
        kind.__module__ = layout.protocol
    contents = {
        layout.protocol: kinds,
        layout.parser: {
            "ToolParser": ToolParser if layout.has_tools else OldToolParser,
            "ToolParserManager": ToolParserManager,
            # The base class names them in its signatures.
            "DeltaMessage": DeltaMessage,
            "ExtractedToolCallInformation": ExtractedToolCallInformation,
        },
    }
    names = {name.rsplit(".", count)[0] for name in contents for count in range(name.count(".") + 1)}
    for name in names:
        module = ModuleType(name)
        module.__path__ = []
        vars(module).update(contents.get(name, {}))
        sys.modules[name] = module
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]


def import_tool_parser(path: Path) -> None:
    """Import a plugin file by its path, as `--tool-parser-plugin` does."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def serve(parser, pieces, request):
    """Stream pieces through a parser and return the content and the calls as a client adds them up, and the reason.

    The last piece comes together with the end of the completion: the server then replaces its arguments by what the
    parser's lists lack.
    """
    content, calls, text = "", [], ""
    for number, piece in enumerate(pieces, start=1):
        before, text = text, text + piece
        delta = parser.extract_tool_calls_streaming(before, text, piece, [], [], [], request)
        if delta is None:
            continue
        if number == len(pieces) and delta.tool_calls and delta.tool_calls[0].function.arguments:
            delta = remaining(parser, delta)
        content += delta.content or ""
        for call in delta.tool_calls:
            if call.index == len(calls):
                calls.append({"name": call.function.name, "arguments": ""})
            calls[call.index]["arguments"] += call.function.arguments or ""
    return content, calls, "tool_calls" if parser.prev_tool_call_arr else "stop"


def remaining(parser, delta):
    """Replace the arguments of the last delta, as vLLM does; it keeps the name and the id."""
    index = len(parser.prev_tool_call_arr) - 1
    last = delta.tool_calls[0]
    expected = json.dumps(parser.prev_tool_call_arr[index].get("arguments", {}), ensure_ascii=False)
    actual = parser.streamed_args_for_tool[index][: -len(last.function.arguments)]
    function = DeltaFunctionCall(name=last.function.name, arguments=expected.replace(actual, "", 1))
    call = DeltaToolCall(id=last.id, type=last.type, index=index, function=function)
    return DeltaMessage(content=delta.content, tool_calls=[call])
