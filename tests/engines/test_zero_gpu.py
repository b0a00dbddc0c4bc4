"""ZeroGPU engines with the real package `spaces`, whose decorator does nothing outside a Space."""

import pickle

import pytest

from workbench.chat.message import Conversation, Message, Role
from workbench.engines.embedded_model import find_embedded
from workbench.engines.llama_loading import LoadOptions
from workbench.engines.zero_gpu import ZeroGpuEngine, register, seconds_for
from workbench.errors import ModelMissing
from workbench.rollout.ports import Constraint, FinishReason, GenerationRequest
from workbench.rollout.sampling import Sampling
from workbench.toolspec.spec import OfferedTools, ToolSpec

LOADING = LoadOptions(context_tokens=1024, threads=0, gpu_layers=0)
REQUEST = GenerationRequest(
    prompt="<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n",
    sampling=Sampling(max_tokens=12),
)
SPACES = "ignore::DeprecationWarning"


@pytest.fixture(scope="module")
def engine():
    pytest.importorskip("spaces")
    path = find_embedded()
    if path is None:
        pytest.skip("the embedded model is not installed (make test installs it)")
    return ZeroGpuEngine(path, name="zerogpu:embedded", loading=LOADING)


@pytest.mark.model
@pytest.mark.filterwarnings(SPACES)
def test_the_decorated_generator_answers(engine):
    deltas = list(engine.generate(REQUEST, is_cancelled=lambda: False))
    assert "Paris" in "".join(delta.text for delta in deltas)
    assert deltas[-1].finish_reason in (FinishReason.STOP, FinishReason.LENGTH)


@pytest.mark.model
@pytest.mark.filterwarnings(SPACES)
def test_stopping_ends_the_generator(engine):
    answers = iter([False, False])
    deltas = list(engine.generate(REQUEST, is_cancelled=lambda: next(answers, True)))
    assert len(deltas) == 3
    assert deltas[-1].finish_reason is FinishReason.CANCELLED
    assert list(engine.generate(REQUEST, is_cancelled=lambda: False))[-1].finish_reason is not None


def test_the_arguments_of_the_forked_process_can_be_pickled():
    tools = OfferedTools(specs=(ToolSpec.of_function({"name": "now", "parameters": {"type": "object"}}),))
    assert tools.names == ("now",)
    request = GenerationRequest(
        prompt="P",
        sampling=Sampling(),
        tools=tools,
        conversation=Conversation(messages=(Message(role=Role.USER, text="Hi"),)),
        constraint=Constraint(schema={"type": "object"}, closing="x"),
    )
    arguments = ("/m.gguf", "zerogpu:x", LOADING, request)
    assert pickle.loads(pickle.dumps(arguments)) == arguments
    assert seconds_for(*arguments) > 0


@pytest.mark.filterwarnings(SPACES)
def test_the_function_is_decorated_once():
    pytest.importorskip("spaces")
    assert register() is register()


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(ModelMissing, match="preload_from_hub"):
        ZeroGpuEngine(tmp_path / "none.gguf", name="zerogpu:x", loading=LOADING)
