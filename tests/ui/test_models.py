"""Who may get and delete models."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import gradio as gr
import pytest

from tests.services import services_for
from workbench.ui.present.notices import advice
from workbench.ui.tabs.models.events import ADMINS_ONLY, ModelsEvents, ModelsScreen
from workbench.ui.tabs.models.pulls import Pulls

NAME = "hf:owner/name/file.gguf"


def asked(username: str | None = None) -> gr.Request:
    return gr.Request(username=username, session_hash="tab")


def event() -> gr.EventData:
    return cast(gr.EventData, SimpleNamespace(name=NAME))


@pytest.mark.parametrize("name", ["ann", "root"])
def test_on_a_space_only_admins_delete_and_fetch(tmp_path: Path, name: str) -> None:
    with services_for(tmp_path, "Hi.") as (services, _):
        accounts = {"ann": "x", "root": "x"}
        settings = replace(services.settings, is_on_space=True, accounts=accounts, admins=frozenset({"root"}))
        deleted: list[str] = []
        hub = SimpleNamespace(delete=deleted.append, cached=lambda: ())
        events = ModelsEvents(replace(services, settings=settings, hub=cast(Any, hub)), Pulls())
        if name == "root":
            events.on_delete(event(), asked(name))
            assert deleted == [NAME]
        else:
            refused = ModelsScreen(notice=advice(ADMINS_ONLY))
            assert events.on_delete(event(), asked(name)) == refused
            assert list(events.on_pull(event(), asked(name))) == [refused]
            assert deleted == []
