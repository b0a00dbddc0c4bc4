"""Untrusted GGUF files are refused, or first opened in a child process, and the server keeps running."""

import os
import random
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.security.gguf_files import (
    ARRAY,
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    STRING,
    TOKENS,
    TYPES,
    UINT8,
    UINT32,
    UINT64,
    Gguf,
    Tensor,
    Value,
    item_bytes,
    tiny_adapter,
    tiny_model,
)
from workbench.engines.embedded_model import find_embedded, find_embedded_adapter
from workbench.engines.gguf import load_chat_templates, load_type
from workbench.engines.gguf_files.checks import check_adapter_file, check_model_file
from workbench.engines.gguf_files.header import TENSOR_TYPES, read_header
from workbench.engines.gguf_files.trial import open_in_child
from workbench.engines.gguf_files.vetting import FAILED_FOR_S, GgufVetting, ModelFiles, try_in_child
from workbench.engines.llama_loading import LoadOptions, LoraAdapter
from workbench.engines.models import LocalModels
from workbench.errors import BadInput, EngineError, ModelBroken, ModelMissing, WorkbenchError

LOADING = LoadOptions(context_tokens=0, threads=1, gpu_layers=0)
Wreck = Callable[[Gguf], object]


def value(key: str, kind: int, content: object) -> Wreck:
    return lambda file: file.values.update({key: Value(kind, content)})


def without(key: str) -> Wreck:
    return lambda file: file.values.pop(key)


def tensor(name: str, **changes: object) -> Wreck:
    return lambda file: file.tensors.update({name: replace(file.tensors[name], **changes)})


def part(name: str, content: object) -> Wreck:
    return lambda file: setattr(file, name, content)


def extra(key: bytes, rest: bytes) -> Wreck:
    def wreck(file: Gguf) -> None:
        file.extra, file.key_count = item_bytes(STRING, key) + rest, len(file.values) + 1

    return wreck


def array(kind: int, count: int, data: bytes = b"") -> bytes:
    return struct.pack("<IIQ", ARRAY, kind, count) + data


FIRST = "token_embd.weight"
NORM = "output_norm.weight"

MODELS: dict[str, Wreck] = {
    # The frame.
    "another magic": part("magic", b"GGML"),
    "version 0": part("version", 0),
    "version 1": part("version", 1),
    "version 4": part("version", 4),
    "big endian": part("version", 3 << 24),
    "2**63 keys": part("key_count", 1 << 63),
    "2**64 - 1 keys": part("key_count", (1 << 64) - 1),
    "a key too many": part("key_count", len(tiny_model().values) + 1),
    "a key too few": part("key_count", len(tiny_model().values) - 1),
    "no keys": part("key_count", 0),
    "2**63 tensors": part("tensor_count", 1 << 63),
    "2**32 tensors": part("tensor_count", 1 << 32),
    "a tensor too many": part("tensor_count", len(tiny_model().tensors) + 1),
    "no tensors": part("tensors", {}),
    "only a magic": part("cut", 4),
    "only counts": part("cut", 24),
    "cut in the keys": part("cut", 300),
    "cut in the tensors": part("cut", 7000),
    "cut in the weights": part("cut", 190_000),
    "cut by a byte": part("cut", len(tiny_model().bytes()) - 257),
    # Keys and their values.
    "a key of 2**60 bytes": part("extra", struct.pack("<Q", 1 << 60)),
    "a key that is not UTF-8": extra(b"\xff\xfe", struct.pack("<IB", UINT8, 0)),
    "a key twice": extra(b"general.name", struct.pack("<I", STRING) + item_bytes(STRING, "again")),
    "a text of 2**63 bytes": extra(b"x", struct.pack("<IQ", STRING, 1 << 63)),
    "a text of 2**64 - 1 bytes": extra(b"x", struct.pack("<IQ", STRING, (1 << 64) - 1)),
    "an unknown type": extra(b"x", struct.pack("<II", 13, 0)),
    "a type of 2**32 - 1": extra(b"x", struct.pack("<II", (1 << 32) - 1, 0)),
    "a truth of 2": extra(b"x", struct.pack("<IB", BOOL, 2)),
    "an array of 2**63 bytes": extra(b"x", array(UINT8, 1 << 63)),
    "an array of 2**61 numbers": extra(b"x", array(UINT64, 1 << 61)),
    "an array of 2**61 + 1 numbers": extra(b"x", array(UINT64, (1 << 61) + 1)),
    "an array of 2**62 texts": extra(b"x", array(STRING, 1 << 62)),
    "an array of arrays": extra(b"x", array(ARRAY, 1, array(UINT8, 1, b"\0"))),
    "an array of an unknown type": extra(b"x", array(77, 1, b"\0")),
    "a text in an array of 2**60 bytes": extra(b"x", array(STRING, 1, struct.pack("<Q", 1 << 60))),
    "not a number": value("llama.attention.layer_norm_rms_epsilon", FLOAT32, float("nan")),
    "infinity": value("llama.rope.freq_base", FLOAT32, float("inf")),
    "less than infinity, twice as exact": value("llama.rope.scaling.factor", FLOAT64, float("-inf")),
    # Alignment.
    "alignment 0": value("general.alignment", UINT32, 0),
    "alignment 3": value("general.alignment", UINT32, 3),
    "alignment 2**31": value("general.alignment", UINT32, 1 << 31),
    "alignment in words": value("general.alignment", STRING, "32"),
    "alignment of another type": value("general.alignment", UINT64, 32),
    # Tensors.
    "a name of 64 bytes": lambda file: file.tensors.update({"x" * 64: Tensor((32,))}),
    "a name that is not UTF-8": lambda file: file.tensors.update({b"\xff": Tensor((32,))}),  # type: ignore[dict-item]
    "no dimensions": tensor(NORM, shape=()),
    "five dimensions": tensor(NORM, shape=(64, 1, 1, 1, 1)),
    "2**32 - 1 dimensions": tensor(NORM, dimensions=(1 << 32) - 1),
    "a side of 0": tensor(NORM, shape=(0,)),
    "a side of 2**63": tensor(NORM, shape=(1 << 63,)),
    "sides that overflow to 0": tensor(NORM, shape=(1 << 32, 1 << 32)),
    "sides that overflow to 64": tensor(NORM, shape=(64, 1 << 32, 1 << 32)),
    "an unknown type of tensor": tensor(NORM, kind=99),
    "a type of tensor that was given up": tensor(NORM, kind=4),
    "a type of tensor below 0": tensor(NORM, kind=(1 << 32) - 1),
    "a row that fills no block": tensor(NORM, shape=(63,), kind=8),
    "an offset beyond the end": tensor(NORM, offset=1 << 40),
    "an offset of 2**64 - 32": tensor(NORM, offset=(1 << 64) - 32),
    "an offset that is not aligned": tensor(NORM, offset=5),
    "two tensors at one place": tensor(NORM, offset=0),
    "a tensor larger than the file": tensor(FIRST, shape=(64, 1 << 20), size=261 * 256),
    # The architecture.
    "no architecture": without("general.architecture"),
    "an architecture that is a number": value("general.architecture", UINT32, 7),
    "an architecture of strange letters": value("general.architecture", STRING, "../x %s"),
    "an adapter as a model": value("general.type", STRING, "adapter"),
    "no block count": without("llama.block_count"),
    "block count 0": value("llama.block_count", UINT32, 0),
    "block count 2**32 - 1": value("llama.block_count", UINT32, (1 << 32) - 1),
    "block count below 0": value("llama.block_count", INT32, -1),
    "block count as text": value("llama.block_count", STRING, "1"),
    "block count as float": value("llama.block_count", FLOAT32, 1.0),
    "block count as truth": value("llama.block_count", BOOL, 1),
    "no width": without("llama.embedding_length"),
    "width 0": value("llama.embedding_length", UINT32, 0),
    "width 2**31": value("llama.embedding_length", UINT32, 1 << 31),
    "another width": value("llama.embedding_length", UINT32, 128),
    "context 0": value("llama.context_length", UINT32, 0),
    "context 2**32 - 1": value("llama.context_length", UINT32, (1 << 32) - 1),
    "feed forward below 0": value("llama.feed_forward_length", INT32, -1),
    "no heads": without("llama.attention.head_count"),
    "heads 0": value("llama.attention.head_count", UINT32, 0),
    "heads 0 in every layer": value("llama.attention.head_count", UINT32, [0, 0]),
    "heads in an empty array": value("llama.attention.head_count", UINT32, []),
    "heads 3": value("llama.attention.head_count", UINT32, 3),
    "groups 0": value("llama.attention.head_count_kv", UINT32, 0),
    "groups 3": value("llama.attention.head_count_kv", UINT32, 3),
    "keys of length 0": value("llama.attention.key_length", UINT32, 0),
    "rotation beyond the head": value("llama.rope.dimension_count", UINT32, 33),
    "rotation that is odd": value("llama.rope.dimension_count", UINT32, 31),
    "experts of which none is used": value("llama.expert_count", UINT32, 8),
    "experts 2**32 - 1": value("llama.expert_count", UINT32, (1 << 32) - 1),
    "experts used of none": value("llama.expert_used_count", UINT32, 2),
    # The vocabulary.
    "no vocabulary": without("tokenizer.ggml.tokens"),
    "an empty vocabulary": value("tokenizer.ggml.tokens", STRING, []),
    "a vocabulary of numbers": value("tokenizer.ggml.tokens", UINT32, [1] * len(TOKENS)),
    "a token too few": value("tokenizer.ggml.tokens", STRING, TOKENS[:-1]),
    "a score too few": value("tokenizer.ggml.scores", FLOAT32, [0.0]),
    "scores of another size": value("tokenizer.ggml.scores", UINT8, [0] * len(TOKENS)),
    "a score that is NaN": value("tokenizer.ggml.scores", FLOAT32, [float("nan")] * len(TOKENS)),
    "a type too few": value("tokenizer.ggml.token_type", INT32, TYPES[:-1]),
    "types of another size": value("tokenizer.ggml.token_type", UINT8, TYPES),
    "merges of numbers": value("tokenizer.ggml.merges", UINT32, [1, 2]),
    "an end beyond the vocabulary": value("tokenizer.ggml.eos_token_id", UINT32, len(TOKENS)),
    "a beginning at 2**31": value("tokenizer.ggml.bos_token_id", UINT32, 1 << 31),
    "an end that is a text": value("tokenizer.ggml.eos_token_id", STRING, "</s>"),
    "a vocabulary of 2**31": value("llama.vocab_size", UINT32, 1 << 31),
}
"""Files with one error each."""

ADAPTERS: dict[str, Wreck] = {
    "a model": value("general.type", STRING, "model"),
    "no kind": without("adapter.type"),
    "another kind": value("adapter.type", STRING, "vector"),
    "no alpha": without("adapter.lora.alpha"),
    "alpha of another type": value("adapter.lora.alpha", UINT32, 8),
    "alpha that is not a number": value("adapter.lora.alpha", FLOAT32, float("nan")),
    "no tensors": part("tensors", {}),
    "half a pair": lambda file: file.tensors.pop("blk.0.attn_q.weight.lora_b"),
    "two ranks": tensor("blk.0.attn_q.weight.lora_b", shape=(8, 64)),
    "a vector": tensor("blk.0.attn_q.weight.lora_a", shape=(256,)),
    "2**63 tensors": part("tensor_count", 1 << 63),
    "cut": part("cut", 200),
}


def wrecked(file: Gguf, wreck: Wreck, folder: Path) -> Path:
    wreck(file)
    return file.write(folder / "strange.gguf")


def first_reported(folder: Path) -> Path:
    """Write the 288 bytes that once crashed a server."""
    keys = {"general.architecture": Value(STRING, "llama"), "llama.block_count": Value(UINT32, 0)}
    path = Gguf(values=keys).write(folder / "small.gguf")
    with path.open("ab") as file:
        file.write(b"\0" * (288 - path.stat().st_size))
    return path


class TestHeaders:
    def test_a_header_takes_at_most_some_seconds(self, tmp_path: Path) -> None:
        with (tmp_path / "x.gguf").open("wb") as file:  # Texts without end, all empty: a hole in the file.
            file.write(b"GGUF" + struct.pack("<IQQ", 3, 1, 1))
            file.write(item_bytes(STRING, "tokenizer.ggml.tokens") + array(STRING, 1 << 34))
            file.truncate(1 << 38)
        for read in (check_model_file, load_chat_templates, load_type):
            with pytest.raises(BadInput, match="the limit is"):
                read(tmp_path / "x.gguf")

    def test_the_tiny_model_and_its_adapter_are_valid(self, tmp_path: Path) -> None:
        check_model_file(tiny_model().write(tmp_path / "m.gguf"))
        check_adapter_file(tiny_adapter().write(tmp_path / "a.gguf"))

    @pytest.mark.parametrize("name", MODELS)
    def test_a_model_with_one_error_is_refused(self, tmp_path: Path, name: str) -> None:
        path = wrecked(tiny_model(), MODELS[name], tmp_path)
        with pytest.raises(BadInput) as caught:
            check_model_file(path)
        assert caught.value.where == "model file 'strange.gguf'"
        assert len(caught.value.problem) > 10
        assert len(str(caught.value)) < 400
        assert caught.value.remedy
        for load in (load_chat_templates, load_type):
            try:
                load(path)
            except BadInput:
                continue

    @pytest.mark.parametrize("name", ADAPTERS)
    def test_an_adapter_with_one_error_is_refused(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(BadInput):
            check_adapter_file(wrecked(tiny_adapter(), ADAPTERS[name], tmp_path))

    def test_the_file_that_crashed_a_server_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(BadInput, match="it contains no weights"):
            check_model_file(first_reported(tmp_path))

    def test_a_part_that_is_missing_or_wrong_is_refused(self, tmp_path: Path) -> None:
        path = tiny_model().write(tmp_path / "m-00001-of-00002.gguf")
        with pytest.raises(BadInput, match="m-00002-of-00002"):
            check_model_file(path)
        (tmp_path / "m-00002-of-00002.gguf").write_bytes(b"GGUF")
        with pytest.raises(BadInput, match="ends too early"):
            check_model_file(path)

    @pytest.mark.parametrize("kind", ["folder", "pipe", "link to nothing", "empty"])
    def test_a_path_that_is_not_a_file_is_refused(self, tmp_path: Path, kind: str) -> None:
        path = tmp_path / "x.gguf"
        if kind == "folder":
            path.mkdir()
        elif kind == "link to nothing":
            path.symlink_to(tmp_path / "nothing")
        elif kind == "empty":
            path.touch()
        else:
            path = Path(os.devnull)
        with pytest.raises(BadInput):
            check_model_file(path)

    def test_a_file_with_random_changes_is_refused_or_read(self, tmp_path: Path) -> None:
        dice, sound = random.Random(17), tiny_model().bytes()
        header = len(sound) - sum(256 * 64 for _ in range(11))
        refused = 0
        for _ in range(400):
            data = bytearray(sound)
            for _ in range(dice.randint(1, 4)):
                data[dice.randrange(max(header, 8000) // 2)] = dice.randrange(256)
            (tmp_path / "x.gguf").write_bytes(data)
            try:
                check_model_file(tmp_path / "x.gguf")
            except BadInput as error:
                refused += 1
                str(error).encode()
        assert refused > 100

    def test_every_truncated_file_is_refused(self, tmp_path: Path) -> None:
        data = tiny_model().bytes()
        for size in (*range(0, 9000, 61), *range(9000, len(data) - 256, 9973)):
            (tmp_path / "x.gguf").write_bytes(data[:size])
            with pytest.raises(BadInput):
                check_model_file(tmp_path / "x.gguf")

    def test_the_types_of_tensors_are_those_of_the_gguf_package(self) -> None:
        gguf = pytest.importorskip("gguf")
        known = {int(kind): size for kind, size in gguf.GGML_QUANT_SIZES.items()}
        for number, (block, block_bytes) in known.items():
            if number != 9:  # Q8_1 counts 36 bytes in ggml, 40 in the package.
                assert TENSOR_TYPES[number][1:] == (block, block_bytes)

    @pytest.mark.model
    def test_the_embedded_model_with_random_changes_is_refused_or_read(self, tmp_path: Path) -> None:
        embedded = find_embedded()
        assert embedded is not None
        with embedded.open("rb") as file:
            head = file.read(3_000_000)
        dice, path = random.Random(4), tmp_path / "x.gguf"
        check_model_file(embedded)
        for place in (
            *(dice.randrange(1300) for _ in range(25)),
            *(dice.randrange(3_000_000) for _ in range(15)),
        ):
            data = bytearray(head)
            data[place] ^= 1 << dice.randrange(8)
            path.write_bytes(data)
            os.truncate(path, embedded.stat().st_size)  # The weights are a hole in the file.
            try:
                check_model_file(path)
            except BadInput as error:
                str(error).encode()


CRASHES: dict[str, tuple[Wreck, Wreck | None]] = {
    "no token for a byte": (
        lambda file: file.values.update({
            "tokenizer.ggml.tokens": Value(STRING, [f"t{number}" for number in range(len(TOKENS))]),
            "tokenizer.ggml.token_type": Value(INT32, [1] * len(TOKENS)),
        }),
        None,
    ),
    "no token for one byte": (
        lambda file: file.values.update({
            "tokenizer.ggml.tokens": Value(STRING, [one.replace("<0xE2>", "<0xe2>") for one in TOKENS])
        }),
        None,
    ),
    "an adapter of halves": (lambda _: None, tensor("blk.0.attn_q.weight.lora_b", shape=(4, 96))),
}  # fmt: skip
"""Errors that only llama.cpp finds."""


@pytest.mark.model
class TestTheFirstOpening:
    def files(self, folder: Path, model: Gguf, adapter: Gguf | None = None) -> ModelFiles:
        lora = (LoraAdapter(path=adapter.write(folder / "a.gguf")),) if adapter else ()
        return ModelFiles(path=model.write(folder / "m.gguf"), loading=replace(LOADING, lora=lora))

    def vetting(self, folder: Path, **changes: object) -> GgufVetting:
        return GgufVetting(memory=folder / "data" / "opened.json", **changes)

    def test_a_file_that_opened_is_not_tried_again(self, tmp_path: Path) -> None:
        files, tried = self.files(tmp_path, tiny_model(), tiny_adapter()), []
        vetting = self.vetting(tmp_path)
        assert not vetting.check(files)
        vetting.try_first(files)
        again = self.vetting(tmp_path, try_files=tried.append)
        assert again.check(files)
        assert tried == []

    @pytest.mark.parametrize("name", CRASHES)
    def test_a_crash_of_llama_cpp_becomes_a_message(self, tmp_path: Path, name: str) -> None:
        model, adapter = tiny_model(), tiny_adapter()
        wreck, wreck_adapter = CRASHES[name]
        wreck(model)
        if wreck_adapter:
            wreck_adapter(adapter)
        files, vetting = self.files(tmp_path, model, adapter), self.vetting(tmp_path)
        assert not vetting.check(files)  # The header looks right.
        with pytest.raises(EngineError):
            vetting.try_first(files)
        with pytest.raises(EngineError):  # It is not tried over and over.
            vetting.check(files)

    @pytest.mark.parametrize("name", ["block count 0", "alignment of another type", "heads 0", "2**63 keys"])
    def test_a_crash_ends_only_the_child_process_even_without_the_header_check(
        self, tmp_path: Path, name: str
    ) -> None:
        with pytest.raises(EngineError):
            open_in_child(wrecked(tiny_model(), MODELS[name], tmp_path), LOADING, size_bytes=0)

    def test_an_assertion_is_reported_with_its_signal_and_message(self, tmp_path: Path) -> None:
        path = wrecked(tiny_model(), MODELS["block count 0"], tmp_path)
        with pytest.raises(ModelBroken, match=r"strange\.gguf.* crashed .* SIGABRT: .*GGML_ASSERT"):
            open_in_child(path, LOADING, size_bytes=0)

    def test_a_child_process_that_hangs_is_killed(self, tmp_path: Path) -> None:
        path = tiny_model().write(tmp_path / "m.gguf")
        with pytest.raises(ModelBroken, match=r"did not load it within 0 s"):
            open_in_child(path, LOADING, size_bytes=0, limit_s=0.01)

    def test_the_child_process_gets_no_secrets(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from workbench.engines.gguf_files import trial

        for name in (
            "HF_TOKEN",
            "WORKBENCH_AUTH",
            "WORKBENCH_OPENAI_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "PGPASSWORD",
        ):
            monkeypatch.setenv(name, "secret-word")
        path = tiny_model().write(tmp_path / "m.gguf")
        monkeypatch.setattr(trial, "CHILD", "tests.security.report_environment")
        with pytest.raises(ModelBroken, match="secrets: 0") as caught:
            open_in_child(path, LOADING, size_bytes=0)
        assert "secret-word" not in str(caught.value)

    def test_a_new_file_at_the_same_path_is_tried_again(self, tmp_path: Path) -> None:
        files, vetting = self.files(tmp_path, tiny_model()), self.vetting(tmp_path, try_files=lambda _: None)
        vetting.try_first(files)
        assert vetting.check(files)
        other = tiny_model()
        other.fill = b"\1"
        other.write(files.path)
        assert not vetting.check(files)
        os.utime(tiny_model().write(files.path), ns=(1, 1))
        assert not vetting.check(files)

    @pytest.mark.parametrize("text", ["", "[]", "{", "null", "[" * 100_000, '{"a": 1'])
    def test_an_invalid_record_of_tried_files_is_empty(self, tmp_path: Path, text: str) -> None:
        files, vetting = self.files(tmp_path, tiny_model()), self.vetting(tmp_path, try_files=lambda _: None)
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "opened.json").write_text(text, encoding="utf-8")
        assert not vetting.check(files)
        vetting.try_first(files)
        assert vetting.check(files)

    def test_a_failure_expires(self, tmp_path: Path) -> None:
        def fail(_: ModelFiles) -> None:
            raise ModelBroken("m.gguf", "the machine was busy")

        now_s = [1000.0]
        vetting = self.vetting(tmp_path, try_files=fail, clock=lambda: now_s[0])
        files = self.files(tmp_path, tiny_model())
        with pytest.raises(ModelBroken):
            vetting.try_first(files)
        with pytest.raises(ModelBroken):
            vetting.check(files)
        now_s[0] += FAILED_FOR_S + 1
        assert not vetting.check(files)

    def test_a_missing_part_is_reported(self, tmp_path: Path) -> None:
        path = tiny_model().write(tmp_path / "m-00001-of-00002.gguf")
        with pytest.raises(ModelMissing, match="m-00002-of-00002"):
            self.vetting(tmp_path).check(ModelFiles(path=path, loading=LOADING))


@pytest.mark.model
class TestTheServerKeepsRunning:
    def models(self, folder: Path, tried: list[Path] | None = None) -> LocalModels:
        def try_files(files: ModelFiles) -> None:
            if tried is not None:
                tried.append(files.path)
            try_in_child(files)

        shipped = (find_embedded(), find_embedded_adapter())
        vetting = GgufVetting(
            memory=folder / "opened.json",
            trusted=frozenset(path for path in shipped if path),
            try_files=try_files,
        )
        loading = replace(LOADING, context_tokens=256)
        return LocalModels(loading=loading, find_cached=lambda _: None, vetting=vetting)

    def test_after_every_kind_of_broken_file(self, tmp_path: Path) -> None:
        models = self.models(tmp_path)
        model, adapter = tiny_model(), tiny_adapter()
        CRASHES["no token for a byte"][0](model)
        adapter.values["general.architecture"] = Value(STRING, "qwen2")
        names = (
            str(first_reported(tmp_path)),
            str(model.write(tmp_path / "crash.gguf")),
            f"embedded+{adapter.write(tmp_path / 'adapter.gguf')}",
        )
        try:
            for name in names:
                with pytest.raises(WorkbenchError) as caught:
                    models.engine(name)
                assert "None" not in str(caught.value)
                assert models.engine("embedded").count_tokens("x") == 1
        finally:
            models.close()

    def test_an_invalid_header_unloads_nothing(self, tmp_path: Path) -> None:
        models = self.models(tmp_path)
        try:
            engine = models.engine("embedded")
            with pytest.raises(BadInput):
                models.engine(str(first_reported(tmp_path)))
            assert engine.count_tokens("x") == 1
        finally:
            models.close()

    def test_the_embedded_model_is_not_tried_and_another_once(self, tmp_path: Path) -> None:
        tried: list[Path] = []
        path = tiny_model().write(tmp_path / "m.gguf")
        for _ in range(2):
            models = self.models(tmp_path, tried)
            models.engine("embedded")
            assert models.engine(str(path)).count_tokens("ab") > 0
            models.close()
        assert tried == [path]

    def test_only_files_that_did_not_come_with_the_workbench_are_tried(self, tmp_path: Path) -> None:
        from workbench.engines.hub.gguf_hub import GgufHub
        from workbench.settings import read_settings
        from workbench.wiring import build_models

        model = tiny_model()
        CRASHES["no token for a byte"][0](model)
        path = model.write(tmp_path / "crash.gguf")
        settings = read_settings({"WORKBENCH_MODEL": str(path), "WORKBENCH_DATA": str(tmp_path / "data")})
        models = build_models(settings, GgufHub(wait=lambda _: None, cache=tmp_path, memory=1))
        with pytest.raises(ModelBroken):
            models.engine(str(path))
        models.close()


def test_the_header_of_a_valid_file_is_read(tmp_path: Path) -> None:
    header = read_header(tiny_model().write(tmp_path / "m.gguf"))
    assert header.values["llama.block_count"] == 1
    assert [tensor.name for tensor in header.tensors] == list(tiny_model().tensors)
