"""Texts from outside cannot control a terminal, whichever command prints them. A pipe gets them unchanged."""

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.services import CHECKOUT
from workbench.cli.terminal.visible import VisibleOutput, own_code, protect_terminals

HOSTILE = "a\u202eb\x1b]0;owned\x07\x1b[31mred\x1b[8m\x9b31m\x08\u2066\u200b\U000e0041z"
SHOWN = "a<U+202E>b␛]0;owned␇␛[31mred␛[8m\ufffd31m␈<U+2066><U+200B><U+E0041>z"


class Terminal(io.BytesIO):
    """A terminal that keeps what was written."""


def written(*texts: str) -> str:
    terminal = Terminal()
    output = VisibleOutput(terminal, "utf-8")
    for text in texts:
        output.write(text.encode("utf-8", errors="surrogatepass"))
    return terminal.getvalue().decode()


def test_control_characters_are_shown_and_our_own_colours_obeyed() -> None:
    assert written(HOSTILE) == SHOWN
    assert written(f"{own_code('31m')}red{own_code('0m')}\tx\n") == "\x1b[31mred\x1b[0m\tx\n"
    assert written(f"\r{own_code('K')}5 rows") == "\r\x1b[K5 rows"
    assert written("\r 50 %", "right\rwrong") == "\r 50 %right␍wrong"


def test_a_character_that_is_cut_between_two_writes_is_shown() -> None:
    terminal = Terminal()
    output = VisibleOutput(terminal, "utf-8")
    for byte in f"é{HOSTILE}🦉".encode():
        output.write(bytes([byte]))
    assert terminal.getvalue().decode() == f"é{SHOWN}🦉"


def test_what_is_not_text_is_shown() -> None:
    terminal = Terminal()
    VisibleOutput(terminal, "ascii").write(b"\xff\xfe\x1b\n")
    assert terminal.getvalue() == b"???\n"
    assert written("\ud800") == "\ufffd" * 3


@pytest.mark.parametrize("is_terminal", [True, False])
def test_half_of_a_surrogate_pair_is_escaped_in_every_output(
    monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool
) -> None:
    output = Terminal()
    monkeypatch.setattr(output, "isatty", lambda: is_terminal)
    stream = io.TextIOWrapper(output, "utf-8")
    monkeypatch.setattr(sys, "stdout", stream)
    protect_terminals()
    print("é\ud83d", flush=True)
    assert output.getvalue().decode() == "é\\ud83d\n"


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    """A home with a tool whose description and result are hostile, and a file with a hostile row."""
    (tmp_path / "tools_catalog").mkdir()
    function = {"name": "evil", "description": HOSTILE.replace("\x9b", ""), "parameters": {"type": "object"}}
    tool = {"function": function, "mocks": [{"result": {"text": HOSTILE}}]}
    text = yaml.safe_dump({"toolset": "evil", "description": "x", "tools": [tool]})
    (tmp_path / "tools_catalog" / "evil.yaml").write_text(text)
    (tmp_path / "completion.txt").write_text(f"{HOSTILE}\n<tool_call>\n{HOSTILE}\n</tool_call>")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    return kept | {
        "WORKBENCH_DATA": str(tmp_path / "data"),
        "WORKBENCH_HOME": str(tmp_path),
        "PYTHONPATH": str(CHECKOUT),
    }


COMMANDS = {
    "tools call": ["tools", "call", "evil"],
    "tools call --json": ["tools", "call", "evil", "--json"],
    "tools export": ["tools", "export", "evil"],
    "parse": ["parse", "completion.txt"],
    "parse --json": ["parse", "completion.txt", "--json"],
    "an error": ["tools", "call", f"no{HOSTILE}".replace("\0", "")],
}


@pytest.mark.slow
@pytest.mark.parametrize("what", list(COMMANDS))
def test_a_command_prints_nothing_raw_at_a_terminal(
    what: str, variables: dict[str, str], tmp_path: Path
) -> None:
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "workbench", *COMMANDS[what]]
    with subprocess.Popen(
        command, cwd=tmp_path, env=variables, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal
    ) as process:
        os.close(terminal)
        printed = bytearray()
        while chunk := _read(controller):
            printed += chunk
    os.close(controller)
    text = printed.decode()
    assert "owned" in text
    # Only colours that we print ourselves.
    assert "\x1b]" not in text
    assert "\x1b[8m" not in text
    assert not set(text) & set("\u202e\u2066\u200b\x07\x08\x9b\U000e0041"), text
    assert process.returncode is not None


def _read(controller: int) -> bytes:
    try:
        return os.read(controller, 65536)
    except OSError:
        # Linux reports the end of a terminal as an error.
        return b""


@pytest.mark.slow
def test_a_pipe_gets_the_result_of_a_tool_unchanged(variables: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "workbench", *COMMANDS["tools call"]]
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, check=True)
    assert "a\u202eb" in done.stdout.decode()
