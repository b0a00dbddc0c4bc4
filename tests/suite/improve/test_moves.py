"""Changes of a contract that need no model, and which of them are refused."""

from dataclasses import replace

import pytest

from tests.suite.rollouts import CALL, TOOLS
from workbench.contract.contract import Contract
from workbench.suite.improve.candidate import Candidate, described, problem_of
from workbench.suite.improve.moves import description_moves, propose_additions, text_moves

EXAMPLE = f"When a tool fits, call it:\nUser: Weather in Rome?\nAssistant: {CALL}\nUser: done\nAssistant: It is done."
ASKING = "When a value is missing, ask for it. Be short."
TEXT = f"You can call tools:\n<tools>\n{{{{ tools }}}}\n</tools>\n\n{EXAMPLE}\n\n{ASKING}\n\nToday is {{{{ date }}}}."
START = Contract(name="own", title="Own", family="hermes-lines", text=TEXT)
CANDIDATE = Candidate(contract=START)


def texts(pool=()):
    return {move.change: move.candidate.contract.text for move in text_moves(CANDIDATE, pool)}


def test_every_kind_of_change_is_proposed():
    found = texts(pool=("User: Oslo?\nAssistant: " + CALL,))
    assert "Be short." not in found["leave out “Be short.”"]
    assert ASKING not in found["leave out the paragraph “When a value is missing, ask for it. Be…”"]
    shortened = found["shorten the example “When a tool fits, call it: User: Weathe…”"]
    assert "It is done." not in shortened and CALL in shortened
    moved = found["say when to ask before when to call"]
    assert moved.index(ASKING) < moved.index(EXAMPLE)
    swapped = found["session example 1 in place of “When a tool fits, call it: User: Weathe…”"]
    assert "Oslo?" in swapped and "Weather in Rome?" not in swapped


def test_the_paragraph_with_the_tools_is_never_changed():
    assert all("<tools>\n{{ tools }}\n</tools>" in text for text in texts().values())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("", "the contract is empty", id="nothing left"),
        pytest.param(
            TEXT.replace("{{ tools }}", "none"), "the paragraph with the tools was changed", id="tools"
        ),
        pytest.param(TEXT.replace(" {{ date }}", " monday"), "these differ: date", id="variable"),
        pytest.param(TEXT + '\n\n<tool_call>\n{"name": "x"', "mark-unclosed", id="linter"),
        pytest.param(TEXT.replace(" Be short.", ""), "", id="usable"),
    ],
)
def test_a_candidate_that_cannot_be_used_is_refused_with_its_reason(text, problem):
    found = problem_of(CANDIDATE.with_text(text), START, TOOLS)
    assert problem in found and bool(found) == bool(problem)


def test_descriptions_are_cut_and_codes_are_listed_but_names_stay():
    moves = {move.change: move.candidate.descriptions for move in description_moves(CANDIDATE, TOOLS)}
    assert moves["cut the description of get_weather.city"] == {"get_weather.city": ""}
    listed = moves["list the codes of get_weather.unit"]
    assert listed == {"get_weather.unit": "(one of: c, f)"}
    weather = described(TOOLS, {"get_weather.city": "", **listed}).by_name["get_weather"]
    assert weather.properties["city"] == {"type": "string"}
    assert weather.properties["unit"] == {"enum": ["c", "f"], "description": "(one of: c, f)"}
    assert described(TOOLS, {}) is TOOLS


def test_no_more_examples_are_added_than_the_limit():
    pool = ("User: Oslo?\nAssistant: " + CALL,)
    assert list(propose_additions(CANDIDATE, pool, limit=1)) == []
    assert len(list(propose_additions(CANDIDATE, pool, limit=2))) == 1


def test_candidates_with_other_descriptions_differ():
    other = replace(CANDIDATE, descriptions={"get_weather": ""})
    assert other.fingerprint != CANDIDATE.fingerprint
