"""`workbench differ` compares what parsers extract from a completion."""

import json

from tests.cli.conftest import CHECKOUT
from workbench.hermes.server_releases import SGLANG, VLLM

TOOLS = CHECKOUT / "tests" / "corpus" / "tools.json"
TWO = (
    '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n'
    '<tool_call>\n{"name": "g", "arguments": {"a": 1,}}\n</tool_call>'
)


def test_each_parser_is_listed_with_its_calls_and_the_reason(run_cli):
    out = run_cli("differ", "--tools", TOOLS, stdin=TWO).out
    assert 'strict  1 extracted, 1 lost, 0 invented\n  = f {}\n  - g {"a": 1}\n' in out
    assert f"vLLM hermes (replica of {VLLM})  0 extracted, 2 lost, 0 invented" in out
    assert "one bad block loses all calls" in out


def test_json_is_one_object_and_nothing_else(run_cli, tmp_path):
    path = tmp_path / "completion.txt"
    path.write_text(TWO)
    rules = json.loads(run_cli("differ", path, "--json").out)["rules"]
    assert [rule["rule"] for rule in rules] == [
        "strict",
        "vLLM hermes",
        "SGLang hermes",
        "l3m-backend",
        "Hermes-FC",
        "Stella guide",
    ]
    assert [rule["replica"] for rule in rules] == [False] + [True] * 5
    assert rules[3]["lost"] == [{"name": "g", "arguments": {"a": 1}}]
    assert [rule["version"] for rule in rules] == ["", VLLM, SGLANG, "", "", ""]
    keys = ["rule", "replica", "version", "calls", "lost", "invented", "why"]
    assert all(list(rule) == keys for rule in rules)


def test_a_call_in_a_thought_that_other_parsers_extract_is_shown_as_invented(run_cli):
    text = '<think>maybe <tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call></think>No.'
    out = run_cli("differ", stdin=text).out
    assert f'vLLM hermes (replica of {VLLM})  1 extracted, 0 lost, 1 invented\n  + f {{"a": 1}}\n' in out
    assert "a call inside a thought is run" in out
