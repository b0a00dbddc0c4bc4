"""`workbench models` with a local server in place of the Hugging Face Hub."""

import json
import os
import subprocess
import sys

import pytest

from tests.engines.hub.hub_server import hub_server
from tests.engines.remote.scripted_server import refused, scripted_server
from tests.engines.remote.test_server_lists import listing

pytestmark = pytest.mark.slow

FILES = {"Hermes-Tiny.Q4_K_M.gguf": os.urandom(200_000), "README.md": b"x"}
REPOSITORY = "NousResearch/Hermes-Tiny-GGUF"
NAME = f"hf:{REPOSITORY}/Hermes-Tiny.Q4_K_M.gguf"


@pytest.fixture
def models(tmp_path):
    """Run the command in a separate process, so that the environment variables of the hub client take effect."""
    with hub_server(dict(FILES)) as hub:

        def run(*arguments, **variables):
            environment = {
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("WORKBENCH_", "HF_"))
            }
            environment |= {
                "HF_ENDPOINT": hub.url,
                "HF_HOME": str(tmp_path / "hf"),
                "WORKBENCH_DATA": str(tmp_path / "data"),
                **variables,
            }
            command = [sys.executable, "-m", "workbench", "models", *arguments]
            return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

        yield run


def lines(done):
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_model_is_found_shown_pulled_listed_and_removed(models):
    assert lines(models("find", "hermes", "tiny", "--json"))[0]["repository"] == REPOSITORY
    (shown,) = lines(models("show", REPOSITORY, "--json"))
    assert (shown["name"], shown["quantisation"], shown["size_bytes"], shown["cached"]) == (
        NAME, "Q4_K_M", 200_000, False,
    )  # fmt: skip
    pulled = models("pull", NAME)
    assert pulled.returncode == 0, pulled.stderr
    with open(pulled.stdout.strip(), "rb") as file:  # noqa: PTH123
        assert file.read() == FILES["Hermes-Tiny.Q4_K_M.gguf"]
    listed = {model["name"]: model for model in lines(models("list", "--json", HF_HUB_OFFLINE="1"))}
    assert listed[NAME]["size_bytes"] == 200_000
    assert lines(models("rm", NAME, "--json")) == [{"name": NAME, "freed_bytes": 200_000}]
    assert NAME not in models("list").stdout


def test_the_recommended_models_are_shown_without_the_hub(models):
    found = lines(models("find", "--json", HF_HUB_OFFLINE="1"))
    assert len(found) == 5
    assert {"Hermes-3-Llama-3.2-3B", "Hermes-3-Llama-3.1-8B", "Hermes-2-Pro-Mistral-7B"} <= {
        model["repository"].partition("/")[2].removesuffix("-GGUF") for model in found
    }
    assert all(model["family"] and model["template"] and model["context_tokens"] for model in found)


def test_a_default_is_stored_and_the_setting_takes_precedence(models):
    assert models("default").stdout == "embedded\n"
    assert models("default", "scripted:demo").stdout == "scripted:demo\n"
    assert models("list").stdout.startswith("scripted:demo")
    overridden = models("default", "scripted:demo", WORKBENCH_MODEL="embedded")
    assert overridden.stdout == "embedded\n"
    assert "WORKBENCH_MODEL is set to 'embedded' and takes precedence" in overridden.stderr


@pytest.mark.parametrize(
    ("arguments", "variables", "code", "words"),
    [
        (("pull", "hf:nobody/none/a.gguf"), {}, 2, "no such repository"),
        (
            ("pull", f"hf:{REPOSITORY}/none.gguf"),
            {},
            2,
            f"`workbench models show {REPOSITORY}` lists its files",
        ),
        (("pull", "hermes"), {}, 2, "not of the form hf:OWNER/REPOSITORY/FILE.gguf"),
        (("rm", NAME), {}, 2, "not in the cache"),
        (("find", "x"), {"HF_HUB_OFFLINE": "1"}, 3, "HF_HUB_OFFLINE is set"),
        (("find", "x"), {"HF_ENDPOINT": "http://127.0.0.1:1"}, 3, "cannot be reached"),
    ],
)
def test_an_error_is_reported_in_one_line_with_an_exit_code(models, arguments, variables, code, words):
    done = models(*arguments, **variables)
    assert done.returncode == code
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_the_models_of_a_server_are_listed(models):
    with scripted_server(listing("org/hermes", "b")) as server:
        done = models("list", "--json", WORKBENCH_OPENAI_BASE_URL=server.url, HF_HUB_OFFLINE="1")
    listed = {model["name"]: model for model in lines(done)}
    assert listed["openai:org/hermes"]["device"] == server.url
    assert "openai:b" in listed


def test_a_server_that_refuses_the_key_is_reported_and_the_other_models_are_listed(models):
    with scripted_server(refused(401, "invalid key")) as server:
        done = models("list", WORKBENCH_OPENAI_BASE_URL=server.url, HF_HUB_OFFLINE="1")
    assert done.returncode == 0
    assert "embedded" in done.stdout
    assert "models are missing" in done.stderr and "invalid key" in done.stderr
