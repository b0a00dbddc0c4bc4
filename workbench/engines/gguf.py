"""What a GGUF file says of itself, read without its weights."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from workbench.engines.llama_log import llama_log
from workbench.errors import BadInput, EngineError, ModelMissing

CHAT_TEMPLATE: Final = "tokenizer.chat_template"
"""Key of a model's own chat template, as Jinja."""


def read_metadata(path: Path) -> Mapping[str, str]:
    """All keys and values; arrays are left out.

    Raises:
        ModelMissing: The file or llama-cpp-python is not there.
        EngineError: The file is no GGUF.
    """
    if not path.is_file():
        raise ModelMissing(str(path), "no such file; name a GGUF file")
    try:
        import llama_cpp
    except ImportError as error:
        raise ModelMissing(str(path), "llama-cpp-python is not installed; run `make run` once") from error
    log = llama_log()
    try:
        vocabulary = llama_cpp.Llama(str(path), vocab_only=True, verbose=False)
    except (ValueError, RuntimeError, OSError, AssertionError) as error:
        raise EngineError(f"llama.cpp cannot read {path}: {log.take() or error}") from error
    try:
        return cast(Mapping[str, str], dict(vocabulary.metadata))
    finally:
        vocabulary.close()


def read_chat_template(path: Path) -> str:
    """The chat template that the model ships.

    Raises:
        ModelMissing: The file or llama-cpp-python is not there.
        EngineError: The file is no GGUF.
        BadInput: The model ships none.
    """
    template = read_metadata(path).get(CHAT_TEMPLATE)
    if not template:
        raise BadInput(f"model {path}", f"no {CHAT_TEMPLATE} in its metadata", "give one by --jinja")
    return template
