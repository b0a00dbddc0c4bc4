"""`workbench differ`: show what other parsers would have extracted from the same text."""

import json
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.paint import Paint, Tone, shown, terminal_paint, write_json_line
from workbench.cli.terminal.sources import STANDARD_INPUT, TOOLS_HELP, read_text, select_tools
from workbench.hermes.parser_comparison import ParserRule, RuleResult
from workbench.hermes.replicas.attempt import ReplicaCall


def differ(
    source: Annotated[str, typer.Argument(metavar="FILE|-", help="- reads standard input.")] = STANDARD_INPUT,
    tools: Annotated[list[str] | None, typer.Option(help=TOOLS_HELP)] = None,
    json_output: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Show what strict, vLLM's, SGLang's and the seeds' rules take from a completion, and why they lose."""
    from workbench.hermes import parser_comparison as rules

    answers = rules.differ(read_text(source), select_tools(tools))
    if json_output:
        write_json_line({"rules": [_fields(taken) for taken in answers]})
        return
    for line in _lines(answers, terminal_paint()):
        print(line)


def _lines(answers: Sequence[RuleResult], paint: Paint) -> Iterator[str]:
    for taken in answers:
        is_even = not taken.lost and not taken.invented
        title = taken.rule if taken.rule is ParserRule.STRICT else f"{taken.rule} (replica)"
        counts = f"{len(taken.calls)} taken, {len(taken.lost)} lost, {len(taken.invented)} made up"
        yield f"{paint(title, Tone.TITLE)}  {paint(counts, Tone.CALL if is_even else Tone.BAD)}"
        for sign, calls in (("=", _kept(taken)), ("-", taken.lost), ("+", taken.invented)):
            for call in calls:
                tone = Tone.PROSE if sign == "=" else Tone.BAD
                yield f"  {paint(f'{sign} {_spelled(call)}', tone)}"
        if taken.why:
            yield f"  {paint(shown(taken.why), Tone.QUIET)}"


def _kept(taken: RuleResult) -> list[ReplicaCall]:
    """The calls that the tolerant reader gives too."""
    return [call for call in taken.calls if not any(call is other for other in taken.invented)]


def _spelled(call: ReplicaCall) -> str:
    arguments = "" if call.arguments is None else " " + json.dumps(call.arguments, ensure_ascii=False)
    return shown((call.name or "(no name)") + arguments)


def _fields(taken: RuleResult) -> JsonObject:
    return {
        "rule": taken.rule.value,
        "replica": taken.rule is not ParserRule.STRICT,
        "calls": [_call_fields(call) for call in taken.calls],
        "lost": [_call_fields(call) for call in taken.lost],
        "invented": [_call_fields(call) for call in taken.invented],
        "why": taken.why,
    }


def _call_fields(call: ReplicaCall) -> JsonObject:
    return {"name": call.name, "arguments": call.arguments}
