"""Render the chat template of a model file in a child process, so that it can be ended whatever it does."""

import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import Any, Final

from workbench.chat.json_value import JsonObject
from workbench.engines.gguf_files.trial import child_environment
from workbench.errors import BadInput
from workbench.hermes.templates.template import ChatTemplate, TemplateInput

CHILD: Final = "workbench.engines.gguf_files.template_child"
LIMIT_S: Final = 10.0
"""Time limit of one rendering, including the start of the process. Its budget ends it before, unless one step hangs."""


@contextmanager
def template_in_child(source: str) -> Generator[ChatTemplate]:
    """Compile a template in a child process, which ends with the `with` block.

    Raises:
        BadInput: The template is invalid, or takes too much time or memory.
    """
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=child_environment(),
        text=True,
    )
    with process:
        try:
            _asked(process, {"source": source})
            yield ChatTemplate(source=source, render=lambda given: _asked(process, _described(given)))
        finally:
            process.kill()
            assert process.stdin is not None
            # A task that was written after the child ended is still in the buffer.
            with suppress(BrokenPipeError):
                process.stdin.close()


def _described(given: TemplateInput) -> JsonObject:
    return {
        "messages": list(given.messages),
        "tools": None if given.tools is None else list(given.tools),
        "generation_prompt": given.generation_prompt,
        "now": given.now.isoformat(),
        "variables": dict(given.variables),
    }


def _asked(process: "subprocess.Popen[str]", task: JsonObject) -> str:
    """Send a line to the child and return the text of its answer."""
    timer = Timer(LIMIT_S, process.kill)
    timer.start()
    try:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
    except BrokenPipeError:
        answer = ""
    finally:
        timer.cancel()
    if not answer:
        raise BadInput("template", "it takes too much time or memory", "use another model")
    fields: dict[str, Any] = json.loads(answer)
    if "text" not in fields:
        raise BadInput(**fields)
    return str(fields["text"])
