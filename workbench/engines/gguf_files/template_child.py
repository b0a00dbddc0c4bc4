"""The child process that renders a chat template: one line of JSON for each task, and one for each answer."""

import json
import sys
from datetime import datetime
from typing import Any, Final

from workbench.engines.gguf_files.trial_child import confine
from workbench.errors import BadInput
from workbench.hermes.templates.template import TemplateInput, parse_template

LIFE_S: Final = 600.0
MEMORY_BYTES: Final = 2_000_000_000


def main() -> None:
    """Compile the template of the first line, then render it with the input of each further one."""
    confine(limit_s=LIFE_S, memory_bytes=MEMORY_BYTES)
    render = None
    for line in sys.stdin:
        task: dict[str, Any] = json.loads(line)
        try:
            if render is None:
                render, text = parse_template(task["source"]).render, ""
            else:
                now = datetime.fromisoformat(task.pop("now"))
                text = render(TemplateInput(now=now, **task))
            answer = {"text": text}
        except BadInput as error:
            answer = {"where": error.where, "problem": error.problem, "remedy": error.remedy}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
