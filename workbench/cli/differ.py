"""`workbench differ`: show what other parsers would have extracted from the same text."""

import json
from collections.abc import Iterator, Sequence

from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import Paint, Tone, terminal_paint, write_json_line
from workbench.cli.terminal.sources import (
    STANDARD_INPUT,
    SourceArgument,
    ToolsOption,
    read_text,
    select_tools,
)
from workbench.cli.terminal.visible import shown
from workbench.hermes.parser_comparison import RuleResult
from workbench.hermes.replicas.attempt import ReplicaCall


def differ(
    source: SourceArgument = STANDARD_INPUT,
    tools: ToolsOption = None,
    json_output: JsonOption = False,
) -> None:
    """Compare what different parsers extract from a completion.

    Shows the calls that the strict reader and replicas of other parsers, such as those of vLLM and SGLang,
    extract, lose or invent compared with the tolerant reader, and why.
    """
    from workbench.hermes import parser_comparison

    results = parser_comparison.differ(read_text(source), select_tools(tools))
    if json_output:
        write_json_line({"rules": [_fields(result) for result in results]})
        return
    for line in _lines(results, terminal_paint()):
        print(line)


def _lines(results: Sequence[RuleResult], paint: Paint) -> Iterator[str]:
    for result in results:
        is_same = not result.lost and not result.invented
        title = f"{result.rule} ({result.rule.origin})" if result.rule.origin else result.rule
        counts = f"{len(result.calls)} extracted, {len(result.lost)} lost, {len(result.invented)} invented"
        yield f"{paint(title, Tone.TITLE)}  {paint(counts, Tone.CALL if is_same else Tone.BAD)}"
        for sign, calls in (("=", _shared_calls(result)), ("-", result.lost), ("+", result.invented)):
            for call in calls:
                tone = Tone.PROSE if sign == "=" else Tone.BAD
                yield f"  {paint(f'{sign} {_call_text(call)}', tone)}"
        if result.why:
            yield f"  {paint(shown(result.why), Tone.QUIET)}"


def _shared_calls(result: RuleResult) -> list[ReplicaCall]:
    """Return the calls that the tolerant reader extracts too."""
    return [call for call in result.calls if not any(call is other for other in result.invented)]


def _call_text(call: ReplicaCall) -> str:
    arguments = "" if call.arguments is None else " " + json.dumps(call.arguments, ensure_ascii=False)
    return shown((call.name or "(no name)") + arguments)


def _fields(result: RuleResult) -> JsonObject:
    return {
        "rule": result.rule.value,
        "replica": bool(result.rule.origin),
        "version": result.rule.version,
        "calls": [_call_fields(call) for call in result.calls],
        "lost": [_call_fields(call) for call in result.lost],
        "invented": [_call_fields(call) for call in result.invented],
        "why": result.why,
    }


def _call_fields(call: ReplicaCall) -> JsonObject:
    return {"name": call.name, "arguments": call.arguments}
