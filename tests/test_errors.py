"""Exceptions, as they are sent from one process to another."""

import pickle

import pytest

from workbench.errors import (
    BadInput,
    EngineError,
    ForeignSession,
    ModelMissing,
    NoMessage,
    NoSession,
    OffBranch,
    PromptTooLong,
    RemoteFailed,
    StoreError,
    WorkerEnded,
)


@pytest.mark.parametrize(
    "error",
    [
        BadInput("suite 's'", "it is empty", "add a case"),
        EngineError("out of memory"),
        ModelMissing("m.gguf", "download it", path="/models/m.gguf"),
        PromptTooLong(prompt_tokens=9, context_tokens=8, reserved_tokens=1),
        RemoteFailed("local", "it refuses the key", remedy="check the key"),
        StoreError("disk full"),
        NoSession("a1"),
        ForeignSession("a1", "Rain"),
        NoMessage("a1", "b2"),
        OffBranch("b2"),
        WorkerEnded(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_survives_pickling_with_its_message_and_fields(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)
