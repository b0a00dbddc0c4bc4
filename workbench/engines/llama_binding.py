"""A context of llama.cpp over shared weights, with one or more sequences of tokens."""

import ctypes
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, cast

import llama_cpp

from workbench.engines.llama_loading import (
    LoadOptions,
    LoraAdapter,
    explain_errors,
    llama_log,
    sequences_of,
)
from workbench.engines.llama_steps import BATCH_TOKENS, SHORT_BATCH_TOKENS, Logits, Steps
from workbench.engines.llama_weights import SHARED
from workbench.errors import EngineError
from workbench.settings import FlashAttention

_ALL: Final = -1
"""As a position: from the first, or to the last token."""
_FLASH: Final[dict[FlashAttention, int]] = {
    "auto": llama_cpp.LLAMA_FLASH_ATTN_TYPE_AUTO,
    "on": llama_cpp.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    "off": llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED,
}

_WHOLE_KV: Final = ("f32", "f16")
"""Types of keys and values that work without flash attention."""

State = ctypes.Array[ctypes.c_uint8]
"""The saved state of a sequence of tokens, in llama.cpp's own format."""


class Binding:
    """A loaded model with one context. Safe for several threads, if each uses a sequence of its own.

    Raises:
        EngineError: The file is not a GGUF file, llama.cpp cannot load it, or an adapter does not fit.
    """

    def __init__(self, path: Path, loading: LoadOptions) -> None:
        llama_cpp.llama_backend_init()
        self._log = llama_log()
        self._open = ExitStack()
        self._weights, self._thread, give_back = SHARED.take(path, loading)
        self._open.callback(give_back)
        self.model = self._weights.model
        self.vocabulary = self._weights.vocabulary
        self.vocabulary_size = self._weights.vocabulary_size
        try:
            self._create_context(path, loading)
        except EngineError:
            self.close()
            raise

    def _create_context(self, path: Path, loading: LoadOptions) -> None:
        self.context = self._context(path, loading)
        self.context_tokens = llama_cpp.llama_n_ctx_seq(self.context)
        """Size of the context of each sequence."""
        self.sequences = llama_cpp.llama_n_seq_max(self.context)
        """Number of sequences."""
        self.prompt_tokens = BATCH_TOKENS
        """How many tokens of a prompt to evaluate at once."""
        if self.sequences > 1 and not self._is_on_gpu:
            self.prompt_tokens = SHORT_BATCH_TOKENS
        self.device = self._device()
        self._memory = self._weights.checked(llama_cpp.llama_get_memory(self.context), path)
        self._apply_adapters(loading.lora)
        self._steps = Steps(context=self.context, thread=self._thread, vocabulary_size=self.vocabulary_size)
        self._pieces: dict[int, bytes] = {}

    def close(self) -> None:
        """Free the memory of the context, and of the weights if no other context uses them."""
        self._open.close()

    def tokenize(self, text: str, *, is_start: bool) -> list[int]:
        """Return the tokens of `text`. A special token in it, such as `<|im_end|>`, is one token.

        Args:
            is_start: True if the text begins a prompt, so that the begin token is added if the vocabulary has one.
        """
        data = text.encode(errors="replace")
        room = len(data) + 8
        tokens = (llama_cpp.llama_token * room)()
        count = llama_cpp.llama_tokenize(self.vocabulary, data, len(data), tokens, room, is_start, True)
        if count < 0:
            raise EngineError(f"llama.cpp cannot tokenize a text of {len(data)} bytes")
        return tokens[:count]

    def piece(self, token: int) -> bytes:
        """Return the bytes of a token. For a special token, they are its text, such as `<|im_end|>`."""
        known = self._pieces.get(token)
        if known is not None:
            return known
        room = 128
        while True:
            buffer = ctypes.create_string_buffer(room)
            size = llama_cpp.llama_token_to_piece(self.vocabulary, token, buffer, room, 0, True)
            if size >= 0:
                return self._pieces.setdefault(token, buffer.raw[:size])
            room = -size

    def chat_template(self, name: str | None = None) -> str | None:
        """Return the chat template of that name, or the one without a name. None if the model has none."""
        template = llama_cpp.llama_model_chat_template(self.model, name.encode() if name else None)
        return template.decode("utf-8", "replace") if template else None

    def is_end(self, token: int) -> bool:
        """Return whether a token ends a completion."""
        return bool(llama_cpp.llama_vocab_is_eog(self.vocabulary, token))

    def is_mark(self, token: int) -> bool:
        """Return whether a token is found in a text before all others, so that no other token can span it."""
        marks = llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED
        return bool(llama_cpp.llama_vocab_get_attr(self.vocabulary, token) & marks)

    def decode(
        self,
        tokens: Sequence[int],
        *,
        sequence: int = 0,
        has_all_logits: bool = False,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> Logits | None:
        """Evaluate tokens after those of a sequence, side by side with what other threads evaluate.

        Args:
            tokens: One to `BATCH_TOKENS` tokens.
            has_all_logits: True to return the logits after each token, False for those after the last one only.
            is_cancelled: Asked again and again meanwhile.

        Returns:
            One row of logits for each token, or one row. None if it was aborted.

        Raises:
            EngineError: llama.cpp failed. The content of the sequence is unknown then.
        """
        return self._steps.evaluate(
            sequence, tokens, has_all_logits=has_all_logits, is_cancelled=is_cancelled
        )

    def cut(self, tokens: int, *, sequence: int = 0) -> bool:
        """Remove all but the first `tokens` tokens. Return False if this kind of model cannot do that."""
        remove = llama_cpp.llama_memory_seq_rm
        return bool(self._thread.run(lambda: remove(self._memory, sequence, tokens, _ALL)))

    def clear(self, *, sequence: int = 0) -> None:
        """Remove all tokens of a sequence."""
        self.cut(_ALL, sequence=sequence)

    def state_bytes(self, *, sequence: int = 0) -> int:
        """Return the size of the state that `save` would return now."""
        return self._thread.run(
            lambda: llama_cpp.llama_state_seq_get_size(self.context, llama_cpp.llama_seq_id(sequence))
        )

    def save(self, *, sequence: int = 0) -> State:
        """Return the state of a sequence, to restore it later."""
        size = self.state_bytes(sequence=sequence)
        state, get = (ctypes.c_uint8 * size)(), llama_cpp.llama_state_seq_get_data
        written = self._thread.run(lambda: get(self.context, state, size, llama_cpp.llama_seq_id(sequence)))
        if written != size:
            raise EngineError(f"llama.cpp saved {written} of {size} bytes of its state")
        return state

    def restore(self, state: State, *, sequence: int = 0) -> bool:
        """Replace the tokens of a sequence by a saved state. Return False if llama.cpp refused it."""
        number, put = llama_cpp.llama_seq_id(sequence), llama_cpp.llama_state_seq_set_data
        return self._thread.run(lambda: put(self.context, state, len(state), number)) > 0

    def _context(self, path: Path, loading: LoadOptions) -> llama_cpp.llama_context_p:
        trained = llama_cpp.llama_model_n_ctx_train(self.model)
        tokens = min(loading.context_tokens or trained, trained)
        params = llama_cpp.llama_context_default_params()
        params.n_batch = params.n_ubatch = min(BATCH_TOKENS, tokens)
        params.n_threads = params.n_threads_batch = loading.threads or os.cpu_count() or 1
        params.flash_attn_type = _flash_type(loading)
        params.type_k = params.type_v = getattr(llama_cpp, f"GGML_TYPE_{loading.kv_type.upper()}")
        # Each sequence has its own memory. In a common one, attention would pass over the tokens of all sequences, and
        # its sums, and so the answers, would depend on who else is there.
        params.kv_unified = False
        self.threads = params.n_threads
        created = self._weights.checked(self._created(params, tokens, loading), path)
        self._open.callback(self._thread.run, lambda: llama_cpp.llama_free(created))
        return created

    def _created(
        self, params: llama_cpp.llama_context_params, tokens: int, loading: LoadOptions
    ) -> llama_cpp.llama_context_p | None:
        """Create the context. If nobody has set the number of sequences and there is no memory for it, use one."""
        created = None
        for count in sorted({sequences_of(loading, tokens), loading.side_by_side or 1}, reverse=True):
            params.n_seq_max, params.n_ctx = count, count * tokens
            created = created or llama_cpp.llama_init_from_model(self.model, params)
        return created

    @property
    def _is_on_gpu(self) -> bool:
        offloaded = self._weights.offloaded
        return bool(offloaded) and not offloaded.startswith("0/")

    def _device(self) -> str:
        """Return where the layers are, such as `GPU, 33/33 layers, CUDA0 NVIDIA L4` or `CPU, 30 layers, 2 threads`."""
        if self._is_on_gpu:
            return ", ".join((f"GPU, {self._weights.offloaded} layers", *self._weights.devices))
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return f"CPU, {self._weights.layers} layers, {threads}"

    def _apply_adapters(self, adapters: Sequence[LoraAdapter]) -> None:
        if not adapters:
            return
        loaded = [self._weights.adapter(adapter) for adapter in adapters]
        pointers = (llama_cpp.llama_adapter_lora_p_ctypes * len(loaded))(*loaded)
        scales = (ctypes.c_float * len(loaded))(*(adapter.scale for adapter in adapters))
        set_adapters = cast("Callable[..., int]", cast(Any, llama_cpp).llama_set_adapters_lora)
        if set_adapters(self.context, pointers, len(loaded), scales):
            names = ", ".join(str(adapter.path) for adapter in adapters)
            raise EngineError(
                f"llama.cpp cannot apply {names} to the model: {explain_errors(self._log.take())}"
            )


def _flash_type(loading: LoadOptions) -> int:
    """Return llama.cpp's value for flash attention. With `auto`, a CPU uses it only if the KV type needs it.

    On a CPU it saves no time, and its results depend on the number of threads, so that a small model would give
    different answers on different machines.
    """
    is_on_cpu = loading.gpu_layers == 0 or not llama_cpp.llama_supports_gpu_offload()
    if loading.flash_attention == "auto" and is_on_cpu:
        return _FLASH["off" if loading.kv_type in _WHOLE_KV else "on"]
    return _FLASH[loading.flash_attention]
