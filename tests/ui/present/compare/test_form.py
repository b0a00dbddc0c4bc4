"""The form above the columns: kept as a draft, read, filled from links and comparisons."""

import json

import pytest

from tests.app.comparisons.comparing import asked, column
from tests.services import services_for
from workbench.app.comparisons.planning import Turns
from workbench.errors import BadInput
from workbench.rollout.models import ModelStatus
from workbench.rollout.sampling import Sampling
from workbench.settings import read_settings
from workbench.ui.present.compare.form import (
    OWN,
    draft_form,
    first_form,
    form_of,
    read_form,
    read_link,
    turns_meant,
    wanted_columns,
)

MODEL = ModelStatus(name="embedded", device="", is_loaded=False)
FIRST = first_form(read_settings({}), ("full", "minimal"), MODEL)


def test_the_first_form_holds_the_settings_contract_against_another():
    assert [one.contract for one in FIRST.columns] == ["minimal", "full", "minimal", "minimal"]
    assert (FIRST.count, len(wanted_columns(FIRST)), FIRST.turns) == (2, 2, None)
    assert wanted_columns(FIRST)[0].sampling == Sampling()


def test_what_is_read_is_what_was_shown():
    assert read_form(FIRST.values) == FIRST


def test_a_draft_comes_back_and_one_that_cannot_be_read_gives_way():
    values = list(FIRST.values)
    values[0] = "Half a quest"
    assert draft_form(json.dumps(values), FIRST).question == "Half a quest"
    for text in ("", "{", "[]", '{"a": 1}', json.dumps(values[:-1]), json.dumps([3, *values[1:]])):
        assert draft_form(text, FIRST) == FIRST


@pytest.mark.parametrize(("place", "value"), [(5 + 3, None), (5 + 3, float("nan")), (5 + 1, "")])
def test_an_empty_field_of_a_column_in_use_is_told(place, value):
    values = list(FIRST.values)
    values[place] = value
    with pytest.raises(BadInput, match="column A"):
        wanted_columns(read_form(values))


def test_the_text_as_it_stands_is_asked_for_by_no_name():
    values = list(FIRST.values)
    values[5] = OWN
    assert wanted_columns(read_form(values))[0].contract == ""


@pytest.mark.parametrize(
    ("scope", "turns"),
    [
        ("turn", Turns(session_id="s", message_id="m")),
        ("all", Turns(session_id="s", message_id="m", is_whole=True)),
        ("own", Turns(session_id="s", message_id="m", is_whole=True, goes_on=True)),
    ],
)
def test_target_and_scope_mean_turns(scope, turns):
    assert turns_meant("s m", scope) == turns
    assert turns_meant("", scope) is None


def test_links_are_read_and_others_refused():
    assert read_link(" https://x.org/a?x=1&session=s&message=m ") == "s m"
    assert read_link("?session=s") == "s"
    for text in ("", "  ", "http://x.org/", "https://x.org/?message=m"):
        with pytest.raises(BadInput, match="it names no session"):
            read_link(text)


def test_a_comparison_fills_the_form_that_asks_for_it_again(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        wanted = column(services, contract="full", tool_choice="none", is_constrained=False)
        kept = asked(services, wanted, column(services), column(services))
        form = form_of(kept.comparison, FIRST, "Cairo?")
        assert form.count == 3
        assert wanted_columns(form) == (wanted, column(services), column(services))
        assert form.turns == Turns(session_id=kept.comparison.session_id, message_id=kept.comparison.turns[0])
