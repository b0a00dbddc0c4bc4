"""Generated rows: repeatable, valid, different from each other, and without overlap between the splits."""

import itertools
import json

import pytest

from tests.training.rows import contracts, drawn_rows, read
from workbench.cli.training import synth as command
from workbench.errors import BadInput
from workbench.hermes.parse import parse
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.training.synth import chats, vocabulary
from workbench.training.synth.conversations import SynthOptions, synth_rows
from workbench.training.synth.exchanges import EXCHANGES
from workbench.training.synth.tools import draw_tool
from workbench.training.synth.words import RESERVED, Dice, WordList, WordSplit, share_of
from workbench.trajectory.validate.check import RowsCheck

ROWS = 150


@pytest.fixture(scope="module")
def train_rows():
    return drawn_rows(ROWS)


@pytest.fixture(scope="module")
def heldout_rows():
    return drawn_rows(ROWS, split=WordSplit.TEST)


def tools_of(row):
    return [ToolSpec(document=document) for document in json.loads(row["tools"])]


def calls_of(row):
    offered = OfferedTools(specs=tuple(tools_of(row)))
    for entry in row["conversations"]:
        if entry["from"] == "gpt":
            yield parse(entry["value"], tools=offered).calls


def test_the_same_seed_gives_the_same_rows_for_any_count(train_rows):
    assert drawn_rows(20) == train_rows[:20]


def test_another_seed_gives_other_rows(train_rows):
    assert all(row not in train_rows for row in drawn_rows(10, seed=1))


@pytest.mark.slow
def test_the_check_finds_no_problems_in_both_splits_together(train_rows, heldout_rows):
    check = RowsCheck()
    found = [finding for row in (*train_rows, *heldout_rows) for finding in check.check(read(row))]
    assert found == []
    assert list(check.duplicates([ROWS, 2 * ROWS])) == []
    assert list(check.facts.findings()) == []


def test_every_kind_of_exchange_contract_and_spelling_occurs(train_rows):
    kinds = {kind for row in train_rows for kind in row["kinds"]}
    assert kinds >= set(EXCHANGES) - {"thanks"}
    assert {row["contract"]["name"] for row in train_rows if row["contract"]} == {
        under.contract.name for under in contracts()
    }
    families = {row["family"] for row in train_rows}
    assert families == {"hermes-lines", "hermes-array", "hermes-3", "hermes-3-sane"}


def test_every_type_of_json_occurs_in_arguments(train_rows):
    values = [
        value
        for row in train_rows
        for calls in calls_of(row)
        for call in calls
        for value in call.arguments.values()
    ]
    kinds = (bool, str, int, float, list, dict)
    found = {kind for value in values for kind in kinds if isinstance(value, kind)}
    assert found == set(kinds)


def test_messages_have_no_call_one_call_or_several(train_rows):
    counts = [len(calls) for row in train_rows for calls in calls_of(row)]
    assert {0, 1, 2, 3} <= set(counts)


def test_the_splits_share_no_tool_and_no_word_of_the_lists(train_rows, heldout_rows):
    def names(rows):
        return {spec.name for row in rows for spec in tools_of(row)}

    assert not names(train_rows) & names(heldout_rows)
    for words in (vocabulary.PLACES, vocabulary.PEOPLE, vocabulary.NOUNS["read"], vocabulary.VERBS["act"]):
        assert not set(share_of(words, WordSplit.TRAIN)) & set(share_of(words, WordSplit.TEST))


def test_rows_drawn_together_share_contract_and_tools():
    rows = drawn_rows(24, seed=3, together=4, no_tools=0.0)
    systems = [row["conversations"][0]["value"] for row in rows]
    runs = [len(list(run)) for _, run in itertools.groupby(systems)]
    assert len(set(systems)) == len(runs)
    assert max(runs) <= 4
    assert sum(runs) / len(runs) > 3
    assert rows[:9] == drawn_rows(9, seed=3, together=4, no_tools=0.0)


def test_placeholders_in_talk_about_tools_are_filled_in():
    rows = drawn_rows(40, seed=4, kinds=(("about_tools", 1.0),), lengths=((1, 1.0),), no_tools=0.0)
    for row in rows:
        _, request, answer = row["conversations"]
        assert not any(mark in request["value"] + answer["value"] for mark in "{}")


@pytest.mark.parametrize(
    "forms",
    [*vocabulary.REQUESTS.values(), vocabulary.NAMED, chats.ABOUT, vocabulary.ASK_ONE, vocabulary.UNCOVERED],
)
def test_every_list_of_forms_has_entries_for_both_splits_and_no_duplicates(forms):
    assert len(set(forms)) == len(forms)
    assert share_of(forms, WordSplit.TEST)


def test_words_of_the_shipped_suite_do_not_name_tools_or_parameters(train_rows, heldout_rows):
    for row in (*train_rows, *heldout_rows):
        for spec in tools_of(row):
            parts = {*spec.name.lower().replace("-", "_").split("_"), *spec.properties}
            assert not parts & RESERVED


def test_the_same_name_is_always_the_same_tool():
    words = WordList(WordSplit.TRAIN)
    found = {}
    for place in range(300):
        tool = draw_tool(Dice("any", place), words)
        assert found.setdefault(tool.name, tool.spec.parameters) == tool.spec.parameters


def test_parameters_named_after_a_part_of_the_noun_only_occur_in_training():
    def pieces(split):
        tools = (draw_tool(Dice("any", place), WordList(split)) for place in range(300))
        return [
            (tool.noun, param.label)
            for tool in tools
            for param in tool.params
            if len(tool.noun) >= 7 and len(param.label) >= 3 and param.label != tool.noun
            if tool.noun.startswith(param.label) or tool.noun.endswith(param.label)
        ]

    assert len(pieces(WordSplit.TRAIN)) > 10
    assert not pieces(WordSplit.TEST)


def test_values_of_calls_occur_in_the_request():
    rows = drawn_rows(40, names=("minimal",), kinds=(("single", 1.0),), lengths=((1, 1.0),), no_tools=0.0)
    for row in rows:
        request = row["conversations"][1]["value"]
        for call in next(calls_of(row)):
            for value in call.arguments.values():
                if isinstance(value, str) and not value[:2].isdigit() and len(value) > 8 and "-" not in value:
                    assert value in request


def test_an_exhausted_grammar_is_reported():
    options = SynthOptions(
        split=WordSplit.TEST,
        contracts=contracts("minimal"),
        kinds=(("thanks", 1.0),),
        lengths=((1, 1.0),),
        no_tools=0.0,
    )
    with pytest.raises(BadInput, match="different rows"):
        list(synth_rows(0, 50, options))


def test_the_command_draws_only_the_named_kinds(tmp_path):
    out = tmp_path / "rows.jsonl"
    command.synth(count=12, out=str(out), contract=["minimal"], kind=["missing=2", "error"], exchanges=1)
    kinds = {kind for line in out.read_text().splitlines() for kind in json.loads(line)["kinds"]}
    # A row without tools is always a chat.
    assert {"missing", "error"} <= kinds <= {"missing", "error", "chat"}


@pytest.mark.parametrize(
    ("kind", "message"), [("asking", "unknown kind"), ("missing=-1", "not a name with a positive share")]
)
def test_an_unknown_kind_is_reported(kind, message, tmp_path):
    with pytest.raises(BadInput, match=message):
        command.synth(count=1, out=str(tmp_path / "rows.jsonl"), contract=["minimal"], kind=[kind])


def test_rows_like_those_of_other_files_are_left_out(tmp_path):
    def draw(count, name, *without):
        out = tmp_path / name
        command.synth(
            count=count, out=str(out), contract=["minimal"], seed=4, exchanges=1, without=[*map(str, without)]
        )
        return out.read_text().splitlines()

    first = draw(40, "first.jsonl")
    rest = draw(60, "rest.jsonl", tmp_path / "first.jsonl")
    assert [*first, *rest] == draw(100, "all.jsonl")


def test_a_row_to_leave_out_that_cannot_be_read_is_reported(tmp_path):
    file = tmp_path / "unreadable.jsonl"
    file.write_text('{"a": 1}\n')
    with pytest.raises(BadInput, match="unreadable"):
        command.synth(count=1, out=str(tmp_path / "rows.jsonl"), contract=["minimal"], without=[str(file)])
