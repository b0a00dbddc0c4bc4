"""The form of the Compare tab: drafts, links, and stored comparisons."""

import json

import pytest

from tests.app.comparisons.comparing import column, create
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
    parse_turns,
    read_form,
    read_link,
    requested_columns,
)

MODEL = ModelStatus(name="embedded", device="", is_loaded=False)
FIRST = first_form(read_settings({}), ("full", "minimal"), MODEL)


def test_the_first_form_compares_the_default_contract_with_another():
    assert [fields.contract for fields in FIRST.columns] == ["minimal", "full", "minimal", "minimal"]
    assert (FIRST.count, len(requested_columns(FIRST, {})), FIRST.turns) == (2, 2, None)
    assert requested_columns(FIRST, {})[0].sampling == Sampling()


def test_a_form_survives_its_values():
    assert read_form(FIRST.values) == FIRST


def test_a_draft_is_restored_and_an_invalid_draft_is_ignored():
    values = list(FIRST.values)
    values[0] = "Half a quest"
    assert draft_form(json.dumps(values), FIRST).question == "Half a quest"
    for text in ("", "{", "[]", '{"a": 1}', json.dumps(values[:-1]), json.dumps([3, *values[1:]])):
        assert draft_form(text, FIRST) == FIRST


@pytest.mark.parametrize(("place", "value"), [(5 + 3, None), (5 + 3, float("nan")), (5 + 1, "")])
def test_an_empty_field_of_a_used_column_is_reported(place, value):
    values = list(FIRST.values)
    values[place] = value
    with pytest.raises(BadInput, match="column A"):
        requested_columns(read_form(values), {})


def test_the_current_text_has_no_contract_name():
    values = list(FIRST.values)
    values[5] = OWN
    assert requested_columns(read_form(values), {})[0].contract == ""


@pytest.mark.parametrize(
    ("scope", "turns"),
    [
        ("turn", Turns(session_id="s", message_id="m")),
        ("all", Turns(session_id="s", message_id="m", is_whole=True)),
        ("own", Turns(session_id="s", message_id="m", is_whole=True, goes_on=True)),
    ],
)
def test_target_and_scope_select_turns(scope, turns):
    assert parse_turns("s m", scope) == turns
    assert parse_turns("", scope) is None


def test_links_are_parsed_and_others_refused():
    assert read_link(" https://x.org/a?x=1&session=s&message=m ") == "s m"
    assert read_link("?session=s") == "s"
    for text in ("", "  ", "http://x.org/", "https://x.org/?message=m"):
        with pytest.raises(BadInput, match="it does not name a session"):
            read_link(text)


def test_a_stored_comparison_fills_the_form(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        first = column(services, contract="full", tool_choice="none", is_constrained=False)
        stored = create(services, first, column(services), column(services))
        form = form_of(stored.comparison, FIRST, "Cairo?")
        assert form.count == 3
        assert requested_columns(form, {}) == (first, column(services), column(services))
        assert form.turns == Turns(
            session_id=stored.comparison.session_id, message_id=stored.comparison.turns[0]
        )
