"""The public Python API: `from workbench import …` is complete, light, documented and works in other processes."""

import json
import pickle
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import workbench
from workbench import Stream, check_rows, convert_rows, parse, parse_tools, render

CHECKOUT = Path(__file__).parents[1]
HEAVY = {
    "gradio", "llama_cpp", "sqlmodel", "sqlalchemy", "alembic", "huggingface_hub", "openai", "httpx2", "httpx",
    "pyarrow", "typer", "torch", "transformers", "fastapi", "pydantic", "pandas",
}  # fmt: skip
PROGRAM = """
from workbench import Conversation, Message, Role, Stream, check_rows, convert_rows, parse, parse_tools, render
tools = parse_tools([{"name": "f", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}])
text = '<tool_call>{"name": "f", "arguments": {"n": "x"}}</tool_call>'
assert parse(text, tools=tools).calls[0].status == "invalid-arguments"
stream = Stream(tools=tools)
stream.feed(text)
assert stream.finish() == parse(text, tools=tools)
hello = Conversation(messages=(Message(role=Role.USER, text="Hello"),))
assert "Hello" in render(hello, family="qwen3", tools=tools).text
row = {"messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi."}]}
assert list(check_rows([row])) == []
assert [done.row for done in convert_rows([row], "trl")] == [row]
"""
TOOLS = [
    {
        "name": "f",
        "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    }
]
CALL = '<tool_call>{"name": "f", "arguments": {"n": "x"}}</tool_call>'


def loaded_by(program):
    """Return the top-level names of all modules that a program loads in a fresh interpreter."""
    code = f"{program}\nimport sys; print(sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(re.findall(r"'(\w+)'", done.stdout))


def test_importing_the_package_loads_only_the_standard_library():
    assert not loaded_by("import workbench") & {*packages_distributions()} - {"workbench"} - loaded_by("")


def test_using_all_of_it_loads_nothing_heavy():
    assert not loaded_by(PROGRAM) & HEAVY


@pytest.mark.slow
def test_the_packages_that_it_needs_are_those_that_the_page_names():
    distributions = packages_distributions()
    loaded = (loaded_by(PROGRAM) - loaded_by("")) & {*distributions}
    # The named packages bring these along, or use them if they are there.
    brought = {
        "workbench", "attr", "attrs", "idna", "jsonpointer", "jsonschema_specifications", "referencing", "rpds", "typing_extensions",
    }  # fmt: skip
    page = (CHECKOUT / "docs/how-to/use-the-reader-alone.md").read_text(encoding="utf-8")
    named = set(re.search(r"pip install (jsonschema .*)$", page, re.MULTILINE)[1].split())
    needed = {name.replace("_", "-") for module in loaded - brought for name in distributions[module]}
    assert needed == named


def test_every_public_name_exists_and_is_on_its_page():
    page = (CHECKOUT / "docs/reference/python.md").read_text(encoding="utf-8")
    for name in workbench.__all__:
        assert getattr(workbench, name) is not None
        assert f"`{name}" in page, name
    assert {*workbench.__all__} - {"__version__"} == {*workbench._PLACES}


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'parze'"):
        _ = workbench.parze


def test_tools_that_were_used_can_be_sent_to_another_process():
    tools = parse_tools(TOOLS)
    reading = parse(CALL, tools=tools)
    again = pickle.loads(pickle.dumps(tools))
    assert again == tools
    assert pickle.loads(pickle.dumps(reading)) == parse(CALL, tools=again)


def test_the_script_of_the_page_reads_a_batch_on_several_processes(tmp_path):
    page = (CHECKOUT / "docs/how-to/use-the-reader-alone.md").read_text(encoding="utf-8")
    script = next(
        block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "__main__" in block
    )
    (tmp_path / "batch.py").write_text(script)
    rows = [{"id": number, "text": CALL} for number in range(3)]
    (tmp_path / "completions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    done = subprocess.run(
        [sys.executable, "batch.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(CHECKOUT), "PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [["0", "f"], ["1", "f"], ["2", "f"]]


def test_rows_are_checked_with_their_index_and_together():
    row = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
    found = [(item.row, item.finding.code) for item in check_rows([{"a": 1}, "row", row, row])]
    assert found == [(0, "unknown-format"), (1, "unreadable-row"), (3, "duplicate-row")]


def test_rows_that_cannot_be_converted_have_their_problems():
    row = {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello."}]}
    bad, unread, good = convert_rows([{"a": 1}, 5, row], "openai")
    assert (bad.row, [problem.code for problem in bad.problems]) == (None, ["unknown-format"])
    assert (unread.row, [problem.code for problem in unread.problems]) == (None, ["unreadable-row"])
    assert good.row["messages"][-1]["content"] == "Hello."


@pytest.mark.parametrize("to", ["xlam", "nothing"])
def test_an_unknown_format_is_refused_before_the_first_row(to):
    with pytest.raises(workbench.BadInput):
        convert_rows([], to)


def trl_row(value):
    call = {"name": "f", "arguments": {"n": value}}
    return {
        "conversations": [
            {"from": "human", "value": "Hi"},
            {"from": "gpt", "value": f"<tool_call>\n{json.dumps(call)}\n</tool_call>"},
            {"from": "tool", "value": "<tool_response>\n1\n</tool_response>"},
            {"from": "gpt", "value": "1"},
        ],
        "tools": json.dumps(
            [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
        ),
    }


@pytest.mark.parametrize(("values", "kind"), [((1, 2), dict), ((1, "two"), str)])
def test_arguments_become_text_if_their_types_differ(values, kind):
    done = convert_rows((trl_row(value) for value in values), "trl")
    arguments = [item.row["messages"][1]["tool_calls"][0]["function"]["arguments"] for item in done]
    assert [type(value) for value in arguments] == [kind, kind]


@pytest.mark.slow
def test_a_strict_type_checker_accepts_a_program_and_knows_its_types(tmp_path):
    program = (
        PROGRAM
        + "reveal_type(parse(text).calls[0].name)\nreveal_type(tools)\nreveal_type(stream.feed(text))\n"
    )
    (tmp_path / "program.py").write_text(program)
    (tmp_path / "pyrightconfig.json").write_text(
        json.dumps({"typeCheckingMode": "strict", "extraPaths": [str(CHECKOUT)]})
    )
    pyright = Path(sys.executable).with_name("pyright")
    done = subprocess.run(
        [pyright, "--pythonpath", sys.executable, "--outputjson"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    messages = [entry["message"] for entry in json.loads(done.stdout)["generalDiagnostics"]]
    assert [message.split('is "')[1][:12] for message in messages] == [
        'str"',
        "OfferedTools",
        "tuple[TextDe",
    ], messages
    assert done.returncode == 0, messages


def test_the_names_of_the_issue_can_be_imported():
    assert all(callable(value) for value in (Stream, check_rows, convert_rows, parse, parse_tools, render))
