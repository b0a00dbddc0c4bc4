"""The page Import imports the session logs of agents."""

from pathlib import Path

import gradio as gr
import pytest

from tests.services import services_for
from tests.trajectory.formats.agent_logs import CLAUDE_CODE, CODEX, SESSION_TRACE, lines_of
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.data.form import Jobs
from workbench.ui.tabs.data.import_events import ImportEvents


@pytest.mark.parametrize(
    "log", [CLAUDE_CODE, CODEX, SESSION_TRACE], ids=["claude-code", "codex", "session-trace"]
)
def test_a_log_becomes_one_session(tmp_path: Path, log: list[dict[str, object]]) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(lines_of(*log, '{"type": "cut o'))
    with services_for(tmp_path, "Fine.") as (services, _):
        events = ImportEvents(services, Jobs())
        state = TabState(browser_key="browser:ann")
        *_, screen = events.on_import(state, str(file), "", False, "auto", gr.Request())
        assert "1 session created" in str(screen)
        assert "0 rows not readable" in str(screen)
        assert "log-events in 1 row" in str(screen)
