"""The option `--json`, which is the same for every command that reports something.

`docs/reference/json.md` lists what each command prints.
"""

from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else")]
