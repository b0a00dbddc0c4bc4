"""`workbench template check` checks a chat template from a file or from a GGUF model."""

import json

import pytest

from tests.engines.test_gguf import entry, gguf, string
from tests.hermes.templates.samples import GOOD, changed
from workbench.engines.embedded_model import find_embedded


@pytest.fixture
def jinja(tmp_path):
    def write(source):
        path = tmp_path / "template.jinja"
        path.write_text(source, encoding="utf-8")
        return path

    return write


def test_a_template_that_works_gives_exit_code_0(run_cli, jinja):
    done = run_cli("template", "check", "--jinja", jinja(GOOD))
    assert done.code == 0
    assert "note     results-in-tool-turn  results are in a 'tool' turn\n" in done.out
    assert "warning  marks-not-escaped" in done.out


def test_a_template_that_cannot_call_tools_gives_exit_code_1(run_cli, jinja):
    done = run_cli("template", "check", "--jinja", jinja(changed("{{- '\\n' + (tool | tojson) }}", "")))
    assert done.code == 1
    assert "error    tools-not-shown" in done.out


def test_json_is_one_object_and_nothing_else(run_cli, jinja):
    report = json.loads(run_cli("template", "check", "--jinja", jinja(GOOD), "--json").out)
    assert list(report) == ["findings", "differences"]
    assert list(report["findings"][0]) == ["code", "severity", "message"]
    assert report["differences"] is None


def test_the_prompt_of_a_contract_is_compared_with_the_prompt_of_the_template(run_cli, jinja):
    arguments = ["template", "check", "--jinja", jinja(GOOD), "--contract", "hermes-3"]
    out = run_cli(*arguments).out
    assert "contract 'hermes-3' (-) and the template (+) differ" in out
    assert "  special tokens differ\n" in out
    differences = json.loads(run_cli(*arguments, "--json").out)["differences"]
    assert {"change", "ours", "theirs", "has_mark"} == set(differences[0])


def test_a_template_that_fails_is_reported_and_not_compared(run_cli, jinja):
    path = jinja("{{ raise_exception('never') }}")
    done = run_cli("template", "check", "--jinja", path, "--contract", "minimal", "--json")
    report = json.loads(done.out)
    assert (done.code, report["differences"]) == (1, None)
    assert "template-fails" in [finding["code"] for finding in report["findings"]]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "give --gguf or --jinja, and not both"),
        (["--gguf", "a", "--jinja", "b"], 2, "give --gguf or --jinja, and not both"),
        (["--jinja", "/no/file"], 2, "file /no/file: No such file"),
        (["--jinja", "-"], 2, "template, line 1"),
        (["--gguf", "/no/model.gguf"], 2, "model file 'model.gguf': No such file"),
    ],
)
def test_bad_usage_is_reported_in_one_line(run_cli, arguments, code, message):
    done = run_cli("template", "check", *arguments, stdin="{% if %}")
    assert (done.code, done.out, len(done.err.splitlines())) == (code, "", 1)
    assert message in done.err


def test_an_unknown_contract_is_reported(run_cli, jinja):
    done = run_cli("template", "check", "--jinja", jinja(GOOD), "--contract", "tiny")
    assert (done.code, done.out) == (2, "")
    assert "no such contract" in done.err


@pytest.mark.model
def test_the_chat_template_of_the_embedded_model_does_not_support_tools(workbench):
    done = workbench("template", "check", "--gguf", find_embedded())
    assert done.returncode == 1
    assert "error    tools-not-shown" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GGUF\3\0\0\0" + bytes(16), "no tokenizer.chat_template in its metadata"),
        (b"x", "it is not a GGUF file"),
    ],
)
def test_a_model_file_without_a_template_is_reported_in_one_line(run_cli, tmp_path, data, message):
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    done = run_cli("template", "check", "--gguf", path)
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert message in done.err


def test_the_template_for_tools_is_checked_if_a_model_has_several(run_cli, tmp_path):
    path = tmp_path / "model.gguf"
    plain, tool_use = entry("tokenizer.chat_template", 8, string("x")), string(GOOD)
    path.write_bytes(gguf(plain, entry("tokenizer.chat_template.tool_use", 8, tool_use)))
    assert run_cli("template", "check", "--gguf", path).code == 0


def test_a_template_that_fails_cannot_be_compared(run_cli, jinja):
    assert (
        "cannot compare"
        in run_cli(
            "template", "check", "--jinja", jinja("{{ raise_exception('no') }}"), "--contract", "minimal"
        ).out
    )
