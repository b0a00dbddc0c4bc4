"""Two servers with one database, in a browser: an answer of one is seen live, stopped and continued on the other."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import Play
from tests.postgres import TEMPLATE
from tests.postgres import Server as Postgres
from tests.served import Server, served, write_script

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.postgres, pytest.mark.timeout(600)]
ENDLESS = {"text": "".join(f"word{number} " for number in range(4000)), "seconds_per_token": 0.2}


@pytest.fixture
def two_servers(postgres: Postgres, tmp_path: Path) -> Iterator[tuple[Server, Server]]:
    script = write_script(tmp_path / "script.yaml", ENDLESS)
    with postgres.database(TEMPLATE) as url, ExitStack() as closing_last_first:
        opened = list[Server]()
        for name in ("one", "two"):
            folder = tmp_path / name
            folder.mkdir()
            server = contextmanager(served)(folder, f"scripted:{script}", WORKBENCH_DATABASE_URL=url)
            opened.append(closing_last_first.enter_context(server))
        yield opened[0], opened[1]


def test_an_answer_is_seen_live_and_stopped_on_another_server_and_survives_its_own(
    two_servers: tuple[Server, Server], fresh_page: Page, other_page: Page
) -> None:
    one, two = two_servers
    here = Play(fresh_page, one).open().send("Go on and on")
    expect(here.part("live")).to_contain_text("word0 word1")
    there = Play(other_page, two)
    there.page.goto(f"{two.url}/?session={here.session_id}")
    expect(there.part("live")).to_contain_text("word0 word1")
    length = len(there.part("live").inner_text())
    there.page.wait_for_function(
        "length => document.querySelector('#play-live').innerText.length > length", arg=length
    )
    there.page.keyboard.press("Escape")
    for play in (here, there):
        play.wait_until_idle()
        expect(play.entries.last).to_contain_text("stopped by you")

    here.send("And now?")
    expect(here.part("live")).to_contain_text("word0 word1")
    there.page.reload()
    expect(there.part("live")).to_contain_text("word0 word1")
    here.page.close()
    one.kill()
    there.wait_until_idle()
    expect(there.entries).to_have_count(5)
    expect(there.entries.last).to_contain_text("word0 word1")
    expect(there.part("notice")).to_contain_text("the server that was writing it has ended")
    there.send("Go on")
    expect(there.part("live")).to_contain_text("word0 word1")
    there.page.keyboard.press("Escape")
    there.wait_until_idle()
    expect(there.entries).to_have_count(7)
