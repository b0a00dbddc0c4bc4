"""Chat templates in the header of a GGUF file."""

import struct
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workbench.chat.finding import Severity
from workbench.chat.message import Conversation, Message, Role
from workbench.engines.embedded_model import find_embedded
from workbench.engines.gguf import load_chat_templates
from workbench.errors import BadInput
from workbench.hermes.openai_messages import to_messages
from workbench.hermes.render import render
from workbench.hermes.templates.check import check_template
from workbench.hermes.templates.template import TemplateInput, parse_template, render_template

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key: str, kind: int, value: bytes) -> bytes:
    return string(key) + struct.pack("<I", kind) + value


def gguf(*entries: bytes, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 7, len(entries)) + b"".join(entries)


TOKENS = struct.pack("<IQ", 8, 3) + string("a") + string("") + string("é")
SCORES = struct.pack("<IQ", 6, 2) + struct.pack("<ff", 0.5, 1.5)
TEMPLATE = entry("tokenizer.chat_template", 8, string("{{ messages }} é"))


def loaded(data: bytes, folder: Path) -> dict[str, str]:
    path = folder / "model.gguf"
    path.write_bytes(data)
    return dict(load_chat_templates(path))


@pytest.mark.parametrize("version", [2, 3])
def test_the_template_is_found_after_values_of_every_type(tmp_path: Path, version: int) -> None:
    sizes = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
    entries = [entry(f"k{kind}", kind, b"\1" * size) for kind, size in sizes.items()]
    data = gguf(*entries, entry("tokens", 9, TOKENS), entry("scores", 9, SCORES), TEMPLATE, version=version)
    assert loaded(data, tmp_path) == {"default": "{{ messages }} é"}


def test_several_templates_are_returned_by_name(tmp_path: Path) -> None:
    tool_use = entry("tokenizer.chat_template.tool_use", 8, string("{{ tools }}"))
    assert loaded(gguf(TEMPLATE, tool_use), tmp_path) == {
        "default": "{{ messages }} é",
        "tool_use": "{{ tools }}",
    }


def test_a_file_without_a_template_has_none(tmp_path: Path) -> None:
    assert loaded(gguf(entry("tokens", 9, TOKENS)), tmp_path) == {}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "it is not a GGUF file"),
        (b"PK\3\4 and so on", "it is not a GGUF file"),
        (gguf(version=1), "GGUF version 1 is not supported; versions 2 and 3 are"),
        (gguf(TEMPLATE)[:-1], "the file ends too early"),
        (gguf(entry("k", 4, b"")), "the file ends too early"),
        (gguf(entry("k", 13, b"")), "a value in it has the unknown type 13"),
        (gguf(entry("k", 9, struct.pack("<IQ", 9, 1))), "it contains an array of arrays"),
        (
            gguf(entry("tokenizer.chat_template", 8, struct.pack("<Q", 2**60))),
            "a text in it is too long",
        ),
        (gguf(entry("k", 8, struct.pack("<Q", 2**64 - 1))), "the file ends too early"),
    ],
)
def test_a_file_that_is_not_gguf_is_bad_input(tmp_path: Path, data: bytes, problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        loaded(data, tmp_path)
    assert caught.value.where == "model file 'model.gguf'"
    assert caught.value.problem == problem


def test_a_file_cut_at_any_place_is_bad_input(tmp_path: Path) -> None:
    data = gguf(entry("tokens", 9, TOKENS), entry("scores", 9, SCORES), TEMPLATE)
    for size in range(len(data)):
        with pytest.raises(BadInput):
            loaded(data[:size], tmp_path)


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        load_chat_templates(tmp_path / "none.gguf")


@pytest.mark.model
def test_the_embedded_model_s_template_renders_the_prompt_of_a_contract() -> None:
    path = find_embedded()
    assert path is not None
    template = parse_template(load_chat_templates(path)["default"])
    messages = tuple(
        Message(role=role, text=f"a {role}") for role in (Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER)
    )
    conversation = Conversation(messages=messages)
    template_input = TemplateInput(messages=to_messages(conversation), generation_prompt=True, now=NOW)
    prompt = render(conversation, family="hermes-lines", has_contract=True)
    assert render_template(template, template_input) == prompt.text


@pytest.mark.model
def test_the_embedded_model_s_template_shows_no_tools_so_it_needs_a_contract() -> None:
    path = find_embedded()
    assert path is not None
    findings = check_template(parse_template(load_chat_templates(path)["default"]), now=NOW)
    errors = [finding.code for finding in findings if finding.severity is Severity.ERROR]
    assert errors == ["tools-not-shown", "call-not-shown"]
