"""The documentation and the kinds of servers agree with the declarations of settings."""

import re

import pytest

from tests.docs.test_docs import CHECKOUT, DOCS, read
from tests.peers.clients import CLIENTS
from workbench.app.api.functions import API_FUNCTIONS, ApiFunctions
from workbench.engines.remote.server import ServerKind
from workbench.records.run_config import RunConfig
from workbench.rollout.sampling import SAMPLING_FIELDS
from workbench.rollout.setting_field import ChoiceOption, NumberRange, settings_of
from workbench.ui.present.sampling_form import FORM_FIELDS
from workbench.ui.present.setup import SETUP_FIELDS


def allowed(editor):
    if isinstance(editor, ChoiceOption):
        return ", ".join(str(value) for _, value in editor.options)
    return f"{editor.least:g} to {editor.most:,}" if isinstance(editor, NumberRange) else ""


def takers(declared):
    """Return the kinds of servers that accept a field, with their name for it if it differs."""
    if declared.protocol:
        return "all"
    kinds = [
        f"`{kind}`" + ("" if name == declared.name else f" as `{name}`")
        for kind, name in declared.servers.items()
    ]
    return ", ".join(kinds) or "none"


def row(declared):
    default = "" if declared.default == () else f"{declared.default:g}"
    return [f"`{declared.name}`", default, allowed(declared.editor), declared.help, takers(declared)]


def rows_of(page, heading):
    table = read(DOCS / page).split(f"# {heading}")[1].split("## ")[0]
    lines = re.findall(r"^\| .*$", table, re.MULTILINE)[1:]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def test_the_sampling_table_matches_the_declarations():
    rows = rows_of("reference/generation.md", "Sampling")
    assert rows == [row(declared) for declared in SAMPLING_FIELDS.values()]


def test_the_table_of_the_left_column_is_made_of_the_declarations():
    own = settings_of(RunConfig)
    declared = [own[name] for name in (*SETUP_FIELDS, *FORM_FIELDS) if name in own]
    rows = rows_of("reference/play.md", "Run configuration")
    assert rows[: len(declared)] == [[one.editor.label, one.help] for one in declared]


@pytest.mark.parametrize("name", ["temperature", "seed", "max_tokens"])
def test_the_api_says_of_a_field_what_its_declaration_says(name):
    assert f"{name}: {SAMPLING_FIELDS[name].help}." in ApiFunctions.chat.__doc__


def test_the_functions_of_the_api_have_a_row_and_are_in_the_readme():
    assert [name for name, _ in rows_of("how-to/use-the-api.md", "Use the API")] == [
        f"`{name}`" for name in API_FUNCTIONS
    ]
    *names, last = API_FUNCTIONS
    assert f"{', '.join(names)} and {last}." in read(CHECKOUT / "README.md")


def test_every_server_named_by_a_field_is_a_kind_of_server():
    assert {kind for declared in SAMPLING_FIELDS.values() for kind in declared.servers} <= {*ServerKind}


def test_the_table_of_clients_has_those_that_are_tested():
    works = {True: "works", False: "always streams"}
    assert rows_of("reference/gateway.md", "Clients") == [
        [f"`{one.name}`", one.registry, one.version, one.mode, works[False in one.streams], "works"]
        for one in CLIENTS
    ]
