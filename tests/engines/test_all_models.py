"""Finding models by their names."""

import pytest

from workbench.engines.all_models import AllModels, EngineSources
from workbench.engines.llama_loading import LoadOptions
from workbench.engines.models import LocalModels
from workbench.engines.remote.server import Mode, Server, ServerKind
from workbench.engines.remote.servers_file import ServersFile
from workbench.errors import BadInput, ModelMissing
from workbench.settings import Secret

LOADING = LoadOptions(context_tokens=0, threads=0, gpu_layers=0)
LAB = Server(name="lab", base_url="http://127.0.0.1:1/v1", models=("org/a", "b"))


def models_for(default="embedded", cached=(), find_cached=lambda _: None, **sources):
    return AllModels(
        local=LocalModels(loading=LOADING, find_cached=find_cached),
        default=default,
        sources=EngineSources(**sources),
        cached_names=lambda: cached,
        wait=lambda _: None,
    )


def test_a_script_is_found_by_path_and_its_engine_is_reused(tmp_path):
    path = tmp_path / "script.yaml"
    path.write_text("completions: [hello]")
    models = models_for(default=f"scripted:{path}")
    engine = models.engine(f"scripted:{path}")
    assert models.engine(f"scripted:{path}") is engine
    assert models.names()[0] == f"scripted:{path}"
    assert models.status(f"scripted:{path}").is_loaded


def test_scripts_and_recordings_in_the_folders_are_listed_by_name(tmp_path):
    for name in ("own/demo.yaml", "shipped/demo.yaml", "shipped/other.yaml", "recordings/cairo.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"completions: [{path.parent.name}]")
    models = models_for(scripts=(tmp_path / "own", tmp_path / "shipped"), recordings=tmp_path / "recordings")
    names = [name for name in models.names() if name.startswith(("scripted:", "replay:"))]
    assert names == ["scripted:demo", "scripted:other", "replay:cairo"]
    from tests.engines.remote.asking import REQUEST

    deltas = models.engine("scripted:demo").generate(REQUEST, is_cancelled=lambda: False)
    assert "".join(delta.text for delta in deltas) == "own"


def test_models_of_servers_and_of_the_cache_are_listed():
    models = models_for(servers={"lab": LAB}, cached=["hf:o/r/m.gguf"])
    assert [name for name in models.names() if name != "embedded"] == [
        "hf:o/r/m.gguf",
        "openai:lab/org/a",
        "openai:lab/b",
    ]


def test_a_name_without_a_server_uses_the_server_of_the_settings():
    own = Server(name="", base_url="http://127.0.0.1:2/v1", mode=Mode.RAW)
    models = models_for(servers={"lab": LAB}, default_server=own)
    assert models.engine("openai:lab/org/a").device == "http://127.0.0.1:1/v1"
    assert models.engine("openai:org/a").device == "http://127.0.0.1:2/v1"
    assert models.status("openai:lab/b").writes_tools
    assert not models.status("openai:b").writes_tools
    models.close()


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("openai:x", ModelMissing, "set WORKBENCH_OPENAI_BASE_URL, or use one of these servers: lab"),
        ("openai:lab", BadInput, "openai:SERVER/MODEL"),
        ("hf-inference:x", BadInput, "hf-inference:OWNER/MODEL"),
        ("hf:o/r/m.gguf", ModelMissing, "workbench models pull hf:o/r/m.gguf"),
        ("hf:o", BadInput, "not of the form"),
        ("scripted:/no/such/file", ModelMissing, "/no/such"),
        ("replay:/no/such/file", ModelMissing, "/no/such"),
        ("/no/such/model.gguf", ModelMissing, "/no/such"),
    ],
)
def test_an_unusable_name_is_reported_with_what_to_do(name, error, words, tmp_path):
    from workbench.engines.hub.gguf_hub import GgufHub

    hub = GgufHub(wait=lambda _: None, cache=tmp_path, memory=1)
    with pytest.raises(error, match=words):
        models_for(servers={"lab": LAB}, find_cached=hub.path).engine(name)


def test_each_visitor_s_token_gets_its_own_engine():
    models = models_for()
    mine, yours = (models.engine("hf-inference:o/m", token=Secret(token)) for token in ("a", "b"))
    assert mine is not yours
    assert models.engine("hf-inference:o/m") is models.engine("hf-inference:o/m")
    assert "Secret(…)" in repr(Secret("hf_abc"))


def test_servers_are_loaded_with_defaults_and_keys_from_variables(tmp_path):
    (tmp_path / "servers.yaml").write_text(
        "servers:\n"
        "  lab: {kind: vllm, key_variable: LAB_KEY, mode: raw, tools: contract, context_tokens: 8192, models: [a]}\n"
        "  nous: {base_url: 'https://inference-api.nousresearch.com/v1', timeout_s: 9}\n"
    )
    servers = ServersFile(tmp_path, timeout_s=7.0, read_secret={"LAB_KEY": Secret("k")}.get).servers()
    lab, nous = servers["lab"], servers["nous"]
    assert (lab.base_url, lab.kind, lab.mode) == ("http://127.0.0.1:8000/v1", ServerKind.VLLM, Mode.RAW)
    assert (lab.key.reveal(), lab.timeout_s, lab.context_tokens) == ("k", 7.0, 8192)
    assert (nous.key, nous.timeout_s, nous.mode) == (None, 9.0, Mode.CHAT)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("servers: {lab: {}}", "base_url is missing"),
        ("servers: {lab: {base_url: 'ftp://x'}}", "servers.lab.base_url.*http://"),
        ("servers: {lab: {kind: magic}}", "servers.lab.kind"),
        ("servers: {lab: {api_key: sk-1, kind: vllm}}", "servers.lab.api_key: unknown key 'api_key'"),
        ("servers: [", "servers.yaml"),
        ("5", "servers.yaml, the file"),
    ],
)
def test_an_invalid_servers_file_is_reported_with_the_place(tmp_path, text, words):
    (tmp_path / "servers.yaml").write_text(text)
    with pytest.raises(BadInput, match=words) as caught:
        ServersFile(tmp_path, timeout_s=7.0, read_secret=lambda _: None)
    assert "sk-1" not in str(caught.value)
