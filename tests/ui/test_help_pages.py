"""The documentation at /help/: every link leads somewhere, every code has its paragraph, and words are found."""

import ast
import posixpath
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from workbench.hermes.codes import CODES
from workbench.trajectory.validate.codes import ROW_CODES
from workbench.ui.help_pages import ROUTE, HelpPages, HelpRoute
from workbench.ui.present.place import HELP, NAMES

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def pages() -> HelpPages:
    return HelpPages(DOCS)


@pytest.fixture(scope="module")
def client() -> TestClient:
    app = Starlette()
    app.add_route(ROUTE, HelpRoute(DOCS.parent).serve)
    return TestClient(app)


def test_no_link_is_dead(pages: HelpPages) -> None:
    anchors = {
        name: {section.anchor for section in page.sections} | {""} for name, page in pages.pages.items()
    }
    dead: list[str] = []
    for name, page in pages.pages.items():
        for link in page.links:
            path, _, anchor = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            if anchor not in anchors.get(target, ()):
                dead.append(f"{name}: {link}")
    assert dead == []


def test_every_tab_has_a_page(pages: HelpPages) -> None:
    assert HELP.keys() == NAMES.keys()
    assert set(HELP.values()) <= pages.pages.keys()


def test_the_question_mark_of_each_section_leads_to_a_paragraph(pages: HelpPages) -> None:
    sources = (DOCS.parent / "workbench" / "ui").rglob("*.py")
    calls = [
        (
            file.name,
            ast.unparse(call.args[0]),
            next(part.value for part in call.keywords if part.arg == "about"),
        )
        for file in sources
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "heading"
    ]
    addresses = {
        f"{name}#{section.anchor}" for name, page in pages.pages.items() for section in page.sections
    }
    addresses |= pages.pages.keys()
    dead = [(file, text) for file, text, about in calls if ast.literal_eval(about) not in addresses]
    assert len(calls) > 25 and dead == []


def test_every_code_has_a_paragraph(pages: HelpPages) -> None:
    assert [code.word for code in (*CODES, *ROW_CODES) if code.word not in pages.codes] == []
    assert pages.codes["trailing-comma"] == "reference/codes#trailing-comma"


def test_a_code_leads_to_its_paragraph(client: TestClient) -> None:
    answer = client.get("/help/code/trailing-comma", follow_redirects=False)
    assert answer.headers["location"] == "../reference/codes#trailing-comma"
    assert client.get("/help/code/%22x").status_code == 404


def test_a_search_finds_paragraphs_with_all_words(client: TestClient) -> None:
    found = client.get("/help/README", params={"q": "trailing comma bracket"}).text
    assert "reference/codes#" in found
    assert "Nothing has all" in client.get("/help/README", params={"q": "zzqq"}).text
    hostile = client.get("/help/README", params={"q": '"><script>'}).text
    assert "<script>" not in hostile


def test_a_page_that_does_not_exist_is_not_found(client: TestClient) -> None:
    assert client.get("/help/nothing").status_code == 404
    assert client.get("/help/../pyproject").status_code == 404
    assert client.get("/help/").status_code == 200
