"""What a GGUF file says of itself."""

import sys

import pytest

from workbench.engines.embedded import REMEDY, find_embedded
from workbench.engines.gguf import read_chat_template, read_metadata
from workbench.errors import BadInput, EngineError, ModelMissing


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(ModelMissing, match="no such file"):
        read_metadata(tmp_path / "none.gguf")


def test_a_missing_binding_is_said(tmp_path, monkeypatch):
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(ModelMissing, match="llama-cpp-python is not installed"):
        read_chat_template(path)


@pytest.mark.model
def test_the_embedded_model_s_template_is_jinja():
    path = find_embedded()
    assert path is not None, REMEDY
    assert "{% for message in messages %}" in read_chat_template(path)
    assert read_metadata(path)["general.architecture"] == "llama"


@pytest.mark.model
def test_a_file_that_is_no_gguf_is_said(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(b"not a model")
    with pytest.raises(EngineError, match="cannot read"):
        read_metadata(path)


def test_a_model_without_a_template_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr("workbench.engines.gguf.read_metadata", lambda _path: {})
    with pytest.raises(BadInput, match=r"no tokenizer\.chat_template"):
        read_chat_template(tmp_path / "x.gguf")
