"""The held-out measurement: its cases, and which completions count as right."""

import json
from dataclasses import replace

import pytest

from tests.fakes import scripted
from tests.training.rows import contracts
from workbench.cli.training import heldout as command
from workbench.engines.embedded_model import REMEDY, find_embedded, find_embedded_adapter
from workbench.engines.llama_loading import LoadOptions, LoraAdapter
from workbench.errors import BadInput
from workbench.hermes.parse import parse
from workbench.toolspec.check import check_arguments
from workbench.training.everyday.family import FamilySplit
from workbench.training.everyday.family_files import families_of
from workbench.training.heldout import (
    EVERYDAY_KINDS,
    KINDS,
    HeldOutCase,
    Reaction,
    draw_cases,
    draw_everyday_cases,
    reaction_of,
    run_case,
)

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


def test_the_full_everyday_measurement_has_420_cases():
    counts = {kind.name: kind.cases for kind in EVERYDAY_KINDS}
    assert counts == {"single": 200, "parallel": 60, "no call": 100, "missing": 60}


@pytest.mark.parametrize("split", [FamilySplit.TEST, FamilySplit.VALIDATION])
def test_everyday_cases_only_have_tools_of_their_split(split):
    names = {tool.name for family in families_of(split) for variant in family.variants for tool in variant}
    for kind in EVERYDAY_KINDS:
        found = list(draw_everyday_cases(kind, minimal(), seed=1, count=6, split=split))
        assert len(found) == 6
        assert found == list(draw_everyday_cases(kind, minimal(), seed=1, count=6, split=split))
        for case in found:
            assert set(case.tools.names) <= names
            assert kind.least_calls <= len(case.calls) <= kind.most_calls
            if case.calls:
                assert run_case(case, scripted(written(case))).is_right


def test_a_completion_is_a_call_a_question_a_refusal_or_an_answer(cases):
    case = cases["single"][0]
    texts = {
        written(case): Reaction.CALLS,
        "For which day?": Reaction.ASKS,
        "Please tell me the name.": Reaction.ASKS,
        "I can't do that with my tools.": Reaction.REFUSES,
        "I can\u2019t see your balance. Anything else?": Reaction.REFUSES,
        "I don't have a tool to book a table.": Reaction.REFUSES,
        "Sorry, none of my tools can book a table.": Reaction.REFUSES,
        "I have no way to check that.": Reaction.REFUSES,
        "Paris is the capital of France.": Reaction.ANSWERS,
    }
    assert {text: reaction_of(text, case.tools) for text in texts} == texts
    assert run_case(case, scripted("For which day?")).reaction is Reaction.ASKS


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.long
def test_a_grammar_makes_every_call_valid():
    from workbench.engines.llama_cpp import load_llama_cpp

    options = LoadOptions(context_tokens=2048, threads=2, gpu_layers=0)
    path = find_embedded()
    assert path is not None, REMEDY
    adapter = find_embedded_adapter()
    engine = load_llama_cpp(
        path, name="embedded", loading=replace(options, lora=(LoraAdapter(path=adapter),))
    )
    try:
        kind = EVERYDAY_KINDS[0]
        for case in draw_everyday_cases(kind, minimal(), seed=1, count=2):
            result = run_case(case, engine, is_constrained=True)
            for call in parse(result.completion, tools=case.tools).calls:
                assert not check_arguments(case.tools.by_name[call.name], dict(call.arguments))
    finally:
        engine.close()


@pytest.fixture
def adapter_file(tmp_path):
    """A file that is there, which is all that the command checks of an adapter itself."""
    path = tmp_path / "a.gguf"
    path.touch()
    return path


def test_the_command_prints_counts_with_intervals_and_writes_every_case(
    tmp_path, adapter_file, monkeypatch, capsys
):
    def run(_model, name, loading, cases, grammar):
        engine = scripted(*["For which city?" if loading.lora else "Sure."] * 2 * len(cases))
        return run_engine(engine, name, cases, grammar)

    run_engine = command._run_engine

    monkeypatch.setattr(command, "_run", run)
    out = tmp_path / "cases.jsonl"
    command.heldout(adapter=adapter_file, share=0.02, out=out)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "single    at least 95 % exactly right"
    assert lines[1] == "  base     0 of 4 (0% to 49%)        calls 0, asks 0, refuses 0, answers 4"
    assert lines[2] == "  adapter  0 of 4 (0% to 49%)        calls 0, asks 4, refuses 0, answers 0"
    assert lines[7].startswith("  base     2 of 2 (34% to 100%)")
    assert lines[11].startswith("  adapter  1 of 1 (21% to 100%)")
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["model"], row["kind"]) for row in rows[:5]] == [("base", "single")] * 4 + [
        ("base", "parallel")
    ]
    assert len(rows) == 2 * 8
    command.heldout(adapter=adapter_file, share=0.02, as_json=True, base=False)
    report = json.loads(capsys.readouterr().out)
    assert report["missing"]["adapter"] == {
        "right": 1,
        "of": 1,
        "rate_95": [0.2065, 1.0],
        "reactions": {"calls": 0, "asks": 1, "refuses": 0, "answers": 0},
    }
    command.heldout(
        adapter=adapter_file,
        generator=command.RowGenerator.EVERYDAY,
        grammar=command.GrammarOption.BOTH,
        share=0.02,
        as_json=True,
        base=False,
    )
    report = json.loads(capsys.readouterr().out)
    assert report["missing"].keys() == {"wanted", "adapter", "adapter, grammar"}
    assert report["single"]["adapter, grammar"]["of"] == 4


@pytest.mark.parametrize(
    ("generator", "split", "message"),
    [("formal", "validation", "no such split"), ("everyday", "train", "training uses this split")],
)
def test_a_split_that_cannot_be_measured_is_reported(generator, split, message, adapter_file):
    with pytest.raises(BadInput, match=message):
        command.heldout(
            adapter=adapter_file,
            generator=command.RowGenerator(generator),
            split=command.RowSplit(split),
        )
