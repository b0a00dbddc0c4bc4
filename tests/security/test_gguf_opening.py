"""An untrusted GGUF file is first opened in a child process, and the server keeps running if it crashes."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.security.broken_gguf import CRASHES, MODELS, first_reported, wrecked
from tests.security.gguf_files import STRING, Gguf, Value, tiny_adapter, tiny_model
from workbench.engines.embedded_model import find_embedded, find_embedded_adapter
from workbench.engines.gguf_files.trial import open_in_child
from workbench.engines.gguf_files.vetting import FAILED_FOR_S, GgufVetting, ModelFiles, try_in_child
from workbench.engines.llama_loading import LoadOptions, LoraAdapter
from workbench.engines.models import LocalModels
from workbench.errors import BadInput, EngineError, ModelBroken, ModelMissing, WorkbenchError

LOADING = LoadOptions(context_tokens=0, threads=1, gpu_layers=0)


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
