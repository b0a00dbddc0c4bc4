"""The embedded model calls both nonsense tools when it is run with `workbench chat`."""

import json
import re

import pytest

from tests.services import CHECKOUT

pytestmark = [pytest.mark.model, pytest.mark.slow]


@pytest.mark.parametrize(
    ("question", "name", "arguments"),
    [
        ("What is the flumbuster reading for cairo?", "get_flumbuster", {"flumb": "cairo"}),
        ("Calculate the zorbix of zorb 3 and bix 4.", "calculate_zorbix", {"zorb": 3, "bix": 4}),
    ],
)
def test_a_nonsense_tool_is_called_with_the_right_required_arguments(process, question, name, arguments):
    done = process(
        "chat",
        question,
        "--contract",
        "minimal",
        "--tools",
        "nonsense",
        "--tool-choice",
        "required",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    (call,) = report["calls"][:1]
    assert (call["name"], call["status"]) == (name, "ready")
    received = {key: call["arguments"][key] for key in arguments}
    assert {
        key: value.lower() if isinstance(value, str) else value for key, value in received.items()
    } == arguments
    assert "error" not in call["result"]
    assert report["answer"]
    assert report["timing"]["tokens_per_second"] > 0


def test_doctor_finds_a_complete_installation(process):
    done = process("doctor")
    assert done.returncode == 0, done.stdout
    assert "embedded loads: CPU" in done.stdout or "embedded loads: GPU" in done.stdout


def test_the_ten_everyday_questions_are_answered_rightly(process):
    done = process("run", "everyday", "--contract", "minimal", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["state"], report["total"], report["pass_rate"]) == ("done", 10, 1.0), done.stdout


def test_the_page_of_the_adapter_says_how_many_messages_of_strangers_are_answered_acceptably(process):
    """Other processors round differently, so two cases may have another result than on the page."""
    done = process("run", "strangers", "--contract", "minimal", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    page = (CHECKOUT / "docs/explanation/embedded-adapter.md").read_text(encoding="utf-8")
    stated = re.search(r"`strangers`, `minimal`: (\d+) of 30", page)
    assert stated
    assert (report["state"], report["total"]) == ("done", 30)
    assert abs(report["pass_rate"] * 30 - int(stated[1])) <= 2, done.stdout
