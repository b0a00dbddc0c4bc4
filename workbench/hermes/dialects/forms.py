"""The table of foreign forms: how each opens, how a call in it is written, and what ends it.

The rows say everything that differs between the forms; `find.py` reads all of them in the same way. All openers
together are one regular expression, so that prose is searched once.

*Sources:* the tool parsers of vLLM 0.33 and SGLang 0.5, the chat templates and parsers of llama.cpp, Qwen-Agent.
"""

import re
from dataclasses import replace
from typing import Final

from workbench.hermes.dialects.form import NOTHING, Form

_NAME: Final = r"(?P<name>[\w.-]+)"
_NAMESPACE: Final = "(?:｜DSML｜ ?|atem:|steptml:)?"
_INVOKE: Final = rf"<{_NAMESPACE}invoke\s+name=\"(?P<name>[^\"<>]*)\"\s*+(?:>|(?P<empty>/>))"
_INVOKE_END: Final = rf"</{_NAMESPACE}invoke>"


def _invoke(
    dialect: str,
    opens: str,
    ends: str,
    *,
    call: str = _INVOKE,
    closes: str = _INVOKE_END,
    quotes: str = NOTHING,
) -> Form:
    """`<invoke name="f"><parameter name="a">1</parameter></invoke>`, with or without a prefix in its tags."""
    return Form(
        dialect=dialect,
        opens=opens,
        bodies=("tagged", "objects"),
        call=call,
        parameter=rf"<{_NAMESPACE}parameter\s+name=\"(?P<name>[^\"<>]*)\"(?:\s+string=\"(?:true|(?P<json>false))\")?\s*+>",
        value_end=rf"</{_NAMESPACE}parameter>",
        trims=True,
        closes=closes,
        ends=ends,
        quotes=quotes,
    )


def _pairs(dialect: str, opens: str, call: str, closes: str, ends: str, *, tag: str = "") -> Form:
    """`<arg_key>a</arg_key><arg_value>1</arg_value>` for each argument; `tag` is what precedes `arg_`."""
    kind = rf"(?:\s*+<{tag}arg_type>(?:string|(?P<json>[^<]*))</{tag}arg_type>)?"
    return Form(
        dialect=dialect,
        opens=opens,
        bodies=("tagged", "objects"),
        call=call,
        parameter=rf"<{tag}arg_key>(?P<name>[^<]*)</{tag}arg_key>{kind}\s*+<{tag}arg_value>",
        value_end=rf"</{tag}arg_value>",
        closes=closes,
        ends=ends,
    )


def _objects(dialect: str, opens: str, ends: str = "") -> Form:
    return Form(dialect=dialect, opens=opens, bodies=("objects",), ends=ends)


def _deepseek(dialect: str, before: str, after: str) -> Form:
    """The forms of DeepSeek V3 and V3.1, which differ in what is around the name."""
    token = "<[｜|]tool[▁_]{}[｜|]>".format
    begin, sep = token("call[▁_]begin"), token("sep")
    ahead = rf"(?=\s*+{begin}{before}{sep})" if before else ""
    return Form(
        dialect=dialect,
        opens=rf"{token('calls[▁_]begin')}{ahead}|{begin}(?={before}{sep if before else ''})",
        bodies=("named",),
        call=begin
        + (rf"{before}{sep}(?P<name>[^\n<{{]+){after}" if before else rf"(?P<name>[^<\n{{]+){sep}{after}"),
        closes=rf"(?:```)?\s*+{token('call[▁_]end')}",
        ends=token("calls[▁_]end"),
    )


_HARMONY: Final = Form(
    dialect="harmony",
    opens=r"to=(?=functions\.[\w.-])",
    bodies=("named",),
    call=r"[^{}]{0,80}?to=(?P<name>functions\.[\w.-]++)[^{}]{0,80}+(?=\{)",
    ends=r"<\|(?:call|end|return)\|>",
)
_STEP3_KIND: Final = r"[^<]*+(?:<[｜|]tool_sep[｜|]>\s*+)?"
_STEP3: Final = _invoke(
    "step3",
    rf"<[｜|]tool_calls_begin[｜|]>(?=\s*+<[｜|]tool_call_begin[｜|]>{_STEP3_KIND}<steptml:)"
    rf"|<[｜|]tool_call_begin[｜|]>(?={_STEP3_KIND}<steptml:)|<steptml:invoke (?=name=)",
    "<[｜|]tool_calls_end[｜|]>",
    call=rf"(?:<[｜|]tool_call_begin[｜|]>{_STEP3_KIND})?{_INVOKE}",
    closes=_INVOKE_END + r"(?:\s*+<[｜|]tool_call_end[｜|]>)?(?:\s*+<[｜|]tool_sep[｜|]>)?",
)
_MUSE_QUOTES: Final = r"\bto=(?:self|user)<\|message\|>[^<]*+(?:<(?!\|(?:eom|eot|start)\|>)[^<]*+)*+"
"""A thought of Muse, or its answer to the user. At the start of a completion, the prompt has written `<|start|>`."""
_PLAMO: Final = r"<\|plamo:{}:plamo\|>".format

_FUNCTIONARY: Final = Form(
    dialect="functionary",
    opens=r">>>(?=[\w.-]*\w\n\{)",
    bodies=("named",),
    call=rf"(?:>>>)?{_NAME}\n(?=\{{)",
    is_plain=True,
)

GLM: Final = _pairs("glm", NOTHING, rf"{_NAME}(?:\s*+<tool_sep>)?", "", "")
"""The body of a `<tool_call>` block of GLM models."""

WITH_TOKEN: Final = (
    Form(
        dialect="mistral",
        opens=r"\[TOOL_CALLS\]",
        bodies=("objects", "named"),
        call=rf"\[TOOL_CALLS\]\s*+{_NAME}(?:\[CALL_ID\][\w-]*)?(?:\[ARGS\])?\s*+(?=\{{)",
    ),
    Form(dialect="llama-python-tag", opens=r"<\|python_tag\|>", bodies=("objects", "pythonic")),
    Form(dialect="pythonic", opens=r"<\|python_start\|>", bodies=("pythonic",), ends=r"<\|python_end\|>"),
    Form(
        dialect="lfm2",
        opens=r"<\|tool_call_start\|>",
        bodies=("pythonic", "objects"),
        ends=r"<\|tool_call_end\|>",
    ),
    Form(
        dialect="olmo3",
        opens=r"<function_calls>(?=\s*+\[?\s*+[A-Za-z_][\w.-]*\()",
        bodies=("pythonic",),
        ends="</function_calls>",
    ),
    _objects("phi-4-mini", r"functools(?=\[\s*+\{)"),
    _objects("granite", r"<\|tool_call\|>"),
    _objects("gigachat", r"<\|function_call\|>"),
    _objects("gigachat", r"function call<\|role_sep\|>"),
    _objects("internlm", r"<\|action_start\|>\s*+<\|plugin\|>", r"<\|action_end\|>"),
    _objects("command-r", r"<\|START_ACTION\|>", r"<\|END_ACTION\|>"),
    _objects("inkling", r"<\|content_invoke_tool_json\|>", r"<\|end_message\|>"),
    _objects("longcat", "<longcat_tool_call>", "</longcat_tool_call>"),
    _objects("minimax-m1", r"<tool_calls>(?=\s*+[{\[])", "</tool_calls>"),
    Form(dialect="apertus", opens=r"<\|tools_prefix\|>", bodies=("entries",), ends=r"<\|tools_suffix\|>"),
    Form(dialect="gemma-4", opens=r"<\|tool_call>(?=\s*+(?:call)?:)", ends=r"<tool_call\|>"),
    Form(dialect="functiongemma", opens=r"<start_function_call>(?=\s*+call:)", ends="<end_function_call>"),
    Form(dialect="tool-call-brackets", opens=r"\[TOOL_CALL\](?=\s*+\{)", ends=r"\[/TOOL_CALL\]"),
    Form(
        dialect="kimi",
        opens=r"<\|tool_calls_section_begin\|>|<\|tool_call_begin\|>",
        bodies=("named",),
        call=rf"(?:<\|tool_call_begin\|>)?\s*+{_NAME}(?::\d+)?\s*+<\|tool_call_argument_begin\|>",
        closes=r"<\|tool_call_end\|>",
        ends=r"<\|tool_calls_section_end\|>",
    ),
    Form(
        dialect="kimi-k3",
        opens=r"<\|open\|>\s*+(?:tools\s*+<\|sep\|>|call (?=tool=))",
        bodies=("tagged",),
        call=r"<\|open\|>\s*+call tool=\"(?P<name>[^\"<>]*)\"[^<>]*<\|sep\|>",
        parameter=r"<\|open\|>\s*+argument key=\"(?P<name>[^\"]*)\""
        r"(?: type=\"(?:string|(?P<json>\w*))\")?[^<>]*<\|sep\|>",
        value_end=r"<\|close\|>\s*+argument\s*+<\|sep\|>",
        closes=r"<\|close\|>\s*+call\s*+<\|sep\|>",
        ends=r"<\|close\|>\s*+tools\s*+<\|sep\|>",
    ),
    _STEP3,
    _deepseek("deepseek-v3", "function", r"\s*+```json"),
    _deepseek("deepseek-v3.1", "", ""),
    _invoke(
        "deepseek-v3.2", "<｜DSML｜function_calls>|<｜DSML｜invoke (?=name=)", "</｜DSML｜function_calls>"
    ),
    _invoke(
        "deepseek-v4",
        "<｜DSML｜(?:tool_calls| calls)>|<｜DSML｜ invoke (?=name=)",
        "</｜DSML｜(?:tool_calls| calls)>",
    ),
    _invoke(
        "muse",
        r"(?:<\|start\|>assistant to=[\w.-]+<\|message\|>\s*+)?<atem:(?:function_calls>|invoke (?=name=))",
        "</atem:function_calls>",
        quotes=_MUSE_QUOTES,
    ),
    _invoke("minimax", "<minimax:tool_call>", "</minimax:tool_call>"),
    _invoke("dots", "<dots_function_call>", "</dots_function_call>"),
    _invoke("invoke", r"<function_calls>(?=\s*+<invoke )|<invoke (?=name=\")", "</function_calls>"),
    Form(
        dialect="minicpm5",
        opens=r"<function[ Ġ]?name=\"[^\"<>\n]*\">(?=\s*+<(?:param[ Ġ]?name=|/function>))",
        bodies=("tagged",),
        call=r"<function[ Ġ]?name=\"(?P<name>[^\"<>\n]*)\">",
        parameter=r"<param[ Ġ]?name=\"(?P<name>[^\"<>]*)\">",
        value_end="</param>",
        closes="</function>",
    ),
    _pairs(
        "hunyuan-v3",
        r"<tool_calls>(?=\s*+<tool_call>[\w.-]+\s*+<tool_sep>)",
        rf"<tool_call>\s*+{_NAME}\s*+<tool_sep>",
        "</tool_call>",
        "</tool_calls>",
    ),
    _pairs(
        "k2-horizon",
        r"<ifm\|tool_calls>(?:\s*+<ifm\|tool_call>(?=\s*+\{))?|<ifm\|tool_call>",
        rf"<ifm\|tool_call>\s*+{_NAME}",
        r"</ifm\|tool_call>",
        r"</ifm\|tool_calls>",
        tag=r"ifm\|",
    ),
    Form(
        dialect="seed-oss",
        opens=r"<seed:tool_call>(?=\s*+<function=)",
        bodies=("functions",),
        ends="</seed:tool_call>",
    ),
    Form(
        dialect="plamo",
        opens=_PLAMO("begin_tool_requests?"),
        bodies=("named",),
        call=rf"(?:{_PLAMO('begin_tool_request')})?{_PLAMO('begin_tool_name')}(?P<name>[^<]+)"
        rf"{_PLAMO('end_tool_name')}[^{{}}]{{0,120}}(?=\{{)",
        closes=rf"{_PLAMO('end_tool_arguments')}(?:\s*+{_PLAMO('end_tool_request')})?",
        ends=_PLAMO("end_tool_requests"),
    ),
    replace(
        _HARMONY,
        opens=r"<\|(?:start\|>assistant(?:<\|channel\|>(?:commentary|analysis))?\s?"
        rf"|channel\|>(?:commentary|analysis) ){_HARMONY.opens}",
    ),
    _HARMONY,
    Form(
        dialect="qwen-agent",
        opens="✿FUNCTION✿",
        bodies=("named",),
        call=rf"✿FUNCTION✿:?\s*+{_NAME}\s*+✿ARGS✿:?\s*+(?=\{{)",
        result="✿RESULT✿|✿RETURN✿",
    ),
    _FUNCTIONARY,
    Form(
        dialect="function-name",
        opens=r"<function>(?=\s*+[\w.-]+\s*+</function>\s*+\{)",
        bodies=("named",),
        call=rf"<function>\s*+{_NAME}\s*+</function>\s*+(?=\{{)",
        is_plain=True,
    ),
    Form(
        dialect="near-miss-tag",
        opens=r"[<＜‹〈][^<>＜＞‹›〈〉\n]{1,40}[>＞›〉](?=\s*+[{\[])",
        bodies=("objects",),
        is_plain=True,
    ),
)
"""The forms that begin with a token. Of two that fit, the earlier one counts."""

AT_LINE_START: Final = (
    Form(
        dialect="fenced-json",
        opens=r"```(?:json|tool_call|tool_code|python)?[^\S\n]*\n(?=\s*+(?:[{\[]|[A-Za-z_][\w.]*\())",
        bodies=("objects", "pythonic"),
        closes=r"```[^\S\n]*(?=\n|\Z)",
        is_plain=True,
    ),
    Form(dialect="bare-json", opens=r"(?=[{\[]\s*+[{\"])", bodies=("objects",), is_plain=True),
    Form(
        dialect="react",
        opens=r"Action:(?=[^\S\n]*[\w.-]+[^\S\n]*\n\s*+Action Input:)",
        bodies=("named",),
        call=rf"Action:\s*+{_NAME}\s*+Action Input:\s*+(?=\{{)",
        result=r"(?m:^)[^\S\n]*Observation:",
        is_plain=True,
    ),
    replace(_FUNCTIONARY, opens=r"\A(?=[\w.-]*\w\n\{)"),
    Form(
        dialect="pythonic",
        opens=r"(?=(?:\[\s*+)?[A-Za-z_][\w.]*\(\s*+(?:[A-Za-z_]\w*\s*=[^=]|\)))",
        bodies=("pythonic",),
        is_plain=True,
    ),
)
"""The forms that begin like other text. They count at the start of a line, and after a thought."""

FORMS: Final = WITH_TOKEN + AT_LINE_START
_NUMBERS: Final = {id(form): number for number, form in enumerate(FORMS)}


def _group(form: Form, opens: str) -> str:
    return f"(?P<f{_NUMBERS[id(form)]}>{opens})"


# Most openers start with `<`. Comparing that character once, and then the rest, is much faster than comparing each.
_ANGLE: Final = "|".join(_group(form, form.opens) for form in WITH_TOKEN if form.opens.startswith("<"))
_OTHER: Final = "|".join(_group(form, form.opens) for form in WITH_TOKEN if not form.opens.startswith("<"))
_LINE: Final = r"[^\S\n]*(?:" + "|".join(_group(form, form.opens) for form in AT_LINE_START) + ")"
OPENER: Final = re.compile(rf"(?=<)(?:{_ANGLE})|(?=[\[tf✿<>＜‹〈])(?:{_OTHER})|(?m:^){_LINE}")
"""The opener of any form."""
LINE_OPENER: Final = re.compile(_LINE)
"""The opener of a form of `AT_LINE_START`, wherever it is."""


_STEP_CHARS: Final = 4_000
_LONGEST_OPENER: Final = 1_000
"""White space in an opener, and names before it, may be this long."""


def find_opener(text: str, start: int, end: int) -> "re.Match[str] | None":
    """Return the first opener in `text[start:end]`.

    A search stops all other threads, for half a second where each of 200,000 characters could begin an opener. So it
    takes one step after the other, each a little into the next one, where an opener may end.
    """
    while start < end:
        stop = start + _STEP_CHARS
        opener = OPENER.search(text, start, min(end, stop + _LONGEST_OPENER))
        if opener and opener.start() < stop:
            return OPENER.match(text, opener.start(), end)
        start = stop
    return None


def form_of(opener: "re.Match[str]") -> Form:
    """Return the form that a match of `OPENER` or `LINE_OPENER` opens."""
    return FORMS[int(str(opener.lastgroup)[1:])]
