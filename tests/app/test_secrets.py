"""Keys and access tokens of the environment are never stored in the database."""

from pathlib import Path

from tests.services import CHECKOUT
from workbench.app.passwords import hash_password
from workbench.app.turn_request import TurnRequest
from workbench.app.turns import begin_session, run_turn
from workbench.records.owner import Owner
from workbench.settings import VARIABLES, read_settings
from workbench.wiring import open_services

TOKENS = {
    "HF_TOKEN": "hf_secretsecretsecretsecret1",
    "OPENAI_API_KEY": "sk-secretsecretsecretsecret2",
    "OAUTH_CLIENT_SECRET": "secretsecretsecretsecret3",
}


def test_no_secret_of_the_environment_is_in_the_database(tmp_path: Path, monkeypatch) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("completions: [Hello.]")
    hashed = hash_password("open sesame", n=2**10)
    variables = TOKENS | {
        "WORKBENCH_MODEL": f"scripted:{script}",
        "WORKBENCH_DATA": str(tmp_path / "data"),
        "WORKBENCH_HOME": str(CHECKOUT),
        "WORKBENCH_AUTH": f"ann:{hashed}",
    }
    secret = {row.name: f"secret-of-{row.name}" for row in VARIABLES if row.name.endswith(("_KEY", "_TOKEN"))}
    variables |= secret
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with open_services(read_settings(variables)) as opened:
        services = opened.of(Owner(key="account:ann"))
        setup = services.setup_for()
        session_id = begin_session(services, setup).id
        list(run_turn(services, TurnRequest(setup=setup, session_id=session_id, text="Hi?")))
        services.sharing.share(session_id)
        assert repr(services.settings).count(hashed) == 0
    content = b"".join(path.read_bytes() for path in (tmp_path / "data").iterdir())
    assert b"Hello." in content
    for value in (*TOKENS.values(), *secret.values(), hashed, "open sesame"):
        assert value.encode() not in content
