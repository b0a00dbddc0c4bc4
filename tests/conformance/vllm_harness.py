"""A pytest plugin under which vLLM's own tests of its parsers test the reader of this project.

It runs in vLLM's source archive, in a process of its own, where the package `tests` is vLLM's. Every parser class that
the tests import is a stand-in for one of two classes below. vLLM's protocol and base classes are its own. Everything
else of vLLM is a stand-in that accepts anything.

- Whole answers are read at the level `lenient`.
- Streamed answers of families that the workbench supports go through its plugin for vLLM, which reads at `tolerant`.
- The reader reads the other forms when an answer is complete, and vLLM's interface does not say when that is, so their
  streaming tests are skipped.

A test counts if it gave the reader a text. For each, one JSON line is written to the file in `$CONFORMANCE_OUT`.
"""

import ast
import json
import os
import re
import sys
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from stand_ins import install, stand_in

from workbench.hermes.parse import parse
from workbench.hermes.reading import SegmentKind

ARCHIVE = Path.cwd()
PLUGIN = Path(os.environ["CONFORMANCE_PLUGIN"])
OUT = Path(os.environ["CONFORMANCE_OUT"])
REAL = (
    "vllm.envs",
    "vllm.exceptions",
    "vllm.entrypoints.generate.base.protocol",
    "vllm.entrypoints.serve.engine.protocol",
    "vllm.entrypoints.openai.chat_completion.protocol",
    "vllm.entrypoints.openai.responses.protocol",
    "vllm.tool_parsers.abstract_tool_parser",
    "vllm.tool_parsers.tool_strict_level",
    "vllm.tool_parsers.utils",
    "vllm.utils.collection_utils",
    "vllm.utils.import_utils",
)
"""The modules of vLLM that run."""
MISSING = ("msgspec", "openai_harmony", "partial_json_parser", "torch", "transformers", "xgrammar")
CLAIMED = ("hermes", "granite4", "qwen3", "qwen3_engine", "step3p5", "nemotron_v3")
"""Parsers of families that the workbench supports: the beginnings of vLLM's module names."""
PARSERS = re.compile(r"vllm\.(tool_parsers|parser)\.(engine\.)?\w+")
PARSER = re.compile(r".*(Parser|ParserEngine|Adapter)")

given: list[dict] = []
"""The texts that the running test gave the reader."""


class Tokenizer:
    """Splits a text into tags and pieces of up to four characters."""

    all_special_tokens = ()

    def __init__(self):
        self._pieces, self._numbers = [], {}

    def tokenize(self, text, **_options):
        return re.findall(r"</?[^<>\s]{1,40}>|\[/?[A-Z_]+\]|\s?\w{1,4}|\s|.", text, re.DOTALL)

    def encode(self, text, **_options):
        return [self._number(piece) for piece in self.tokenize(text)]

    def decode(self, tokens, **_options):
        return "".join(self._pieces[token] for token in ([tokens] if isinstance(tokens, int) else tokens))

    def get_vocab(self):
        return _Vocabulary(self._number)

    vocab = property(get_vocab)

    def _number(self, piece):
        if piece not in self._numbers:
            self._numbers[piece] = len(self._pieces)
            self._pieces.append(piece)
        return self._numbers[piece]


class _Vocabulary(dict):
    """Has a number for every token that is asked for."""

    def __init__(self, number):
        super().__init__()
        self._number = number

    def __missing__(self, token):
        return self._number(token)

    def __contains__(self, token):
        return True

    def get(self, token, default=None):
        return self._number(token)


def decoded_last(tokenizer, all_input_ids, **_options):
    """As `detokenize_incrementally`: the new tokens, their text, and two offsets."""
    return [all_input_ids[-1]], tokenizer.decode([all_input_ids[-1]]), 0, 0


class _Parsers(MetaPathFinder, Loader):
    """Finds stand-ins for vLLM's modules with parsers."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname in REAL or not PARSERS.fullmatch(fullname):
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        return _ParserModule(spec.name)

    def exec_module(self, module):
        pass


class _ParserModule(ModuleType):
    """Has a parser for every name of one, the constants of the real module, and stand-ins for the rest."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if PARSER.fullmatch(name):
            return parser_class(self.__name__.rpartition(".")[2])
        constants = _constants(self.__name__)
        return constants[name] if name in constants else stand_in(name)


@cache
def _constants(module):
    """Return the texts that a module assigns to names."""
    source = ARCHIVE.joinpath(*module.split(".")).with_suffix(".py")
    if not source.is_file():
        return {}
    tree = ast.parse(source.read_text(encoding="utf-8"))
    return {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


@cache
def parser_class(module):
    """Return the class behind the parsers of a module of vLLM."""
    return _claimed_class() if module.startswith(CLAIMED) else _lenient_class()


@cache
def _plugin():
    spec = spec_from_file_location("workbench_vllm_plugin", PLUGIN)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _with_tools(parser, request):
    """Return a request with tools. Tests give the tools to the parser, to the request, or to both."""
    return SimpleNamespace(tools=getattr(request, "tools", None) or parser.tools or ())


def _note(text, request, *, level, starts_in_thought=False):
    functions = [getattr(tool, "function", tool) for tool in request.tools]
    tools = [
        {"type": "function", "function": {"name": function.name, "parameters": function.parameters or {}}}
        for function in functions
    ]
    given.append(
        {
            "text": text,
            "tools": json.dumps(tools),
            "level": level,
            "starts_in_thought": starts_in_thought,
        }
    )


class Text(str):
    """A text that is equal to another one if only white space at their edges differs: servers differ in it."""

    __slots__ = ()

    def __eq__(self, other):
        return isinstance(other, str) and self.strip() == other.strip()

    def __hash__(self):
        return hash(self.strip())


def _text(text):
    return Text(text) if text.strip() else None


def _as_written(arguments, text):
    """Return arguments as JSON, without spaces if the model wrote them so."""
    compact = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    return compact if compact in text else json.dumps(arguments, ensure_ascii=False)


class _NotCompared:
    """Skips tests of what only servers do."""

    def __init__(self, tokenizer, tools=None, *, chat_template_kwargs=None, **_options):
        super().__init__(tokenizer, tools)
        self._template_options = chat_template_kwargs

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        pytest.skip(f"the reader has no {name}")

    def extract_reasoning(self, text, request):
        options = self._template_options or getattr(request, "chat_template_kwargs", None) or {}
        starts_in_thought = options.get("enable_thinking", True)
        _note(text, _with_tools(self, request), level="tolerant", starts_in_thought=starts_in_thought)
        reading = parse(text, starts_in_thought=starts_in_thought)
        texts = {SegmentKind.PROSE: "", SegmentKind.THOUGHT: ""}
        for segment in reading.segments:
            if segment.kind in texts:
                texts[segment.kind] += re.sub("</?think>", "", segment.text)
        return _text(texts[SegmentKind.THOUGHT]), _text(texts[SegmentKind.PROSE])


class _Whole(_NotCompared):
    """Reads whole answers at the level `lenient`."""

    def extract_tool_calls(self, model_output, request):
        protocol = sys.modules["vllm.entrypoints.generate.base.protocol"]
        request = _with_tools(self, request)
        if not request.tools:
            # Most tests of other forms offer no tools, and the level only reads calls of offered ones.
            found = parse(model_output, level="lenient").foreign
            names = dict.fromkeys(name for form in found for name in form.names)
            names |= dict.fromkeys(re.findall(r'"name": *"([\w.-]+)"', model_output))
            request.tools = [SimpleNamespace(name=name, parameters={}) for name in names]
        _note(model_output, request, level="lenient")
        reading = parse(model_output, tools=_plugin()._offered(request), level="lenient")
        calls = [
            protocol.ToolCall(
                id=f"chatcmpl-tool-{number:032}",
                type="function",
                function=protocol.FunctionCall(
                    name=call.name, arguments=_as_written(call.arguments, model_output)
                ),
            )
            for number, call in enumerate(reading.calls)
        ]
        answer = protocol.ExtractedToolCallInformation(tools_called=bool(calls), tool_calls=calls)
        answer.content = _text("".join(reading.prose))
        return answer


@cache
def _claimed_class():
    class Claimed(_Whole, _plugin().HermesWorkbenchToolParser):
        def extract_tool_calls_streaming(self, previous_text, current_text, *rest, request=None, **named):
            *rest, last = (*rest, *named.values(), request) if request is not None or named else rest
            request = _with_tools(self, last)
            if not current_text:
                # Granite's tests give only the new text.
                previous_text = given[-1]["text"] if given else ""
                current_text = previous_text + (rest[0] if rest else named["delta_text"])
            if given and given[-1]["text"] == previous_text:
                given.pop()
            _note(current_text, request, level="tolerant")
            return super().extract_tool_calls_streaming(previous_text, current_text, *rest, request)

    return Claimed


@cache
def _lenient_class():
    class Lenient(_Whole, sys.modules["vllm.tool_parsers.abstract_tool_parser"].ToolParser):
        def extract_tool_calls_streaming(self, *_values, **_named):
            pytest.skip("the reader reads other forms when the answer is complete")

    return Lenient


class _Manager:
    """Stands for vLLM's `ToolParserManager`."""

    @staticmethod
    def get_tool_parser(name):
        return parser_class(name)

    @staticmethod
    def register_module(name=None, force=True, module=None):  # noqa: FBT002  vLLM's signature
        return module or (lambda parser: parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests():
    """Replace the modules before any file of vLLM's tests is imported."""
    OUT.write_text("")
    install(ARCHIVE, "vllm", real=REAL, missing=MISSING)
    sys.meta_path.insert(0, _Parsers())
    transformers = ModuleType("transformers")
    transformers.AutoTokenizer = SimpleNamespace(from_pretrained=lambda *_names, **_options: Tokenizer())
    transformers.PreTrainedTokenizerBase = transformers.PreTrainedTokenizer = Tokenizer
    sys.modules["transformers"] = transformers
    import vllm.tokenizers
    import vllm.tokenizers.detokenizer_utils
    import vllm.tool_parsers.abstract_tool_parser as abstract

    vllm.tokenizers.get_tokenizer = lambda *_names, **_options: Tokenizer()
    vllm.tokenizers.TokenizerLike = Tokenizer
    vllm.tokenizers.detokenizer_utils.detokenize_incrementally = decoded_last
    abstract.ToolParserManager = vllm.tool_parsers.ToolParserManager = _Manager
    vllm.tool_parsers.ToolParser = abstract.ToolParser


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    given.clear()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.when == "call" and given:
        # A test that goes on with what only servers do is skipped there: so far it agreed.
        details = call.excinfo.exconly() if report.failed else ""
        line = {"id": _short_id(item), "agrees": not details, "details": details, "completions": given}
        with OUT.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _short_id(item):
    """Return a name such as `hermes::non_streaming_tool_call[1]`; the numbers are those of the parameters."""
    file = re.sub("(_tool_parser)?[.]py", "", item.path.name.removeprefix("test_"))
    numbers = "-".join(map(str, item.callspec.indices.values())) if hasattr(item, "callspec") else ""
    name = item.originalname.removeprefix("test_")
    return f"{file}::{name}[{numbers}]" if numbers else f"{file}::{name}"
