"""Requests to the embedded model."""

from workbench.engines.llama_loading import LoadOptions
from workbench.rollout.ports import GenerationRequest
from workbench.rollout.sampling import Sampling

LOADING = LoadOptions(context_tokens=1024, threads=1, gpu_layers=-1)
CHAT = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"


def ask(engine, prompt, *, cancelled=lambda: False, stop=(), sampling_stop=(), constraint=None, **sampling):
    sampling = {"max_tokens": 40, "stop": sampling_stop} | sampling
    request = GenerationRequest(
        prompt=prompt, sampling=Sampling(**sampling), stop=stop, constraint=constraint
    )
    deltas = list(engine.generate(request, is_cancelled=cancelled))
    return "".join(delta.text for delta in deltas), deltas[-1]
