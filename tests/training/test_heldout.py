"""The held-out measurement: its cases, and which completions count as right."""

import json

import pytest

from tests.fakes import scripted
from tests.training.rows import contracts
from workbench.cli.training import heldout as command
from workbench.training.heldout import KINDS, HeldOutCase, draw_cases, run_case

COUNT = 12
BY_NAME = {kind.name: kind for kind in KINDS}


def minimal():
    return next(under.contract for under in contracts() if under.contract.name == "minimal")


@pytest.fixture(scope="module")
def cases() -> dict[str, list[HeldOutCase]]:
    return {kind.name: list(draw_cases(kind, minimal(), seed=1, count=COUNT)) for kind in KINDS}


def written(case: HeldOutCase) -> str:
    return "\n".join(
        f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"
        for name, arguments in case.calls
    )


def test_the_full_measurement_has_400_cases():
    assert {name: kind.cases for name, kind in BY_NAME.items()} == {
        "single": 200,
        "parallel": 50,
        "no call": 100,
        "missing": 50,
    }


@pytest.mark.parametrize("name", BY_NAME)
def test_every_kind_has_its_own_cases_which_are_the_same_each_time(cases, name):
    kind, found = BY_NAME[name], cases[name]
    assert len(found) == COUNT
    assert all(kind.least_calls <= len(case.calls) <= kind.most_calls for case in found)
    assert all(
        case.request in case.prompt and case.prompt.endswith("<|im_start|>assistant\n") for case in found
    )
    assert len({case.prompt for case in found}) == COUNT
    assert list(draw_cases(kind, minimal(), seed=1, count=COUNT)) == found
    assert not {case.prompt for case in draw_cases(kind, minimal(), seed=2, count=COUNT)} & {
        case.prompt for case in found
    }


@pytest.mark.parametrize("name", ["single", "parallel"])
def test_only_the_expected_calls_are_right(cases, name):
    for case in cases[name]:
        right = written(case)
        wrong_name = right.replace(f'"name": "{case.calls[0][0]}"', '"name": "another_tool"', 1)
        twice = f"{right}\n{right}"
        for text, is_right in (
            (right, True),
            (f"Let me see.\n{right}", True),
            (wrong_name, False),
            (twice, False),
            ("I cannot do that.", False),
            (right[: len(right) // 2], False),
        ):
            assert run_case(case, scripted(text)).is_right is is_right, text


def test_an_additional_argument_or_another_type_is_wrong(cases):
    for case in cases["single"]:
        name, arguments = case.calls[0]
        for changed in ({**arguments, "added": 1}, {key: [value] for key, value in arguments.items()}):
            if changed == arguments:
                continue
            text = f"<tool_call>\n{json.dumps({'name': name, 'arguments': changed})}\n</tool_call>"
            assert not run_case(case, scripted(text)).is_right


def test_an_answer_that_reached_the_limit_is_wrong(cases):
    case = cases["single"][0]
    assert not run_case(case, scripted(written(case) + " and on" * 400)).is_right


def test_if_no_call_is_needed_a_call_is_wrong_and_a_text_is_right(cases):
    call = '<tool_call>\n{"name": "any", "arguments": {}}\n</tool_call>'
    for case in cases["no call"]:
        assert run_case(case, scripted("With pleasure.")).is_right
        assert not run_case(case, scripted(call)).is_right


def test_if_something_is_missing_only_a_question_is_right(cases):
    for case in cases["missing"]:
        assert run_case(case, scripted("For which city?")).is_right
        assert run_case(case, scripted("Please tell me the city.")).is_right
        assert not run_case(case, scripted("It rains.")).is_right
        name = case.tools.specs[0].name
        call = f'<tool_call>\n{{"name": "{name}", "arguments": {{}}}}\n</tool_call>'
        assert not run_case(case, scripted(f"Which one?\n{call}")).is_right


def test_the_command_prints_counts_with_intervals_and_writes_every_case(tmp_path, monkeypatch, capsys):
    def play(_model, loading, cases):
        engine = scripted("For which city?" if loading.lora else "Sure.")
        return [run_case(case, engine) for case in cases]

    monkeypatch.setattr(command, "_run", play)
    out = tmp_path / "cases.jsonl"
    command.heldout(adapter=tmp_path / "a.gguf", share=0.02, out=out)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("  ")[0] == "single"
    assert "base 0 of 4 (0% to 49%)  adapter 0 of 4 (0% to 49%)" in lines[0]
    assert "base 2 of 2 (34% to 100%)  adapter 2 of 2 (34% to 100%)" in lines[2]
    assert "base 0 of 1 (0% to 79%)  adapter 1 of 1 (21% to 100%)" in lines[3]
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["model"], row["kind"]) for row in rows[:5]] == [("base", "single")] * 4 + [
        ("base", "parallel")
    ]
    assert len(rows) == 2 * 8
    command.heldout(adapter=tmp_path / "a.gguf", share=0.02, as_json=True, base=False)
    report = json.loads(capsys.readouterr().out)
    assert report["missing"]["adapter"] == {"right": 1, "of": 1, "rate_95": [0.2065, 1.0]}
