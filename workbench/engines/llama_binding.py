"""A context of llama.cpp over shared weights, interrupted when a request is cancelled."""

import ctypes
import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final, cast

import llama_cpp
import numpy
from numpy.typing import NDArray

from workbench.engines.llama_loading import LoadOptions, LoraAdapter, explain_errors, llama_log
from workbench.engines.llama_weights import SHARED
from workbench.errors import EngineError
from workbench.settings import FlashAttention

LOOK_EVERY_S: Final = 0.02
"""How often a running evaluation checks whether it was cancelled."""


class AbortFlag:
    """Makes llama.cpp stop, without Python in its inner loop.

    llama.cpp calls a C function before each step of its graph, hundreds of times per token. A Python function would
    need the interpreter's lock each time, and wait for it while the page is busy. So the C function is `strlen`, and
    its argument is our flag: an empty C string to continue, a string of one character to stop.
    """

    def __init__(self, context: llama_cpp.llama_context_p) -> None:
        self._flag = ctypes.create_string_buffer(2)
        library = ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
        # Stored because C only has the address.
        self._ask = ctypes.cast(library.strlen, llama_cpp.ggml_abort_callback)
        llama_cpp.llama_set_abort_callback(context, self._ask, ctypes.cast(self._flag, ctypes.c_void_p))

    @contextmanager
    def watching(self, is_cancelled: Callable[[], bool]) -> Generator[None]:
        """End an evaluation inside the `with` block within milliseconds after `is_cancelled` returns True."""
        is_over = Event()

        def watch() -> None:
            while not is_over.wait(LOOK_EVERY_S):
                if is_cancelled():
                    self._flag[0] = b"x"
                    return

        watcher = Thread(target=watch, name="llama-abort", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            is_over.set()
            watcher.join()
            self._flag[0] = b"\0"


BATCH_TOKENS: Final = 512
"""Number of tokens that are evaluated at once."""
_SEQUENCE: Final = llama_cpp.llama_seq_id(0)
_TO_THE_END: Final = -1
_ABORTED: Final = 2
_FLASH: Final[dict[FlashAttention, int]] = {
    "auto": llama_cpp.LLAMA_FLASH_ATTN_TYPE_AUTO,
    "on": llama_cpp.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    "off": llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED,
}

_WHOLE_KV: Final = ("f32", "f16")
"""Types of keys and values that work without flash attention."""

Logits = NDArray[numpy.float32]
"""One value for each token of the vocabulary."""
State = ctypes.Array[ctypes.c_uint8]
"""The saved state of a sequence of tokens, in llama.cpp's own format."""


class Binding:
    """A loaded model with one context of one sequence. Not safe for several threads at once.

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
        self.context_tokens = llama_cpp.llama_n_ctx(self.context)
        self.device = self._device()
        self._memory = self._weights.checked(llama_cpp.llama_get_memory(self.context), path)
        self._apply_adapters(loading.lora)
        self._abort = AbortFlag(self.context)
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

    def decode(self, tokens: Sequence[int], *, all_logits: bool = False) -> bool:
        """Evaluate tokens after those in memory. Return False if it was aborted.

        Args:
            tokens: One to `BATCH_TOKENS` tokens.
            all_logits: True to compute the logits after each token, False for those after the last one only.

        Raises:
            EngineError: llama.cpp failed. The content of its memory is unknown then.
        """
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        batch = llama_cpp.llama_batch_get_one(array, len(tokens))
        if all_logits:
            flags = (ctypes.c_int8 * len(tokens))(*([1] * len(tokens)))
            batch.logits = flags
        code = self._thread.run(llama_cpp.llama_decode, self.context, batch)
        if code not in (0, _ABORTED):
            raise EngineError(f"llama.cpp failed with code {code}: {explain_errors(self._log.take())}")
        return code == 0

    def decode_all(self, tokens: Sequence[int], is_cancelled: Callable[[], bool]) -> int:
        """Evaluate tokens in batches. Return how many were evaluated: fewer than all if it was cancelled."""
        with self._abort.watching(is_cancelled):
            for start in range(0, len(tokens), BATCH_TOKENS):
                if is_cancelled() or not self.decode(tokens[start : start + BATCH_TOKENS]):
                    return start
        return len(tokens)

    def logits(self, index: int = -1) -> Logits:
        """Return the logits after a token of the last `decode`, as a view that the next one overwrites."""
        pointer = llama_cpp.llama_get_logits_ith(self.context, index)
        return numpy.ctypeslib.as_array(cast(Any, pointer), shape=(self.vocabulary_size,))

    def cut(self, tokens: int) -> bool:
        """Remove everything after the first `tokens` tokens. Return False if this kind of model cannot do that."""
        return bool(llama_cpp.llama_memory_seq_rm(self._memory, _SEQUENCE, tokens, _TO_THE_END))

    def clear(self) -> None:
        """Clear memory."""
        llama_cpp.llama_memory_clear(self._memory, False)

    def state_bytes(self) -> int:
        """Return the size of the state that `save` would return now."""
        return llama_cpp.llama_state_seq_get_size(self.context, _SEQUENCE)

    def save(self) -> State:
        """Return the state of the memory, to restore it later."""
        size = self.state_bytes()
        state = (ctypes.c_uint8 * size)()
        written = llama_cpp.llama_state_seq_get_data(self.context, state, size, _SEQUENCE)
        if written != size:
            raise EngineError(f"llama.cpp saved {written} of {size} bytes of its state")
        return state

    def restore(self, state: State) -> bool:
        """Replace memory by a saved state. Return False if llama.cpp refused it."""
        return llama_cpp.llama_state_seq_set_data(self.context, state, len(state), _SEQUENCE) > 0

    def _context(self, path: Path, loading: LoadOptions) -> llama_cpp.llama_context_p:
        trained = llama_cpp.llama_model_n_ctx_train(self.model)
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = min(loading.context_tokens or trained, trained)
        params.n_batch = params.n_ubatch = min(BATCH_TOKENS, params.n_ctx)
        params.n_threads = params.n_threads_batch = loading.threads or os.cpu_count() or 1
        params.flash_attn_type = _flash_type(loading)
        params.type_k = params.type_v = getattr(llama_cpp, f"GGML_TYPE_{loading.kv_type.upper()}")
        self.threads = params.n_threads
        context = self._weights.checked(llama_cpp.llama_init_from_model(self.model, params), path)
        self._open.callback(llama_cpp.llama_free, context)
        return context

    def _device(self) -> str:
        """Return where the layers are, such as `GPU, 33/33 layers, CUDA0 NVIDIA L4` or `CPU, 30 layers, 2 threads`."""
        offloaded = self._weights.offloaded
        if offloaded and not offloaded.startswith("0/"):
            return ", ".join((f"GPU, {offloaded} layers", *self._weights.devices))
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
