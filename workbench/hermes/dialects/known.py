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


def _trained(key: str, form: str, vllm: str = "", sglang: str = "") -> ForeignDialect:
    """A form that its models were trained on."""
    return ForeignDialect(
        key=key, title=f"in the form of {form}", vllm=vllm, sglang=sglang, contract=_TRAINED
    )


def _taught(key: str, title: str, vllm: str = "", sglang: str = "", *, also: str = "") -> ForeignDialect:
    """A form that a contract or a server may have caused."""
    return ForeignDialect(key=key, title=title, vllm=vllm, sglang=sglang, contract=_SHOW_TAGS + also)


_ALL: Final = (
    _taught(
        "fenced-json", "as JSON in a code fence", also=" Add that calls are never written in a code fence."
    ),
    _taught("bare-json", "as JSON without tags, as Llama 3 models do", "llama3_json", "llama3"),
    ForeignDialect(
        key="near-miss-tag",
        title="with a misspelled <tool_call> tag",
        contract=(
            "Check the tag in the contract for the same mistake or for invisible characters, and show one example."
        ),
    ),
    _trained("mistral", "Mistral models ([TOOL_CALLS])", "mistral", "mistral"),
    _trained("llama-python-tag", "Llama 3 models (<|python_tag|>)", "llama3_json", "llama3"),
    _taught("pythonic", "as a Python call, as Llama 3.2 and 4 models do", "pythonic", "pythonic"),
    _trained("lfm2", "LFM2 models (<|tool_call_start|>)", "lfm2", "lfm2"),
    _trained("olmo3", "OLMo 3 models (<function_calls>)", "olmo3"),
    _trained("phi-4-mini", "Phi-4-mini and Firefunction models (functools[…])", "phi4_mini_json"),
    _trained("granite", "Granite 3 models (<|tool_call|>)", "granite"),
    _trained("gigachat", "GigaChat 3 models (<|function_call|>)", "gigachat3", "gigachat3"),
    _trained("internlm", "InternLM models (<|plugin|>)", "internlm", "interns1"),
    _trained("command-r", "Command R and A models (<|START_ACTION|>)", "cohere_command3", "cohere_command4"),
    _trained("inkling", "Inkling models (<|content_invoke_tool_json|>)", "inkling", "inkling"),
    _trained("longcat", "LongCat models (<longcat_tool_call>)", "longcat"),
    _trained("apertus", "Apertus models (<|tools_prefix|>)", "apertus", "apertus2509"),
    _trained("gemma-4", "Gemma 4 models (<|tool_call>call:)", "gemma4", "gemma4"),
    _trained("functiongemma", "FunctionGemma models (<start_function_call>)", "functiongemma"),
    _taught("tool-call-brackets", "in square brackets ([TOOL_CALL])"),
    _taught("invoke", "in the XML form with <invoke>"),
    _trained("minimax", "MiniMax M2 models (<minimax:tool_call>)", "minimax_m2", "minimax-m2"),
    _taught("minimax-m1", "in the form of MiniMax M1 models (<tool_calls>)"),
    _trained("minimax-m3", "MiniMax M3 models (]<]minimax[>[)", "minimax_m3", "minimax-m3"),
    _trained("dots", "dots models (<dots_function_call>)", "dots", "dots"),
    _trained("muse", "Muse models (<atem:invoke>)", "muse", "muse"),
    _trained("minicpm5", "MiniCPM5 models (<param name=…>)", "minicpm5", "minicpm5"),
    _trained("seed-oss", "Seed-OSS models (<seed:tool_call>)", "seed_oss"),
    _trained("step3", "Step3 models (<steptml:invoke>)", "step3", "step3"),
    _trained("glm", "GLM models (<arg_key>)", "glm45", "glm"),
    _trained("hunyuan-v3", "Hunyuan V3 models (<tool_sep>)", "hy_v3", "hunyuan"),
    _trained("k2-horizon", "K2 Horizon models (<ifm|tool_call>)", "k2_horizon", "k2_horizon"),
    _trained("deepseek-v3", "DeepSeek V3 and R1 models", "deepseek_v3", "deepseekv3"),
    _trained("deepseek-v3.1", "DeepSeek V3.1 models", "deepseek_v31", "deepseekv31"),
    _trained("deepseek-v3.2", "DeepSeek V3.2 models (DSML)", "deepseek_v32", "deepseekv32"),
    _trained("deepseek-v4", "DeepSeek V4 models (DSML)", "deepseek_v4", "deepseekv4"),
    _trained("kimi", "Kimi K2 models (<|tool_call_begin|>)", "kimi_k2", "kimi_k2"),
    _trained("kimi-k3", "Kimi K3 models (<|open|>call)", "kimi_k3", "kimi_k3"),
    _trained("plamo", "PLaMo 3 models (<|plamo:begin_tool_request:plamo|>)", "plamo3"),
    _trained("harmony", "gpt-oss models (harmony)", "openai", "gpt-oss"),
    _trained("functionary", "Functionary 3.2 models (>>>)"),
    _taught("function-name", "with the name between <function> tags, and JSON after it"),
    _taught("qwen-agent", "in the form of Qwen-Agent (✿FUNCTION✿)"),
    _taught("react", "in the ReAct form (Action and Action Input)"),
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
