"""Inputs that were read or written wrongly once: found in other people's test suites and in public bug reports.

A line of `cases.jsonl` has the input, the right value, and the kind of check below. `missing` says what has to be built
before a case passes; then take the word away, because a case that passes with it fails the test.
"""

import json
import re
from pathlib import Path

import pytest

from tests.conformance.archives import ARCHIVES
from tests.engines.remote.scripted_server import DONE, delta, scripted_server, stream
from tests.gateway.serving import ANSWER, WEATHER, gateway_over, message_of
from tests.gateway.upstream import in_front_of
from tests.hermes.laws import assert_events_match, streamed
from tests.suite.rollouts import rollout
from tests.toolspec.test_grammar import allows
from workbench.hermes.openai_messages import parse_messages
from workbench.hermes.parse import parse
from workbench.hermes.reading import CallStatus
from workbench.hermes.render import render
from workbench.suite.exchange.promptfoo import import_promptfoo
from workbench.suite.score import score
from workbench.toolspec.check import check_arguments
from workbench.toolspec.grammar import CallMarks, calls_grammar
from workbench.toolspec.tools_text import parse_tools

CASES = [json.loads(line) for line in Path(__file__).with_name("cases.jsonl").read_text("utf-8").splitlines()]
MARKS = CallMarks(open="<tool_call>\n", close="\n</tool_call>", between="\n")


def cases(kind):
    """Return the cases of a kind as parameters of a test."""
    found = [case for case in CASES if case["kind"] == kind]
    assert found, kind
    return pytest.mark.parametrize(
        ("given", "expected"),
        [
            pytest.param(
                case["input"],
                case["expected"],
                id=case["id"],
                marks=[pytest.mark.xfail(strict=True, reason=case["missing"])] if "missing" in case else (),
            )
            for case in found
        ],
    )


def test_each_case_has_a_check_and_an_id_of_its_own():
    kinds = {"read", "tools", "grammar", "render", "convert", "fix-out", "upstream", "request", "promptfoo"}
    assert {case["kind"] for case in CASES} == kinds
    assert len({case["id"] for case in CASES}) == len(CASES) >= 82


def test_the_suites_are_those_of_the_versions_that_the_workbench_is_tested_with():
    constraints = Path(__file__).parents[2].joinpath("constraints.txt").read_text()
    versions = dict(re.findall(r"^([\w-]+)==(\S+)$", constraints, re.MULTILINE))
    for archive in ARCHIVES:
        # Newer source archives of json-repair have no tests, and the servers are not installed.
        if archive.project not in ("json-repair", "vllm", "sglang"):
            assert versions[archive.project] == archive.version


@cases("read")
def test_a_text_is_read_right_and_the_same_in_pieces(given, expected):
    text = given["text"]
    options = {
        "tools": parse_tools(given["tools"]) if given["tools"] else None,
        "level": given.get("level", "tolerant"),
    }
    reading = parse(text, **options)
    calls = [[call.name, dict(call.arguments)] for call in reading.calls]
    if "calls" in expected and calls != expected["calls"]:
        match expected.get("or"):
            case "a finding":
                assert reading.findings
            case "uncertain":
                assert all(is_uncertain(call) for call in reading.calls)
            case other:
                assert calls == other
    if "foreign" in expected:
        assert expected["foreign"] in {form.dialect for form in reading.foreign}
    for place in range(1, len(text)):
        events, in_pieces = streamed([text[:place], text[place:]], **options)
        assert in_pieces == reading
        assert_events_match(events, reading)


def is_uncertain(call):
    """Whether a call is not shown as certain: it cannot be run, or a guess or a finding says why it may be wrong."""
    return (
        call.status is not CallStatus.READY or any(fix.is_guess for fix in call.fixes) or bool(call.findings)
    )


@cases("tools")
def test_tools_of_other_people_are_offered(given, expected):
    tools = parse_tools(given["tools"])
    assert [spec.name for spec in tools.specs] == expected["offered"]
    if "reported" in expected:
        assert any(expected["reported"] in finding.message for finding in tools.findings)
    if "is_valid" in expected:
        assert (not check_arguments(tools.specs[0], given["arguments"])) == expected["is_valid"]


@pytest.mark.model
@cases("grammar")
def test_a_grammar_and_the_reader_agree(vocabulary, given, expected):
    tools = parse_tools([given["tool"]])
    grammar = calls_grammar(tools, MARKS, dialect="json", begins_open=False)

    def text_of(arguments):
        call = json.dumps({"name": tools.specs[0].name, "arguments": arguments})
        return f"{MARKS.open}{call}{MARKS.close}"

    def is_read(arguments):
        [call] = parse(text_of(arguments), tools=tools).calls
        return call.status is CallStatus.READY

    for arguments in expected["accepted"]:
        assert allows(vocabulary, grammar.text, text_of(arguments)) and is_read(arguments), arguments
    for arguments in expected["not_silently"]:
        assert grammar.findings or not allows(vocabulary, grammar.text, text_of(arguments)), arguments
    for arguments in expected["same_as_reader"]:
        assert allows(vocabulary, grammar.text, text_of(arguments)) == is_read(arguments), arguments


@cases("render")
def test_a_conversation_is_written_right(given, expected):
    prompt = render(parse_messages(given["messages"]).conversation, family=given["family"])
    assert expected["without"] not in prompt.text


@cases("convert")
def test_a_row_is_converted_whole_or_the_loss_is_reported(run_cli, tmp_path, given, expected):
    written = tmp_path / "written.jsonl"
    done = run_cli("convert", row_file(tmp_path, given["row"]), "--to", given["to"], "--out", written)
    rows = written.read_text() if written.exists() else ""
    got = {path: value_at(json.loads(rows), path) for path in expected["row"]} if rows else None
    if got != expected["row"]:
        assert "or_reported" in expected, (got, done)
        assert re.search(expected["or_reported"], done.err), (got, done)
    if "check" in expected:
        assert expected["check"] not in run_cli("check", written).out


@cases("fix-out")
def test_a_checked_row_is_fixed(run_cli, tmp_path, given, expected):
    done = run_cli("check", row_file(tmp_path, given["row"]), "--fix-out", tmp_path / "fixed.jsonl")
    assert f"{expected['fixed']} of them fixed" in done.out + done.err
    assert run_cli("check", tmp_path / "fixed.jsonl").code == 0


def row_file(folder, row):
    path = folder / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n")
    return path


def value_at(value, path):
    """Return the value at a path such as `messages[1].content`, or None."""
    for step in re.findall(r"\w+", path):
        try:
            value = value[int(step)] if step.isdigit() else value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


@cases("upstream")
def test_the_gateway_keeps_or_reports_what_a_server_answers(tmp_path, given, expected):
    pieces = [delta(piece["finish_reason"], **piece["delta"]) for piece in given["pieces"]]
    with scripted_server(stream(*pieces, DONE)) as server, in_front_of(tmp_path, server) as gateway:
        answer = gateway.chat(model="hermes", tools=[WEATHER]).json()
        chunks = gateway.stream(model="hermes", tools=[WEATHER])
    if "findings" in expected:
        assert answer["hermes"]["findings"]
    if "calls" in expected:
        for message in (answer["choices"][0]["message"], message_of(chunks)):
            functions = [call["function"] for call in message.get("tool_calls") or ()]
            calls = [[function["name"], json.loads(function["arguments"])] for function in functions]
            assert calls == expected["calls"] or message["content"] == expected.get("or_content")


@cases("request")
def test_the_gateway_answers_a_request(tmp_path, given, expected):
    with gateway_over(tmp_path, ANSWER) as gateway:
        answer = gateway.chat(given["messages"], tools=given["tools"])
    if answer.status_code != expected.get("or_status"):
        assert answer.status_code == expected["status"], answer.text
        assert expected["finding"] in json.dumps(answer.json()["hermes"])


@cases("promptfoo")
def test_a_promptfoo_file_is_imported_whole_or_the_rest_is_listed(given, expected):
    imported = import_promptfoo(json.dumps(given["config"]), name="p")
    prompts = [case.messages[-1].text for case in imported.suite.cases]
    if "prompts" in expected:
        assert prompts == expected["prompts"]
    if "left_out" in expected and prompts != expected.get("or_prompts"):
        assert expected["left_out"] in " ".join(imported.left_out)
    if "passed" in expected:
        case = imported.suite.cases[0]
        offered = parse_tools(list(case.tool_specs))
        assert score(case, rollout(expected["passed"], tools=offered)).is_passed
