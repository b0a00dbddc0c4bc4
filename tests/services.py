"""Real services over a scripted model, a real catalog and a real SQLite file."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.databases import CHECKOUT, FILE_NAME, put_database
from workbench.app.services import Services
from workbench.app.turn_request import TurnRequest
from workbench.app.turns import begin_session, run_turn
from workbench.settings import read_settings
from workbench.wiring import open_services


@contextmanager
def services_for(
    folder: Path, *completions: str | dict[str, str], variables: Mapping[str, str] | None = None
) -> Iterator[tuple[Services, Callable[[str], str]]]:
    """Services over an empty, migrated database, whose model writes `completions`, and a function that runs a turn in a new session.

    `variables` are settings besides.
    """
    script = folder / "script.yaml"
    script.write_text(json.dumps({"completions": list(completions)}), encoding="utf-8")
    environment = {
        "WORKBENCH_MODEL": f"scripted:{script}",
        "WORKBENCH_DATA": str(folder / "data"),
        "WORKBENCH_HOME": str(CHECKOUT),
        **(variables or {}),
    }
    data = Path(environment["WORKBENCH_DATA"])
    if not (data / FILE_NAME).exists():
        put_database(data, has_versions=environment["WORKBENCH_HOME"] == str(CHECKOUT))
    with open_services(read_settings(environment)) as services:

        def play(text: str, session_id: str | None = None, **changes: object) -> str:
            setup = replace(services.setup_for(), **changes)
            session_id = session_id or begin_session(services, setup).id
            for _ in run_turn(services, TurnRequest(setup=setup, session_id=session_id, text=text)):
                pass
            return session_id

        yield services, play
