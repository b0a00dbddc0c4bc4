"""The forms of tool calls that models write instead of `<tool_call>`, and which server parsers read them."""

from dataclasses import dataclass
from typing import Final

from workbench.hermes.reading import ForeignForm


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignDialect:
    """One form in which models write tool calls.

    *Source:* https://docs.vllm.ai/en/latest/features/tool_calling.html,
    https://docs.sglang.io/docs/advanced_features/tool_parser
    """

    key: str
    """Stable name, for example `mistral`."""
    title: str
    """How the call is written, as the end of a sentence: "in the form of Mistral models"."""
    vllm: str = ""
    """Value of vLLM's `--tool-call-parser`; empty if no parser of vLLM reads this form."""
    sglang: str = ""
    """Value of SGLang's `--tool-call-parser`; empty if no parser of SGLang reads this form."""
    contract: str
    """What to change in the contract or the setup so that the model writes `<tool_call>` blocks."""

    @property
    def parsers(self) -> str:
        """Which server flags read this form; empty if none is known.

        >>> DIALECTS["glm"].parsers
        'vLLM --tool-call-parser glm45, SGLang --tool-call-parser glm'
        """
        servers = (("vLLM", self.vllm), ("SGLang", self.sglang))
        return ", ".join(f"{server} --tool-call-parser {name}" for server, name in servers if name)

    @property
    def advice(self) -> str:
        """One or two sentences: what to change on the server, and what to change in the contract."""
        parsers = f"To read it on a server: {self.parsers}. " if self.parsers else ""
        return f"{parsers}{self.contract}"


_SHOW_TAGS: Final = (
    "To get Hermes calls instead, state in the contract that each call goes between <tool_call> and </tool_call> "
    "as JSON, and show one example."
)
_TRAINED: Final = (
    "The model was trained on this form. A contract rarely changes that: choose the model's own template family "
    "on the server, or a model that was trained on <tool_call>."
)

_ALL: Final = (
    ForeignDialect(
        key="fenced-json",
        title="as JSON in a code fence",
        vllm="",
        sglang="",
        contract=f"{_SHOW_TAGS} Add that calls are never written in a code fence.",
    ),
    ForeignDialect(
        key="bare-json",
        title="as JSON without tags, as Llama 3 models do",
        vllm="llama3_json",
        sglang="llama3",
        contract=_SHOW_TAGS,
    ),
    ForeignDialect(
        key="near-miss-tag",
        title="with a misspelled <tool_call> tag",
        contract=(
            "Check the tag in the contract for the same mistake or for invisible characters, and show one example."
        ),
    ),
    ForeignDialect(
        key="mistral",
        title="in the form of Mistral models ([TOOL_CALLS])",
        vllm="mistral",
        sglang="mistral",
        contract=_TRAINED,
    ),
    ForeignDialect(
        key="llama-python-tag",
        title="in the form of Llama 3 models (<|python_tag|>)",
        vllm="llama3_json",
        sglang="llama3",
        contract=_TRAINED,
    ),
    ForeignDialect(
        key="pythonic",
        title="as a Python call, as Llama 3.2 and 4 models do",
        vllm="pythonic",
        sglang="pythonic",
        contract=_SHOW_TAGS,
    ),
    ForeignDialect(
        key="invoke",
        title="in the XML form with <invoke>",
        vllm="",
        sglang="",
        contract=_SHOW_TAGS,
    ),
    ForeignDialect(
        key="minimax",
        title="in the form of MiniMax M2 models (<minimax:tool_call>)",
        vllm="minimax_m2",
        sglang="minimax-m2",
        contract=_TRAINED,
    ),
    ForeignDialect(
        key="minimax-m1",
        title="in the form of MiniMax M1 models (<tool_calls>)",
        vllm="",
        sglang="",
        contract=_SHOW_TAGS,
    ),
    ForeignDialect(
        key="glm",
        title="in the form of GLM models (<arg_key>)",
        vllm="glm45",
        sglang="glm",
        contract=_TRAINED,
    ),
    ForeignDialect(
        key="deepseek-v3",
        title="in the form of DeepSeek V3 and R1 models",
        vllm="deepseek_v3",
        sglang="deepseekv3",
        contract=_TRAINED,
    ),
    ForeignDialect(
        key="deepseek-v3.1",
        title="in the form of DeepSeek V3.1 models",
        vllm="deepseek_v31",
        sglang="deepseekv31",
        contract=_TRAINED,
    ),
    ForeignDialect(
        key="deepseek-v3.2",
        title="in the form of DeepSeek V3.2 models (DSML)",
        vllm="deepseek_v32",
        sglang="deepseekv32",
        contract=_TRAINED,
    ),
    ForeignDialect(
        key="kimi",
        title="in the form of Kimi K2 models (<|tool_call_begin|>)",
        vllm="kimi_k2",
        sglang="kimi_k2",
        contract=_TRAINED,
    ),
    ForeignDialect(
        key="harmony",
        title="in the form of gpt-oss models (harmony)",
        vllm="openai",
        sglang="gpt-oss",
        contract=_TRAINED,
    ),
)

DIALECTS: Final = {dialect.key: dialect for dialect in _ALL}
"""Each form by its key."""


def describe(form: ForeignForm) -> str:
    """Say what a foreign form looks like and whether its calls were read.

    >>> from workbench.chat.finding import Span
    >>> describe(ForeignForm(dialect="mistral", span=Span(0, 12), names=("f",), is_read=False))
    'A call of f, written in the form of Mistral models ([TOOL_CALLS]). Not read.'
    """
    called = f"A call of {' and '.join(form.names)}" if form.names else "Looks like a call"
    outcome = "Read at the level lenient." if form.is_read else "Not read."
    return f"{called}, written {DIALECTS[form.dialect].title}. {outcome}"
