"""The documentation at /help/: every link leads somewhere, every code has its paragraph, and words are found."""

import ast
import posixpath
import re
from html import unescape
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.services import services_for
from workbench.app.runs.suites import suite_names
from workbench.contract.lint import CONTRACT_CODES
from workbench.hermes.codes import CODES
from workbench.hermes.reading import Dialect
from workbench.toolbox.rule_lint import NOT_RENDERED
from workbench.toolspec.check import NOT_DECLARED, TOO_COSTLY, UNSOUND
from workbench.toolspec.lint import CODES as TOOL_CODES
from workbench.toolspec.tools_text import NO_TOOL, NOT_AN_OBJECT
from workbench.trajectory.validate.codes import ROW_CODES
from workbench.ui.help_pages import ROUTE, HelpPages, HelpRoute
from workbench.ui.present.place import HELP, NAMES, parse_place, write_place

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


def test_every_tab_has_a_page_that_shows_it(pages: HelpPages) -> None:
    assert HELP.keys() == NAMES.keys()
    for tab, page in HELP.items():
        assert f"?tab={tab}" in pages.pages[page].body, page


def test_what_show_me_opens_exists(pages: HelpPages, tmp_path: Path) -> None:
    with services_for(tmp_path) as (services, _):
        named = {
            "tool": {name for tools in services.tools.toolsets().values() for name in tools.names},
            "contract": services.contract_names(),
            "suite": suite_names(services),
            "dialect": [dialect.value for dialect in Dialect],
        }
    links = [
        (page, unescape(link))
        for page, rendered in pages.pages.items()
        for link in re.findall(r'href="((?:[.]{2}/)+[?][^"]*)" target="_top"', rendered.body)
    ]
    assert len(links) > 15
    for page, link in links:
        above, _, query = link.rpartition("/")
        assert above.count("..") == page.count("/") + 1, link
        place = parse_place(query)
        assert write_place(place.tab, **place.values).count("=") == query.count("="), link
        for name, value in place.values.items():
            assert value in named[name], (page, link)


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
    scripts = (DOCS.parent / "workbench" / "ui" / "scripts").rglob("*.js")
    drawn = [
        (file.name, *found)
        for file in scripts
        for found in re.findall(
            r'\bheading\(\s*"h\d",\s*"([^"]+)",\s*"([^"]+)"', file.read_text(encoding="utf-8")
        )
    ]
    addresses = {
        f"{name}#{section.anchor}" for name, page in pages.pages.items() for section in page.sections
    }
    addresses |= pages.pages.keys()
    all_of_them = [*((file, text, ast.literal_eval(about)) for file, text, about in calls), *drawn]
    dead = [(file, text) for file, text, about in all_of_them if about not in addresses]
    assert len(calls) > 25 and len(drawn) > 8 and dead == []


def _lint_codes() -> set[str]:
    """Return the codes of findings about contracts, tools, rules and sessions that are not rows yet."""
    sources = (
        file.read_text(encoding="utf-8")
        for package in ("contract", "toolspec", "toolbox", "records/corpus", "label/app")
        for file in (DOCS.parent / "workbench" / package).rglob("*.py")
    )
    written = {
        code
        for source in sources
        for code in re.findall(
            r'(?:\bcode=|(?:_warning|_note|not_ready)\(\s*)"([a-z]+(?:-[a-z]+)+)"[,)]', source
        )
    }
    named = {UNSOUND, TOO_COSTLY, NOT_DECLARED, NOT_AN_OBJECT, NO_TOOL, NOT_RENDERED}
    return written | named | CONTRACT_CODES.keys() | TOOL_CODES.keys()


def test_every_code_has_a_paragraph(pages: HelpPages) -> None:
    codes = {code.word for code in (*CODES, *ROW_CODES)} | _lint_codes()
    assert {"spec-not-json", "odd-name", "no-tools", "not-answered", "would-lose"} < codes
    assert sorted(codes - pages.codes.keys()) == []
    assert pages.codes["trailing-comma"] == "reference/codes#trailing-comma"


def test_codes_of_json_schema_share_a_paragraph(client: TestClient) -> None:
    answer = client.get("/help/code/schema-min-length", follow_redirects=False)
    assert answer.headers["location"].endswith("#schema-")


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
