"""Splits, receipts and cards are reproducible."""

from collections import Counter

import pytest
import yaml

from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.trajectory.formats.known import detect_format
from workbench.trajectory.sets.receipt import CardOptions, Counts, FileFacts, receipt_of, render_card
from workbench.trajectory.sets.split import RowSplit, parse_shares
from workbench.trajectory.trajectory import Prose, RowMessage, Trajectory
from workbench.trajectory.validate.check import check_fields
from workbench.trajectory.validate.glance import Glance
from workbench.trajectory.validate.set_facts import SetFacts


def asked(question, **columns):
    """Return a trajectory that begins with this question."""
    message = RowMessage(role=Role.USER, parts=(Prose(text=question),))
    answer = RowMessage(role=Role.ASSISTANT, parts=(Prose(text="answer"),))
    return Trajectory(messages=(message, answer), columns=columns)


def test_a_split_gets_about_its_share_and_is_reproducible():
    split = RowSplit(shares=parse_shares("train=0.8,test=0.1,dev=0.1"), seed=3)
    names = [split.name_of(asked(f"question {number}")) for number in range(2000)]
    assert names == [split.name_of(asked(f"question {number}")) for number in range(2000)]
    counts = Counter(names)
    assert abs(counts["train"] - 1600) < 100
    assert abs(counts["test"] - 200) < 60
    other = RowSplit(shares=split.shares, seed=4)
    assert names != [other.name_of(asked(f"question {number}")) for number in range(2000)]


def test_rows_of_one_group_and_answers_to_one_question_stay_together():
    split = RowSplit(shares={"train": 0.5, "test": 0.5}, column="session")
    assert len({split.name_of(asked(f"question {n}", session="s1")) for n in range(50)}) == 1
    assert len({split.name_of(asked("the same", other=n)) for n in range(50)}) == 1
    assert len({split.name_of(asked(f"question {n}")) for n in range(50)}) == 2


@pytest.mark.parametrize(
    "text", ["train", "train=x", "train=0.5", "train=0.5,test=0.6", "=1", "a b=1", "train=0,test=1"]
)
def test_invalid_shares_are_refused(text):
    with pytest.raises(BadInput, match="split"):
        parse_shares(text)


OWN_WORDS = "| Tools listed | in the system texts, in their own words |"
ROW = {
    "conversations": [
        {"from": "human", "value": "q"},
        {"from": "gpt", "value": '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>' * 2},
        {
            "from": "tool",
            "value": "<tool_response>\n1\n</tool_response>\n<tool_response>\n2\n</tool_response>",
        },
        {"from": "gpt", "value": "a"},
    ],
    "tools": '[{"type": "function", "function": {"name": "f"}}]',
    "contract": {"name": "minimal", "version": 2},
}
FILE = FileFacts(name="rows.jsonl", sha256="0" * 64, size_bytes=10, rows=2)


def counted(*rows):
    counts, facts = Counts(), SetFacts()
    for row in rows:
        checked = check_fields(row, detect_format(row))
        counts.add(checked)
        facts.add_glance(checked.content) if isinstance(checked.content, Glance) else facts.add(
            checked.content
        )
    return counts, facts


def test_a_receipt_contains_the_counts():
    receipt = receipt_of(*counted(ROW, {**ROW, "contract": "full"}), [FILE], {"workbench": "1"})
    assert receipt["rows"] == 2
    assert receipt["formats"] == {"sharegpt": 2}
    assert receipt["tools_declared"] == 1
    assert (receipt["calls"], receipt["assistant_messages"]) == (4, 4)
    assert (receipt["no_call_share"], receipt["parallel_share"]) == (0.5, 0.5)
    assert receipt["contracts"] == {"full": 1, "minimal 2": 1}
    assert receipt["issues"] == {"repeated-call": 2}
    assert receipt["files"] == [{"name": "rows.jsonl", "sha256": "0" * 64, "size_bytes": 10, "rows": 2}]


def test_the_order_of_rows_and_keys_does_not_change_the_tools_fingerprint():
    other = {**ROW, "tools": '[{"function": {"name": "f"}, "type": "function"}, {"name": "g"}]'}
    fingerprints = {
        receipt_of(*counted(*rows), [FILE], {})["tools_fingerprint"] for rows in ([ROW, other], [other, ROW])
    }
    assert len(fingerprints) == 1


@pytest.mark.parametrize(
    ("system", "family", "card"),
    [
        ("", None, "| Tools listed by | the chat template |"),
        ("Be brief.", None, "| Tools listed by | the chat template |"),
        (
            'Call one of <tools>[{"type": "function", "function": {"name": "f"}}]</tools>',
            "own-words",
            OWN_WORDS,
        ),
        ('Your tools are: {"name": "f"}', "own-words", OWN_WORDS),
    ],
)
def test_tools_that_system_texts_list_in_their_own_words_are_not_left_to_the_template(system, family, card):
    entries = [{"from": "system", "value": system}] if system else []
    for source in (None, "\ud83d"):  # read completely and at a glance
        row = {**ROW, "conversations": [*entries, *ROW["conversations"]], "source": source}
        receipt = receipt_of(*counted(row), [FILE], {"workbench": "1"})
        assert receipt["template_family"] == family
        assert card in render_card(receipt, CardOptions(title="t", licence="mit"))


def test_findings_are_counted_by_code():
    counts, _facts = counted(
        {
            **ROW,
            "conversations": [
                *ROW["conversations"][:-1],
                {"from": "gpt", "value": "<tool_call>{bad</tool_call>"},
            ],
        }
    )
    assert counts.errors == 1
    assert counts.issues == {"call-unreadable": 1, "repeated-call": 1}


def test_a_card_has_front_matter_for_the_hub_and_facts_for_people():
    receipt = receipt_of(*counted(ROW), [FILE], {"workbench": "1.2"})
    terms = CardOptions(title="My set", licence="mit", splits={"train": "train.jsonl", "test": "test.jsonl"})
    card = render_card(receipt, terms)
    front = yaml.safe_load(card.split("---\n")[1])
    assert front["license"] == "mit"
    assert front["configs"][0]["data_files"][1] == {"split": "test", "path": "test.jsonl"}
    for text in ("# My set", "| Rows | 1 |", "| Calls | 2 |", "minimal 2: 1 row\n", "Workbench 1.2"):
        assert text in card
    assert card == render_card(receipt, terms)
