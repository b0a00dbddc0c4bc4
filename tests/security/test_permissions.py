"""Every event, API function and MCP tool is tried with every role and compared with the table of permissions."""

import asyncio
import gc
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import gradio as gr
import gradio.oauth
import pytest

from tests.services import services_for
from workbench.app.services import Services
from workbench.chat.message import ToolCall
from workbench.errors import WorkbenchError
from workbench.records.owner import GRANTED, NotPermitted, Owner, Permission, UserRole
from workbench.settings import Settings
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.entry import ToolDraft
from workbench.toolbox.mocks import MockTool
from workbench.ui.gradio_parts.page_blocks import PageBlocks
from workbench.ui.page import build_page
from workbench.ui.permissions import needed_by

pytestmark = pytest.mark.slow

TABLE = Path(__file__).parents[2] / "docs" / "reference" / "permissions.md"
COLUMNS = (UserRole.LOCAL, UserRole.ADMIN, UserRole.MEMBER, UserRole.SPACE_ADMIN, UserRole.VISITOR)
SENSITIVE = {
    "on_pull": Permission.MANAGE_MODELS,
    "on_delete": Permission.MANAGE_MODELS,
    "on_look": Permission.OPEN_FILES,
    "on_server": Permission.ADD_SERVERS,
    "on_retry_server": Permission.ADD_SERVERS,
    "on_edit_server": Permission.ADD_SERVERS,
    "on_remove_server": Permission.ADD_SERVERS,
    "on_restore_server": Permission.ADD_SERVERS,
}
"""Handlers of the Models and Tools tabs that need a permission, listed independently of the code."""


@pytest.fixture(scope="module", autouse=True)
def _collected() -> Iterator[None]:
    yield
    gc.collect()


@pytest.fixture(autouse=True)
def _environment_of_a_space(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the variables that Gradio's sign-in button needs. It contacts the provider only when it is pressed."""
    for name, value in {"SYSTEM": "spaces", "SPACE_ID": "a/b", "SPACE_HOST": "a.hf.space"}.items():
        monkeypatch.setenv(name, value)
    for name in ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES"):
        monkeypatch.setattr(gradio.oauth, name, "x")
    monkeypatch.setattr(gradio.oauth, "OPENID_PROVIDER_URL", "http://127.0.0.1:1")


def request_of(role: UserRole) -> gr.Request:
    """Return the request that Gradio passes to an event of somebody with this role."""
    made = gr.Request(username={UserRole.ADMIN: "root", UserRole.MEMBER: "ann"}.get(role), session_hash="tab")
    names = {UserRole.SPACE_ADMIN: "root", UserRole.VISITOR: "eve"}
    user = {"sub": "1", "preferred_username": names.get(role, "")}
    session = {"oauth_info": {"userinfo": user, "expires_at": 4_000_000_000}} if role in names else {}
    made.request = SimpleNamespace(session=session, headers={})  # pyright: ignore[reportAttributeAccessIssue]
    return made


def settings_of(settings: Settings, role: UserRole) -> Settings:
    """Return settings of the deployment that has this role: a laptop, a server with accounts, or a Space."""
    settings = replace(settings, admins=frozenset({"root"}))
    if role in (UserRole.ADMIN, UserRole.MEMBER):
        return replace(settings, accounts={"root": "x", "ann": "y"})
    if role is UserRole.LOCAL:
        return settings
    return replace(settings, is_on_space=True, has_hugging_face_login=True)


Pages = Callable[[UserRole], PageBlocks]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    """Builds the page of a role once for all tests."""
    with services_for(tmp_path_factory.mktemp("pages"), "Hello.") as (services, _):

        @cache
        def page_of(role: UserRole) -> PageBlocks:
            own = replace(services, settings=settings_of(services.settings, role))
            return build_page(own).blocks  # pyright: ignore[reportReturnType]

        yield page_of


def refusal(blocks: PageBlocks, number: int, role: UserRole) -> str:
    """Return the refusal of an event for lack of a permission, or an empty text if it got to checking its values."""
    try:
        asyncio.run(blocks.process_api(number, [], None, request_of(role)))
    except gr.Error as error:
        return (
            str(error.message) if "may not" in str(error.message) or "declares" in str(error.message) else ""
        )
    except Exception:  # noqa: BLE001  it passed the check, and its values are None
        return ""
    return ""


def test_the_table_in_the_docs_matches_the_code() -> None:
    rows = [line.split("|")[1:-1] for line in TABLE.read_text(encoding="utf-8").splitlines() if "| `" in line]
    shown = {
        Permission(cells[0].strip(" `")): frozenset(
            role for role, cell in zip(COLUMNS, cells[2:], strict=True) if cell.strip() == "yes"
        )
        for cells in rows
    }
    assert shown == GRANTED
    assert all(cell.strip() in ("yes", "no") for cells in rows for cell in cells[2:])


@pytest.mark.parametrize("role", COLUMNS)
def test_every_event_and_api_function_runs_only_with_its_permission(pages: Pages, role: UserRole) -> None:
    blocks = pages(role)
    walked = {number: event.fn for number, event in blocks.fns.items() if event.fn is not None}
    needed = {number: needed_by(handler) for number, handler in walked.items()}
    assert [walked[number].__qualname__ for number, one in needed.items() if one is None] == []
    guarded = {number: one for number, one in needed.items() if one not in (Permission.WORK, Permission.ASK)}
    open_to_all = [number for number in needed if number not in guarded]
    for number, permission in guarded.items():
        is_refused = bool(refusal(blocks, number, role))
        assert permission is not None and is_refused is (role not in GRANTED[permission]), walked[number]
    # The rest is open to every role; that the check lets them through is seen on some of each tab.
    assert [number for number in open_to_all[::12] if refusal(blocks, number, role)] == []
    assert len(walked) > 100


def test_the_sensitive_handlers_need_the_right_permissions(pages: Pages) -> None:
    found = {
        event.fn.__name__: needed_by(event.fn)
        for event in pages(UserRole.LOCAL).fns.values()
        if event.fn and event.fn.__qualname__.startswith(("ModelsEvents", "McpServerEvents"))
    }
    assert {name: found[name] for name in SENSITIVE} == SENSITIVE


@pytest.mark.parametrize("role", COLUMNS)
def test_a_handler_that_declares_no_permission_is_refused_to_everybody(pages: Pages, role: UserRole) -> None:
    def forgotten(text: str) -> str:
        return text

    blocks = pages(role)
    with blocks:
        field = gr.Textbox()
        field.change(forgotten, field, field)
    number = next(number for number, event in blocks.fns.items() if event.fn is forgotten)
    try:
        assert "declares no permission" in refusal(blocks, number, role)
    finally:
        del blocks.fns[number]


def test_each_mcp_tool_is_an_api_function_that_was_tried(pages: Pages) -> None:
    mcp = pytest.importorskip("gradio.mcp", reason="the extra mcp is not installed")
    blocks = pages(UserRole.LOCAL)
    server = mcp.GradioMCPServer(blocks)
    offered = {
        event.api_name for event in blocks.fns.values() if event.api_visibility == "public" and event.fn
    }
    assert {name.strip("/") for name in server.tool_to_endpoint.values()} == offered


@pytest.mark.parametrize("role", COLUMNS)
def test_a_model_by_path_needs_a_permission_and_reveals_nothing_without_it(
    tmp_path: Path, role: UserRole
) -> None:
    there = tmp_path / "there.gguf"
    there.write_bytes(b"GGUF")
    script = tmp_path / "other.yaml"
    script.write_text("completions: [Hi]", encoding="utf-8")
    paths = [str(there), f"scripted:{script}", f"replay:{there}", f"zerogpu:{there}", f"~/../{there}"]
    with services_for(tmp_path, "Hello.") as (services, _):
        own = services.of(Owner(key="x", role=role))
        for path in paths:
            said = [
                _said(own, name) for name in (path, path.replace("there", "gone").replace("other", "gone"))
            ]
            if role in GRANTED[Permission.OPEN_FILES]:
                assert "no such model here" not in said[0]
            else:
                assert said[0].replace(path, "") == said[1].replace(
                    path.replace("there", "gone").replace("other", "gone"), ""
                )
                assert "no such model here" in said[0]


def _said(services: Services, name: str) -> str:
    try:
        services.models.engine(name)
    except WorkbenchError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("role", COLUMNS)
def test_the_terminal_is_a_mock_without_the_permission_to_run_commands(
    tmp_path: Path, role: UserRole
) -> None:
    marker = tmp_path / "ran"
    variables = {"WORKBENCH_ALLOW_TERMINAL": "1", "WORKBENCH_TERMINAL": "local"}
    with services_for(tmp_path, "Hello.", variables=variables) as (services, _):
        own, is_permitted = services.of(Owner(key="x", role=role)), role in GRANTED[Permission.RUN_COMMANDS]
        call = ToolCall(name="terminal", arguments={"command": f"true > {marker}", "background": True})
        saved = {"other": "toolset: other\ntools: []\n"}
        for catalog in (own.tools, own.catalog, own.catalog.with_toolsets(saved)):
            assert isinstance(catalog, Catalog)
            for name in ("terminal", "process"):
                entry = catalog.registry.find(name)
                is_mock = entry is None or isinstance(entry.handler, MockTool)
                assert is_mock is not is_permitted
            if not is_permitted:
                catalog.toolbox().run(call)
                own.studio.try_draft(
                    ToolDraft(spec_text='{"name": "terminal"}'), call.arguments, call_number=1, seed=0,
                    toolbox=catalog.toolbox(),
                )  # fmt: skip
    assert not marker.exists()


def test_a_refusal_says_what_is_not_permitted_and_whom_to_ask() -> None:
    refused = NotPermitted(Permission.MANAGE_MODELS, UserRole.MEMBER)
    assert (
        str(refused)
        == "A member may not download or delete models. Ask an admin: WORKBENCH_ADMINS names them."
    )
