"""Families of everyday tools, and the rows that are drawn from them."""

import json
import os
import subprocess
import sys

import pytest
import yaml

from scripts.family_checks.check import check_families
from scripts.family_checks.check_draws import complete_requests, scene_of
from tests.services import CHECKOUT
from tests.training.rows import contracts, read
from workbench.cli.training import synth as command
from workbench.errors import BadInput
from workbench.hermes.parse import parse
from workbench.toolspec.check import check_arguments
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.training.everyday.drawing import OfferedFamily, draw_request
from workbench.training.everyday.exchanges import EVERYDAY_EXCHANGES
from workbench.training.everyday.family import FamilySplit
from workbench.training.everyday.family_files import (
    families_folder,
    families_of,
    load_families,
    read_families,
)
from workbench.training.everyday.rows import EverydayOptions, draw_everyday_setting
from workbench.training.synth.conversations import synth_rows
from workbench.training.synth.phrasing import typed
from workbench.training.synth.words import Dice
from workbench.trajectory.validate.check import RowsCheck

ROWS = 120
# Loading the families takes seconds, so it is not done when tests are collected.
FILES = sorted(file.name for file in families_folder().iterdir() if file.name.endswith(".yaml"))

PAGE = CHECKOUT / "docs/how-to/write-a-tool-family.md"
FAMILY = PAGE.read_text(encoding="utf-8").split("```yaml\n")[1].split("```")[0]


def problems_of(text):
    families, problems = read_families(text, "doors.yaml")
    return [*problems, *check_families(families)]


def replaced(old, new):
    assert old in FAMILY
    return FAMILY.replace(old, new, 1)


def drawn_rows(count, *, split=FamilySplit.TRAIN, seed=0, names=("minimal",), **options):
    return list(synth_rows(seed, count, EverydayOptions(split=split, contracts=contracts(*names), **options)))


@pytest.fixture(scope="module")
def train_rows():
    return drawn_rows(ROWS, names=())


def offered_of(row):
    return OfferedTools(specs=tuple(ToolSpec(document=document) for document in json.loads(row["tools"])))


@pytest.mark.long
def test_the_shipped_families_have_no_problems():
    assert check_families(load_families()) == []


@pytest.mark.slow
def test_a_tenth_of_the_shipped_families_has_no_problems():
    assert check_families(load_families()[::10]) == []


def test_the_example_of_the_docs_has_no_problems():
    assert problems_of(FAMILY) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("the {door} for me", "the {dor} for me", "unknown slot 'dor'; known slots: door, state, guest"),
        ("state as flag}", "state as level}", "slot state has no form 'level' for all values; it has: is, flag"),
        ("is: open, flag: false", "is: open", "form 'flag' is missing for some values, such as 'unlock'"),
        ("flag: false}", "flag: closed}", "its values have different types"),
        ('    - "hey {state} the {door} thx"\n    - "I\'d like', '    - "I\'d like', None),
        ("Could you {state} the {door} for me?", "Please {state} the {door}", "occurs twice"),
        ("    guest: person", "    guest: human", "unknown kind 'human'"),
        ("    guest: person", "    guest: list of door 3-1", "'3-1' is not a number of items"),
        ("    guest: person", "    guest: time 22:00-17:00", "'22:00-17:00' is not a range of times"),
        ("    guest: person", "    guest: time 20:00-25:00", "'20:00-25:00' is not a range of times"),
        ("    guest: person", "    guest: code ####", "'' is not a pattern; YAML reads # after a space as a comment"),
        ("    guest: person", "    guest: code AB ###", "'AB' is not a pattern; YAML reads # after a space as a comment"),
        ("    guest: person", "    guest: code \"AB ####", "'AB' is not a pattern; YAML reads # after a space as a comment"),
        ("    guest: person", "    guest: code \"AB#-## ##\"", "'AB#-##' is not a pattern; YAML reads # after a space"),
        ('"and the {door}"', '"and the {door.2}"', "asks for two calls; a follow-up changes the values of one"),
        ("  domain: doors", "  domain: doors\n  apart: [dors]", "no family of its split has the domain 'dors'"),
        ("  domain: doors", "  domain: doors\n  apart: [lights]", None),
        ("  domain: doors", "  domain: doors\n  apart: [doors]", "'doors' is its own domain"),
        ("split: train", "split: dev", "must be 'train', 'validation' or 'test'"),
        ("  domain: doors\n", "", "domain: "),
        ("asks: {door:", "asks: {guest:", "no question for door"),
        ('["Which door?", "Which door do you mean?"]', '["Which door?"]', "write at least 2 questions"),
        ('with: {state: locked, state.2: open}', "with: {state: closed, state.2: open}", "slot state has no value 'closed'"),
        ("[, {guest} is here]", "[, {guest is here]", "is not a slot or a part in brackets"),
        ("and the {door.2}", "and the garage", "needs a slot of a second call"),
        ("the {door} for me?", "the {door} and {door.2}?", "move it to `parallel`"),
        ("about: lock or unlock doors", "about: Lock or unlock doors.", "must follow “I can’t”"),
        ("visitor?: guest", "visitor: guest", "only"),
        ("{state:is} now", "{state:kind} now", "has no style or form 'kind'"),
        ('result: {door: "{door}"', 'result: {door: "{house}"', "unknown slot 'house'"),
        ("    - {error: no connection, say: [\"I couldn't reach the {door}.\"]}\n", "", "no result is an `error`"),
        ("state: {slot: state, enum: all}\n        visitor", "state: state\n        visitor", None),
        ("is: locked, flag: true", "is: secured, flag: true", "has no value 'locked'"),
        ("name: {slot: door, enum: all}", "name: {slot: state, as: secret}", "slot state has no form 'secret'"),
        ("I only control doors.", "Sure, done.", "'Sure, done.' does not refuse"),
        ("name: door_control", "name: set_lock", "two tools have the name set_lock"),
        ("  requests:", "  request:", "request"),
        ("Control a door.\n", "Control a door.\n      describes: x\n", "describes"),
    ],
)  # fmt: skip
def test_a_problem_of_a_family_is_reported_with_its_place(old, new, problem):
    found = problems_of(replaced(old, new))
    if problem is None:
        assert found == []
        return
    assert any(problem in text for text in found), found
    assert all(text.startswith("doors.yaml: door_lock: ") for text in found)


def test_a_parser_without_libyaml_is_reported(monkeypatch):
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    with pytest.raises(BadInput, match="built without libyaml"):
        read_families(FAMILY, "doors.yaml")


def test_a_value_that_nobody_says_and_the_tool_does_not_describe_is_reported():
    text = replaced("is: locked, flag: true}", "is: locked, flag: true, code: XJ}")
    text = text.replace("is: open, flag: false}", "is: open, flag: false, code: KQ}")
    undescribed = text.replace("state: {slot: state, enum: all}", "state: state as code")
    assert any("nobody can know the value 'XJ' for 'lock'" in problem for problem in problems_of(undescribed))
    for described in ("enum: all", "about: XJ is locked and KQ is open"):
        known = text.replace(
            "state: {slot: state, enum: all}", f"state: {{slot: state, as: code, {described}}}"
        )
        assert problems_of(known) == []


def test_fewer_than_twelve_requests_are_reported():
    lines = FAMILY.splitlines()
    start = lines.index("  requests:") + 1
    found = problems_of("\n".join([*lines[:start], *lines[start + 3 :]]))
    assert any("it has 10 requests that can be fulfilled; write at least 12" in text for text in found)


def test_names_and_sentences_may_occur_once_in_all_families():
    families, _ = read_families(FAMILY, "doors.yaml")
    again, _ = read_families(FAMILY, "more.yaml")
    found = check_families([*families, *again])
    assert any("doors.yaml has a family with this name, too" in text for text in found)
    families, _ = read_families(FAMILY, "doors.yaml")
    again, _ = read_families(FAMILY.replace("door_lock:", "other_lock:"), "more.yaml")
    found = check_families([*families, *again])
    assert any("the tool name set_lock is also used by doors.yaml: door_lock" in text for text in found)
    assert any("'Please {state} the {door}.' also occurs in doors.yaml: door_lock" in text for text in found)
    assert not any("follow_ups" in text for text in found)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [", "doors.yaml: "),
        ("- a", "write an object with a family for each name"),
        ("door_lock: {}\ndoor_lock: {}", "'door_lock' occurs twice"),
        ("door_lock: 3", "doors.yaml: door_lock: "),
    ],
)
def test_a_file_of_another_form_is_reported(text, problem):
    families, problems = read_families(text, "doors.yaml")
    assert families == []
    assert problem in problems[0]


def test_everything_that_a_left_out_part_would_have_said_is_asked_for():
    text = replaced(
        "Could you {state} the {door} for me?", "Could you help me here[ and {state} the {door}]?"
    )
    text = text.replace("  asks: {", '  asks: {state: ["Locked or not?", "Shall it be locked?"], ')
    [family], problems = read_families(text, "doors.yaml")
    assert problems == []
    asked = 0
    for variant in family.variants:
        for draw in range(200):
            scene = scene_of(OfferedFamily(family, variant), "missing", draw)
            request, answer = ("".join(part.text for part in message.prose)
                               for message in EVERYDAY_EXCHANGES["missing"](scene)[:2])  # fmt: skip
            if "help me here" in request:
                asked += 1
                assert answer.count("?") == 2, (request, answer)
    assert asked > 10


def with_object(*, request="{state}[ the {door}]", follow_up="and the {door}"):
    """Return the family with an optional object of two members. One of them is said in brackets."""
    text = replaced("visitor?: guest", "visitor?: {object: {name: guest, pin: pin}}")
    for old, new in (
        ("    guest: person", '    guest: person\n    pin: "code ####"'),
        ("outside the {door}, let", "outside the {door} with {pin}, let"),
        ('"{state}[ the {door}]"', f'"{request}"'),
        ('"and the {door}"', f'"{follow_up}"'),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    return text


def test_a_value_that_nobody_asks_for_is_reported():
    assert problems_of(with_object()) == []
    text = with_object(request="{state}[ the {door} with {pin}][ for {guest}]")
    [problem] = problems_of(text)
    assert "asks: no question for pin, which is left out together with others" in problem
    [family], _ = read_families(text, "doors.yaml")
    offer = OfferedFamily(family, family.variants[1])
    drawn = [EVERYDAY_EXCHANGES["missing"](scene_of(offer, draw)) for draw in range(200)]
    assert None in drawn
    assert any(drawn)


def test_a_call_after_a_follow_up_is_checked():
    [problem] = problems_of(with_object(follow_up="and the {door}[ for {guest}]"))
    assert "'and the {door}[ for {guest}]': tool door_control: " in problem
    assert "pin" in problem


@pytest.mark.parametrize("file", FILES)
@pytest.mark.slow
def test_each_value_of_a_call_comes_from_the_request(file):
    """Each mentioned value is in the text, and each other one is implied by the sentence or the tool."""
    families = [family for family in load_families() if family.file == file]
    assert families
    for offer, tool, sentence in (drawn for family in families for drawn in complete_requests(family)):
        scene = scene_of(offer, "test", sentence.text)
        request = draw_request(scene, offer, sentence, tool)
        text = typed(scene.dice, request.text, (("written", 1.0),))
        for drawn in request.calls:
            assert not check_arguments(drawn.tool.spec, drawn.call.arguments)
            implied = {slot for slot, _ in sentence.pinned} | drawn.tool.when.keys()
            for slot, spoken in drawn.values.items():
                ways = (spoken.request_text, *spoken.styles.values(), *map(str, spoken.forms.values()))
                assert slot in implied or any(way in text for way in ways), (text, slot, spoken)


def test_the_same_seed_gives_the_same_rows_for_any_count(train_rows):
    assert drawn_rows(20, names=()) == train_rows[:20]
    assert all(row not in train_rows for row in drawn_rows(10, seed=1, names=()))


def test_the_check_of_rows_finds_no_problems(train_rows):
    check = RowsCheck()
    assert [finding for row in train_rows for finding in check.check(read(row))] == []
    assert list(check.duplicates([ROWS])) == []


@pytest.mark.parametrize("kind", EVERYDAY_EXCHANGES)
def test_each_kind_has_the_expected_messages(kind):
    for row in drawn_rows(6, kinds=((kind, 1.0),), lengths=((1, 1.0),)):
        assert row["kinds"] == [kind]
        messages = row["conversations"][1:]
        counts = [
            len(parse(message["value"], tools=offered_of(row)).calls)
            for message in messages
            if message["from"] == "gpt"
        ]
        match kind:
            case "single" | "mixed" | "failed":
                assert counts == [1, 0]
            case "parallel" | "parallel_two":
                assert counts[0] >= 2
            case "follow_up":
                assert counts == [1, 0, 1, 0]
            case "missing":
                assert counts in ([0], [0, 1, 0])
                assert "?" in messages[1]["value"]
            case "thanks":
                assert counts == [1, 0, 0]
            case _:
                assert counts == [0]


def test_relative_days_only_occur_if_the_system_text_has_the_date():
    for row in drawn_rows(60, dated=0.0, seed=2):
        texts = " ".join(message["value"] for message in row["conversations"])
        assert "Today is" not in row["conversations"][0]["value"]
        assert "day after tomorrow" not in texts
    dated = drawn_rows(60, dated=1.0, seed=2)
    assert all("Today is " in row["conversations"][0]["value"] for row in dated)
    assert any(" tomorrow" in row["conversations"][1]["value"] for row in dated)


def test_the_splits_share_no_family_and_no_domain():
    by_split = {split: families_of(split) for split in FamilySplit}
    assert all(by_split.values())
    for split, families in by_split.items():
        domains = {family.domain for other in FamilySplit if other is not split for family in by_split[other]}
        assert not {family.domain for family in families} & domains


def test_families_of_one_domain_are_never_offered_together(train_rows):
    tools = {
        tool.name: family for family in load_families() for variant in family.variants for tool in variant
    }
    for row in train_rows:
        families = {tools[name].name: tools[name].domain for name in offered_of(row).names}
        assert len(set(families.values())) == len(families)


def test_families_that_could_fulfil_near_misses_of_another_are_not_offered_with_it():
    by_name = {family.name: family for family in load_families()}
    families = (by_name["alarm_system"], by_name["phone_call"], by_name["light_switch"])
    seen = set()
    for order in (families, families[::-1]):
        for place in range(40):
            options = EverydayOptions(split=FamilySplit.TRAIN, contracts=contracts("minimal"))
            setting = draw_everyday_setting(Dice(place), options, order)
            seen.add(frozenset(offer.family.name for offer in setting.offered))
    assert {"alarm_system", "light_switch"} in seen
    assert {"phone_call", "light_switch"} in seen
    assert not any({"alarm_system", "phone_call"} <= names for names in seen)


def test_rows_drawn_together_share_their_tools():
    rows = drawn_rows(24, together=6)
    systems = [row["conversations"][0]["value"] for row in rows]
    assert len(set(systems)) <= 6


def test_the_command_draws_everyday_rows(tmp_path):
    out = tmp_path / "rows.jsonl"
    command.synth(
        count=5,
        out=str(out),
        generator=command.RowGenerator.EVERYDAY,
        split=command.RowSplit.VALIDATION,
        contract=["minimal"],
        kind=["missing"],
    )
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert {kind for row in rows for kind in row["kinds"]} == {"missing"}
    assert {row["source"] for row in rows} == {"everyday"}


def test_the_formal_generator_has_no_validation_split(tmp_path):
    with pytest.raises(BadInput, match="no such split"):
        command.synth(count=1, out=str(tmp_path / "rows.jsonl"), split=command.RowSplit.VALIDATION)


@pytest.mark.slow
def test_the_script_reports_problems_and_shows_conversations(tmp_path):
    def check(text, *options):
        path = tmp_path / "doors.yaml"
        path.write_text(text, encoding="utf-8")
        script = str(CHECKOUT / "scripts/check_families.py")
        return subprocess.run(
            [sys.executable, script, str(path), *options],
            cwd=CHECKOUT,
            # Another test may have called the command, which sets this for its own child processes.
            env={**os.environ, "PYTHONPATH": str(CHECKOUT), "PYTHONSAFEPATH": ""},
            capture_output=True,
            text=True,
            check=False,
        )

    done = check(FAMILY, "--show", "door_lock", "--kind", "parallel")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--- parallel\nuser: " in done.stdout
    assert done.stdout.endswith("1 families, 13 requests, 0 problems\n")
    done = check(replaced("split: train", "split: dev"))
    assert done.returncode == 1
    assert "doors.yaml: door_lock: split: " in done.stdout
