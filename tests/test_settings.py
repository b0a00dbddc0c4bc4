"""Settings are read from environment variables."""

from dataclasses import asdict
from pathlib import Path

import pytest

from workbench.errors import BadInput
from workbench.settings import VARIABLES, choose_model, read_settings, uses_colour


def test_an_empty_environment_gives_the_defaults(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    settings = read_settings({"XDG_DATA_HOME": str(tmp_path / "share")})
    assert (settings.model, settings.contract, settings.tools) == ("embedded", "minimal", ("nonsense",))
    assert (settings.host, settings.port, settings.max_rounds) == ("127.0.0.1", 7860, 8)
    assert settings.data == tmp_path / "share" / "hermes-workbench"
    assert settings.database_url == f"sqlite:///{settings.data}/workbench.sqlite3"


def test_a_checkout_has_its_data_folder_inside():
    checkout = Path(__file__).parents[1]
    assert read_settings({"WORKBENCH_HOME": str(checkout)}).data == checkout / "data"


def test_lists_are_separated_by_commas():
    assert read_settings({"WORKBENCH_TOOLS": "weather, search,"}).tools == ("weather", "search")


def test_a_space_listens_on_all_addresses_unless_the_host_is_set():
    assert read_settings({"SPACE_ID": "someone/workbench"}).host == "0.0.0.0"
    assert read_settings({"SPACE_ID": "someone/workbench", "WORKBENCH_HOST": "127.0.0.1"}).host == "127.0.0.1"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("WORKBENCH_PORT", "many", "WORKBENCH_PORT: 'many' is not a whole number"),
        ("WORKBENCH_PORT", "70000", "70000 is not between 1 and 65535"),
        ("WORKBENCH_MAX_ROUNDS", "0", "0 is not between 1 and 100"),
        ("WORKBENCH_CALL_THRESHOLD", "1.5", "WORKBENCH_CALL_THRESHOLD: '1.5' is not a number from 0 to 1"),
        ("WORKBENCH_CALL_THRESHOLD", "nan", "'nan' is not a number from 0 to 1"),
        ("WORKBENCH_MODLE", "x", "WORKBENCH_MODLE: unknown setting .did you mean WORKBENCH_MODEL.."),
    ],
)
def test_an_invalid_setting_is_reported_with_its_name(name, value, message):
    with pytest.raises(BadInput, match=message):
        read_settings({name: value})


def test_the_stored_default_model_is_used_and_the_variable_overrides_it(tmp_path):
    variables = {"WORKBENCH_DATA": str(tmp_path / "data")}
    assert read_settings(variables).model == "embedded"
    choose_model(tmp_path / "data", "openai:lab/hermes")
    assert read_settings(variables).model == "openai:lab/hermes"
    assert read_settings({**variables, "WORKBENCH_MODEL": "scripted:demo"}).model == "scripted:demo"


def test_a_call_threshold_is_empty_by_default_and_may_be_0():
    thresholds = {
        text: read_settings({"WORKBENCH_CALL_THRESHOLD": text}).call_threshold for text in ("", "0", "0.3")
    }
    assert thresholds == {"": None, "0": 0, "0.3": 0.3}


def test_printing_the_settings_does_not_reveal_a_key():
    settings = read_settings({"WORKBENCH_OPENAI_API_KEY": " sk-1234 "})
    assert settings.openai_api_key.reveal() == "sk-1234"
    assert "sk-1234" not in f"{settings} {settings!r} {asdict(settings)}"
    assert read_settings({}).openai_api_key is None


def test_every_variable_has_the_prefix_and_a_meaning():
    assert all(row.name.startswith("WORKBENCH_") and row.meaning for row in VARIABLES)


def test_there_are_no_colours_if_no_color_is_set_or_the_terminal_is_dumb():
    assert uses_colour({"TERM": "xterm", "NO_COLOR": ""})
    assert not uses_colour({"NO_COLOR": "1"})
    assert not uses_colour({"TERM": "dumb"})


def test_accounts_are_pairs_separated_by_blanks_or_commas():
    variables = {"WORKBENCH_AUTH": "ann:scrypt.a, bob:scrypt.b\nroot:x", "WORKBENCH_ADMINS": "root, ada"}
    settings = read_settings(variables)
    assert settings.accounts == {"ann": "scrypt.a", "bob": "scrypt.b", "root": "x"}
    assert settings.admins == {"root", "ada"}
    assert "scrypt" not in repr(settings)


@pytest.mark.parametrize("pair", ["secret", "ann:", ":secret"])
def test_a_malformed_account_is_refused_and_not_shown(pair):
    with pytest.raises(BadInput, match=r"account 2.*name:hash") as caught:
        read_settings({"WORKBENCH_AUTH": f"bob:x,{pair}"})
    assert "secret" not in str(caught.value)


def test_a_space_is_recognized_by_its_id():
    assert not read_settings({}).is_on_space
    assert read_settings({"SPACE_ID": "a/b"}).is_on_space
    space = {"SPACE_ID": "a/b", "SYSTEM": "spaces", "OAUTH_CLIENT_ID": "x"}
    assert read_settings(space).has_hugging_face_login
    assert not read_settings({"OAUTH_CLIENT_ID": "x"}).has_hugging_face_login
