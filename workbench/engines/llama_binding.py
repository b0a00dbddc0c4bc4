"""One loaded model of llama.cpp: evaluated in one thread, and interrupted when a request is cancelled."""

import ctypes
import os
import sys
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Final, ParamSpec, TypeVar, cast

import llama_cpp
import numpy
from numpy.typing import NDArray

from workbench.engines.llama_loading import LoadOptions, LoraAdapter, llama_log
from workbench.errors import EngineError
from workbench.settings import FlashAttention

Given = ParamSpec("Given")
Made = TypeVar("Made")


class EvaluatingThread:
    """Runs llama.cpp's evaluations, whoever asks for them, in one thread that lives as long as the model.

    llama.cpp's threads belong to OpenMP, which keeps a team for every thread that ever asked it for work. With
    more of them than processors it takes away their spinning, and each of the hundred barriers of a token then
    waits for the kernel: a page that plays each turn in a thread of its own would get half the tokens a second.

    *Source:* libgomp, `gomp_managed_threads` and `gomp_throttled_spin_count_var`.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="llama.cpp")

    def run(self, work: Callable[Given, Made], *args: Given.args, **kwargs: Given.kwargs) -> Made:
        """What `work` returns; an interrupt is raised once it has ended, for it uses memory that may be freed then.

        An interrupt may come anywhere, in the middle of handing over the work too: whoever is first to take
        `turn` says whether the work is done.
        """
        turn, ended = Lock(), Event()

        def in_turn() -> Made | None:
            if not turn.acquire(blocking=False):
                return None
            try:
                return work(*args, **kwargs)
            finally:
                ended.set()

        try:
            return cast(Made, self._pool.submit(in_turn).result())
        finally:
            if not turn.acquire(blocking=False):
                ended.wait()

    def close(self) -> None:
        """Ends the thread, and its team with it."""
        self._pool.shutdown()


LOOK_EVERY_S: Final = 0.02
"""How often a watched evaluation asks whether it is still wanted."""


class AbortFlag:
    """Tells llama.cpp to stop, without Python in its inner loop.

    llama.cpp asks a C function before each step of its graph, hundreds of times a token. A Python function would
    need the interpreter's lock each time, and wait for it while the page is busy. `strlen` does it instead: its
    argument is our flag, an empty C string until it is raised, then one of a single character.
    """

    def __init__(self, context: llama_cpp.llama_context_p) -> None:
        self._flag = ctypes.create_string_buffer(2)
        library = ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
        # Kept: C holds the address alone.
        self._ask = ctypes.cast(library.strlen, llama_cpp.ggml_abort_callback)
        llama_cpp.llama_set_abort_callback(context, self._ask, ctypes.cast(self._flag, ctypes.c_void_p))

    @contextmanager
    def watching(self, is_cancelled: Callable[[], bool]) -> Generator[None]:
        """Ends what is evaluated inside within some milliseconds of `is_cancelled` becoming true."""
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


Pointer = TypeVar("Pointer")
BATCH_TOKENS: Final = 512
"""Tokens that are evaluated at once."""
_SEQUENCE: Final = llama_cpp.llama_seq_id(0)
_TO_THE_END: Final = -1
_ABORTED: Final = 2
_FLASH: Final[dict[FlashAttention, int]] = {
    "auto": llama_cpp.LLAMA_FLASH_ATTN_TYPE_AUTO,
    "on": llama_cpp.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    "off": llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED,
}

_WHOLE_KV: Final = ("f32", "f16")
"""Types of keys and values that attention takes without flash attention too."""

Logits = NDArray[numpy.float32]
"""One value a token of the vocabulary."""
State = ctypes.Array[ctypes.c_uint8]
"""What llama.cpp knows of a sequence of tokens, as it gives it."""


class Binding:
    """One loaded model with one context of one sequence. Not safe for several threads at once.

    Raises:
        EngineError: The file is no GGUF, llama.cpp cannot load it, or an adapter does not fit.
    """

    def __init__(self, path: Path, loading: LoadOptions) -> None:
        llama_cpp.llama_backend_init()
        self._log = llama_log()
        self._open = ExitStack()
        self._thread = EvaluatingThread()
        try:
            self._load(path, loading)
        except EngineError:
            self.close()
            raise

    def _load(self, path: Path, loading: LoadOptions) -> None:
        self.model = self._model(path, loading)
        self.vocabulary = self._there(llama_cpp.llama_model_get_vocab(self.model), path)
        self.vocabulary_size = llama_cpp.llama_vocab_n_tokens(self.vocabulary)
        self.layers = llama_cpp.llama_model_n_layer(self.model)
        self.context = self._context(path, loading)
        self.context_tokens = llama_cpp.llama_n_ctx(self.context)
        self.device = self._device()
        self._memory = self._there(llama_cpp.llama_get_memory(self.context), path)
        self._lay_over(loading.lora)
        self._abort = AbortFlag(self.context)
        self._pieces: dict[int, bytes] = {}

    def close(self) -> None:
        """Frees the memory of model and context."""
        self._thread.close()
        self._open.close()

    def tokenize(self, text: str, *, is_start: bool) -> list[int]:
        """The tokens of `text`, control marks as the single tokens they are.

        Args:
            is_start: True where it begins a prompt: a begin token goes before it, where the vocabulary wants one.
        """
        data = text.encode(errors="replace")
        room = len(data) + 8
        tokens = (llama_cpp.llama_token * room)()
        count = llama_cpp.llama_tokenize(self.vocabulary, data, len(data), tokens, room, is_start, True)
        if count < 0:
            raise EngineError(f"llama.cpp cannot make tokens of a text of {len(data)} bytes")
        return tokens[:count]

    def piece(self, token: int) -> bytes:
        """The bytes that a token stands for; a control token's are its mark."""
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
        """The chat template of that name, or the one without a name; None where the model has none."""
        found = llama_cpp.llama_model_chat_template(self.model, name.encode() if name else None)
        return found.decode("utf-8", "replace") if found else None

    def is_end(self, token: int) -> bool:
        """True of a token that ends a completion."""
        return bool(llama_cpp.llama_vocab_is_eog(self.vocabulary, token))

    def is_mark(self, token: int) -> bool:
        """True of a token that is found in a text before all others: no other token reaches across it."""
        marks = llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED
        return bool(llama_cpp.llama_vocab_get_attr(self.vocabulary, token) & marks)

    def decode(self, tokens: Sequence[int], *, all_logits: bool = False) -> bool:
        """Evaluates at most `BATCH_TOKENS` tokens behind those in memory; False where it was aborted.

        Args:
            tokens: One or more.
            all_logits: True: `logits` tells of each of them; False: of the last.

        Raises:
            EngineError: llama.cpp refused; what is in memory is not known.
        """
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        batch = llama_cpp.llama_batch_get_one(array, len(tokens))
        if all_logits:
            told = (ctypes.c_int8 * len(tokens))(*([1] * len(tokens)))
            batch.logits = told
        code = self._thread.run(llama_cpp.llama_decode, self.context, batch)
        if code not in (0, _ABORTED):
            raise EngineError(f"llama.cpp stopped with code {code}: {self._log.take() or 'no reason given'}")
        return code == 0

    def decode_all(self, tokens: Sequence[int], is_cancelled: Callable[[], bool]) -> int:
        """Evaluates tokens in batches; how many were, fewer than all where it was cancelled."""
        with self._abort.watching(is_cancelled):
            for start in range(0, len(tokens), BATCH_TOKENS):
                if is_cancelled() or not self.decode(tokens[start : start + BATCH_TOKENS]):
                    return start
        return len(tokens)

    def logits(self, index: int = -1) -> Logits:
        """Logits behind a token of the last `decode`; a view that the next one overwrites."""
        pointer = llama_cpp.llama_get_logits_ith(self.context, index)
        return numpy.ctypeslib.as_array(cast(Any, pointer), shape=(self.vocabulary_size,))

    def cut(self, tokens: int) -> bool:
        """Forgets all behind the first `tokens`; False where this kind of model cannot do so in part."""
        return bool(llama_cpp.llama_memory_seq_rm(self._memory, _SEQUENCE, tokens, _TO_THE_END))

    def clear(self) -> None:
        """Forgets all."""
        llama_cpp.llama_memory_clear(self._memory, False)

    def state_bytes(self) -> int:
        """Size of what `save` would give now."""
        return llama_cpp.llama_state_seq_get_size(self.context, _SEQUENCE)

    def save(self) -> State:
        """What is in memory, to go on from later."""
        size = self.state_bytes()
        state = (ctypes.c_uint8 * size)()
        written = llama_cpp.llama_state_seq_get_data(self.context, state, size, _SEQUENCE)
        if written != size:
            raise EngineError(f"llama.cpp saved {written} of {size} bytes of its state")
        return state

    def restore(self, state: State) -> bool:
        """Takes a saved state in place of what is in memory; False where llama.cpp would not have it."""
        return llama_cpp.llama_state_seq_set_data(self.context, state, len(state), _SEQUENCE) > 0

    def _model(self, path: Path, loading: LoadOptions) -> llama_cpp.llama_model_p:
        params = llama_cpp.llama_model_default_params()
        can_offload = llama_cpp.llama_supports_gpu_offload()
        params.n_gpu_layers = loading.gpu_layers if can_offload else 0
        self._log.begin()
        model = self._there(llama_cpp.llama_model_load_from_file(os.fsencode(path), params), path)
        self._open.callback(llama_cpp.llama_model_free, model)
        return model

    def _context(self, path: Path, loading: LoadOptions) -> llama_cpp.llama_context_p:
        trained = llama_cpp.llama_model_n_ctx_train(self.model)
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = min(loading.context_tokens or trained, trained)
        params.n_batch = params.n_ubatch = min(BATCH_TOKENS, params.n_ctx)
        params.n_threads = params.n_threads_batch = loading.threads or os.cpu_count() or 1
        params.flash_attn_type = _flash_type(loading)
        params.type_k = params.type_v = getattr(llama_cpp, f"GGML_TYPE_{loading.kv_type.upper()}")
        self.threads = params.n_threads
        context = self._there(llama_cpp.llama_init_from_model(self.model, params), path)
        self._open.callback(llama_cpp.llama_free, context)
        return context

    def _device(self) -> str:
        """Where the layers are, such as `GPU, 33/33 layers, CUDA0 NVIDIA L4` or `CPU, 30 layers, 2 threads`."""
        offloaded = self._log.offloaded
        if offloaded and not offloaded.startswith("0/"):
            return ", ".join((f"GPU, {offloaded} layers", *self._log.devices))
        return f"CPU, {self.layers} layers, {self.threads} threads"

    def _lay_over(self, adapters: Sequence[LoraAdapter]) -> None:
        if not adapters:
            return
        loaded = [
            self._there(
                llama_cpp.llama_adapter_lora_init(self.model, os.fsencode(adapter.path)), adapter.path
            )
            for adapter in adapters
        ]
        pointers = (llama_cpp.llama_adapter_lora_p_ctypes * len(loaded))(*loaded)
        scales = (ctypes.c_float * len(loaded))(*(adapter.scale for adapter in adapters))
        lay_over = cast("Callable[..., int]", cast(Any, llama_cpp).llama_set_adapters_lora)
        if lay_over(self.context, pointers, len(loaded), scales):
            names = ", ".join(str(adapter.path) for adapter in adapters)
            raise EngineError(f"llama.cpp cannot lay {names} over the model: {self._log.take()}")

    def _there(self, pointer: Pointer | None, path: Path) -> Pointer:
        if not pointer:
            raise EngineError(f"llama.cpp cannot load {path}: {self._log.take() or 'no reason given'}")
        return pointer


def _flash_type(loading: LoadOptions) -> int:
    """What llama.cpp is told of flash attention; by `auto` a CPU only has it where the KV type needs it.

    There it saves no time, and its sums depend on the number of threads: a small model then gives other
    answers on other machines.
    """
    is_on_cpu = loading.gpu_layers == 0 or not llama_cpp.llama_supports_gpu_offload()
    if loading.flash_attention == "auto" and is_on_cpu:
        return _FLASH["off" if loading.kv_type in _WHOLE_KV else "on"]
    return _FLASH[loading.flash_attention]
