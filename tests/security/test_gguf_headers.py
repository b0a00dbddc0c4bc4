"""The header of an untrusted GGUF file is checked, and a file with an error in it is refused."""

import os
import random
import struct
from pathlib import Path

import pytest

from tests.security.broken_gguf import ADAPTERS, MODELS, array, first_reported, wrecked
from tests.security.gguf_files import STRING, item_bytes, tiny_adapter, tiny_model
from workbench.engines.embedded_model import find_embedded
from workbench.engines.gguf import load_chat_templates, load_type
from workbench.engines.gguf_files.checks import check_adapter_file, check_model_file
from workbench.engines.gguf_files.header import TENSOR_TYPES, read_header
from workbench.errors import BadInput


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


def test_the_header_of_a_valid_file_is_read(tmp_path: Path) -> None:
    header = read_header(tiny_model().write(tmp_path / "m.gguf"))
    assert header.values["llama.block_count"] == 1
    assert [tensor.name for tensor in header.tensors] == list(tiny_model().tensors)
