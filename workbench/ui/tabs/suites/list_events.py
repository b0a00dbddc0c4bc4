"""Rename, tag, share, download and delete runs."""

import re
from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.app.runs.reports import report_for, report_form
from workbench.app.runs.running import find_run
from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.records.owner import Permission
from workbench.suite.reports.report import LOCAL_PAGE
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of, text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.notices import CLEAR, NoticeView
from workbench.ui.present.sessions import DownloadView
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.active_runs import ActiveRuns
from workbench.ui.tabs.suites.parts import SuitesScreen, list_runs, run_choices, run_screen
from workbench.ui.tabs.suites.result_events import arms_to_compare

_PAGE_URL: Final = re.compile(r"https?://[^\s\"'<>\\]{1,500}")
_UNSAFE: Final = re.compile(r"[^\w.-]+")
"""Characters that are replaced in the name of a downloaded file."""


@dataclass(frozen=True, slots=True)
class RunListEvents:
    """Handlers of the list of runs and of a run's menu."""

    services: Services
    active_runs: ActiveRuns

    @needs(Permission.WORK)
    @shows_error(SuitesScreen)
    def on_change_run(self, state: TabState, event: gr.EventData, request: gr.Request) -> SuitesScreen:
        """Rename, tag, share, delete or restore a run, or go back to the list.

        The event has the action, the run's id, the new value, and whether the page shows the list.
        """
        services = services_of(self.services, state, request)
        action, run_id, value = text_of(event, "action"), id_of(event), text_of(event, "value")
        self._change(services, action, run_id, value)
        if action not in ("delete", "restore", "list") and text_of(event, "place") == "run":
            return run_screen(services, self.active_runs, find_run(services, run_id))
        undo_id = run_id if action == "delete" else ""
        shown, baseline = run_choices(services, "")
        return SuitesScreen(
            run=list_runs(services, undo_id=undo_id),
            bar=self.active_runs.bar_of(services.owner),
            notice=CLEAR,
            comparison=None,
            case_runs=None,
            shown=shown,
            baseline=baseline,
        )

    @needs(Permission.WORK)
    @shows_error(SAME, NOTICE)
    def on_download_report(
        self,
        state: TabState,
        run_id: str | None,
        baseline_id: str | None,
        baseline_arm: str | None,
        arm: str | None,
        request: gr.Request,
        event: gr.EventData,
    ) -> tuple[DownloadView | Update, NoticeView]:
        """Write the report of the shown run, with the comparison that is shown with it. No file is stored."""
        services = services_of(self.services, state, request)
        form = report_form(text_of(event, "form"))
        stored = find_run(services, id_of(event))
        baseline = find_run(services, baseline_id) if baseline_id and run_id == stored.id else None
        arms = arms_to_compare(stored, baseline, baseline_arm or "", arm or "")
        address = text_of(event, "page")
        page_url = address.rstrip("/") if _PAGE_URL.fullmatch(address) else LOCAL_PAGE
        text = form.write(report_for(services, stored, baseline, arms), page_url=page_url)
        name = _UNSAFE.sub("-", stored.listed.title).strip("-.")[:60] or "report"
        return DownloadView(
            name=name + form.ending,
            text=text,
            serial=services.calendar.seconds(),
            media_type=form.media_type,
        ), CLEAR

    def _change(self, services: Services, action: str, run_id: str, value: str) -> None:
        runs = services.runs
        match action:
            case "rename":
                runs.rename_run(run_id, value)
            case "tag":
                runs.tag_run(run_id, value.split(","))
            case "share":
                runs.share_run(run_id)
            case "unshare":
                runs.unshare_run(run_id)
            case "delete":
                if self.active_runs.is_busy(services.owner, run_id):
                    raise BadInput("run", "it is in progress", "stop it first")
                runs.delete_run(run_id)
            case "restore":
                runs.restore_run(run_id)
            case "list":
                pass
            case _:
                raise BadInput("run", f"unknown action {action[:40]!r}")
