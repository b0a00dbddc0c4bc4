"""Random steps in all editors, tabs and sessions: nothing typed is ever lost, or moved to another document.

`DRAFT_SEED=7 pytest tests/e2e/test_draft_torture.py` takes other steps, and `DRAFT_STEPS` sets their number.
"""

import os
import random
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from playwright.sync_api import Error as PlaywrightError

from tests.databases import FILE_NAME, put_database
from tests.e2e.play import SLOW_MS, TOUR_ENDED, Play, open_tab
from tests.served import Server, free_port, served, write_script
from workbench.records.owner import LOCAL_OWNER
from workbench.records.versions import NewVersion, VersionKind
from workbench.store.store import Store

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.timeout(1500)]

STEPS: Final = int(os.environ.get("DRAFT_STEPS", "300"))
PAUSE_S: Final = 0.7
"""Edits with a longer pause between them are separate steps of the undo history."""
TEXTS: Final = {
    f"v{number}": f"---\nname: own\ntitle: Own {number}\nfamily: hermes-lines\n---\n{{{{ tools }}}}\n"
    for number in (1, 2)
}
LISTS: Final = {
    "contracts-text": ("contract", "data-contract", ("own", "full", "minimal")),
    "tools-spec": ("tool", "data-tool", ("get_flumbuster", "calculate_zorbix", "search_docs")),
    "suites-text": ("suite", "data-suite", ("nonsense", "clarify")),
}
"""The kind, the attribute of the list's items, and the names that the steps open, by editor."""
TABS: Final = {
    "Play": ("play-contract-text", "play-tools-text", "play-composer"),
    "Contracts": ("contracts-text",),
    "Tools": ("tools-spec", "tools-rules"),
    "Suites": ("suites-text",),
    "Inspect": ("inspect-text",),
}
PLAIN: Final = ("play-composer", "inspect-text")
"""Fields without a button that discards the draft."""

READ = """place => {
  const content = document.querySelector("#" + place + " .cm-content");
  if (!content) return document.querySelector("#" + place + " textarea").value;
  const tile = content.cmTile || content.cmView;
  return (tile.view || tile.root.view).state.doc.toString();
}"""


@dataclass
class Document:
    """What the page must know of a document."""

    saved: str | None
    """None for the tools of an empty page, which are saved with the first message."""
    draft: str | None = None
    origin: str | None = None
    """The text that the draft began with in this page."""
    done: list[str] = field(default_factory=list)
    """The texts that undo brings back in this page, newest last."""
    typed_at: float = 0.0

    def put(self, text: str, base: str) -> None:
        """Make `text` the draft, unless it is the saved text or the text that the draft began with."""
        if self.draft is None:
            self.origin = base
        self.draft = None if text in (self.saved, self.origin) else text
        if self.draft is None:
            self.origin = None


class Workplace:
    """The page, the server, and the model of what each editor must show."""

    def __init__(self, context: BrowserContext, folder: Path, model: str) -> None:
        self.context, self.folder, self.model, self.port = context, folder, model, str(free_port())
        self.documents: dict[str, Document] = {}
        self.bases: dict[str, str] = {}
        """What a field shows without a draft."""
        self.shown: dict[str, str] = {}
        """The document of each field that the page has drawn."""
        self.tab = "Play"
        self.sessions: list[str] = []
        self.session_texts: dict[str, str] = {}
        self.count = 0
        self._serving: Iterator[Server] | None = None
        self.server = self.start()
        self.page = self.context.new_page()

    def start(self) -> Server:
        self._serving = served(self.folder, self.model, WORKBENCH_PORT=self.port)
        self.server = next(self._serving)
        return self.server

    def stop(self) -> None:
        assert self._serving is not None
        with pytest.raises(StopIteration):
            next(self._serving)

    # The page

    def open(self, page: Page) -> None:
        query = f"?session={self.sessions[-1]}" if self.sessions else ""
        page.goto(f"{self.server.url}/{query}")
        expect(page.locator("#page-header")).to_contain_text("ready")
        self.wait_for(page, "play-composer", f"composer:{self.sessions[-1] if self.sessions else 'new'}")

    def wait_for(self, page: Page, place: str, document: str) -> None:
        """Wait until a field shows a document."""
        # Not at each frame: the page ends chains of frames that began before it was there (`frames.js`).
        shows = "([place, id]) => window.hermesWorkbench?.documents?.idOf(place) === id"
        page.wait_for_function(shows, arg=[place, document], polling=100)

    def go(self, tab: str) -> None:
        if tab == self.tab:
            return
        open_tab(self.page, tab)
        if tab == "Suites":
            self.page.get_by_role("tab", name="Edit suites").click()
        self.tab = tab
        for place in TABS[tab]:
            self.look(place)

    def look(self, place: str) -> None:
        """Learn which document a field shows, and its saved text when it is met first."""
        self.page.wait_for_function(
            "place => window.hermesWorkbench.documents.idOf(place)"
            " && document.querySelector('#' + place + ' :is(.cm-content, textarea)')",
            arg=place,
        )
        name = self.page.evaluate("place => hermesWorkbench.documents.idOf(place)", place)
        self.shown[place] = name
        if name not in self.documents:
            text = TEXTS["v2"] if name == "contract:own" else self.page.evaluate(READ, place)
            self.documents[name] = Document(saved=None if name == "tools:new" else text)
            self.bases.setdefault(place, text)
        known = self.documents[name].saved
        if known is not None and place != "play-contract-text":
            self.bases[place] = known

    def expected(self, place: str) -> str:
        document = self.documents[self.shown[place]]
        return self.bases[place] if document.draft is None else document.draft

    def check(self) -> None:
        """Compare the editors of the open tab, and all stored drafts, with the model."""
        for place in TABS[self.tab]:
            self.expect_text(self.page, place, self.expected(place))
        drafts = {name: known.draft for name, known in self.documents.items() if known.draft is not None}
        found = self.page.evaluate("hermesWorkbench.documents.drafts()")
        assert {draft["id"]: draft["text"] for draft in found} == drafts

    def expect_text(self, page: Page, place: str, text: str) -> None:
        until = time.monotonic() + 20
        while (found := page.evaluate(READ, place)) != text and time.monotonic() < until:
            page.wait_for_timeout(50)  # the driver handles events only while it waits
        assert found == text, f"{place} shows {self.shown[place]}"

    def focus(self, page: Page, place: str) -> None:
        if place == "play-composer":
            page.locator(f"#{place} textarea").focus()
        else:
            # While the server is down, a lazy editor has no code editor, and is edited as it is.
            page.locator(f"#{place} :is(.cm-content, .hw-plain-editor)").focus()
        page.keyboard.press("Control+End")

    # The steps

    def type(self, place: str, page: Page | None = None) -> None:
        document, before = self.documents[self.shown[place]], self.expected(place)
        wait = document.typed_at + PAUSE_S - time.monotonic()
        if wait > 0:
            # Typing after a pause is a step of its own.
            self.page.wait_for_timeout(wait * 1000)
        self.count += 1
        self.focus(page or self.page, place)
        (page or self.page).keyboard.insert_text(f" <{self.count}>")
        document.typed_at = time.monotonic()
        document.done.append(before)
        document.put(f"{before} <{self.count}>", self.bases[place])

    def step_type(self, random: random.Random) -> None:
        self.go(random.choice(list(TABS)))
        self.type(random.choice(TABS[self.tab]))

    def step_undo(self, random: random.Random) -> None:
        place = random.choice(TABS[self.tab])
        document, now = self.documents[self.shown[place]], self.expected(place)
        self.focus(self.page, place)
        self.page.keyboard.press("Control+z")
        while document.done:
            text = document.done.pop()
            if text != now:
                document.put(text, self.bases[place])
                self.bases[place] = text if document.draft is None else self.bases[place]
                document.typed_at = 0
                break

    def step_discard(self, random: random.Random) -> None:
        places = [place for place in TABS[self.tab] if place not in PLAIN]
        drafted = [place for place in places if self.documents[self.shown[place]].draft is not None]
        if not drafted:
            return
        place = random.choice(drafted)
        document = self.documents[self.shown[place]]
        self.page.locator(f"#{place} + .hw-draft").get_by_role("button", name="Discard draft").click()
        assert document.draft is not None
        document.done.append(document.draft)
        document.draft = document.origin = None

    def step_document(self, random: random.Random) -> None:
        self.go(random.choice(("Contracts", "Tools", "Suites")))
        place = TABS[self.tab][0]
        kind, attribute, names = LISTS[place]
        name = random.choice(names)
        self.page.locator(f"[{attribute}={name}]").click()
        toolset = "search/" if name == "search_docs" else "nonsense/"
        self.wait_for(self.page, place, f"{kind}:{toolset if kind == 'tool' else ''}{name}")
        for other in TABS[self.tab]:
            self.look(other)
            self.documents[self.shown[other]].typed_at = 0

    def step_session(self, random: random.Random) -> None:
        self.go("Play")
        session = random.choice([*self.sessions, "new"])
        if session == "new":
            self.page.locator("#play-new").click()
        else:
            self.page.locator(f"#play-session-list [data-id='{session}']").click()
        shown, before = self.shown_in_play(), self.shown["play-composer"]
        self.page.wait_for_function("!hermesWorkbench.router.isOpening('play')")
        self.wait_for(self.page, "play-composer", f"composer:{session}")
        if session != "new" or before != "composer:new":
            if session == "new":
                # The contract stays as it is.
                del shown["play-contract-text"]
            self.opened(session, shown)

    def opened(self, session: str, shown: dict[str, str]) -> None:
        """Learn what Play shows of a session. An empty page begins with the texts that were shown before."""
        for place in TABS["Play"]:
            self.look(place)
            self.documents[self.shown[place]].typed_at = 0
        if session == "new" and "play-tools-text" in shown:
            self.bases["play-tools-text"] = shown["play-tools-text"]
        own, place = self.documents[self.shown["play-contract-text"]], "play-contract-text"
        text = self.session_texts.get(session, shown.get(place))
        if text is not None:
            # Discarding a draft that a session was sent with shows the saved text.
            self.bases[place] = own.saved if own.saved is not None and own.draft == text else text

    def step_reload(self, _random: random.Random) -> None:
        self.go("Play")
        shown = self.shown_in_play()
        self.page.reload()
        self.reloaded(shown)

    def shown_in_play(self) -> dict[str, str]:
        return {place: self.expected(place) for place in TABS["Play"]}

    def reloaded(self, shown: dict[str, str]) -> None:
        for document in self.documents.values():
            document.done, document.origin = [], None
        self.shown, self.tab = {}, "Play"
        session = self.page.url.partition("session=")[2].partition("&")[0] or "new"
        self.wait_for(self.page, "play-composer", f"composer:{session}")
        self.opened(session, shown)

    def step_second_tab(self, random: random.Random) -> None:
        self.go("Play")
        session = self.shown["play-composer"].partition(":")[2]
        if (
            self.session_texts.get(session, self.bases["play-contract-text"])
            != self.bases["play-contract-text"]
        ):
            # A version was restored since the session was opened. Opened again, it shows what it was sent with.
            self.step_reload(random)
        other = self.context.new_page()
        other.set_default_timeout(SLOW_MS)
        other.goto(self.page.url)
        for place in TABS["Play"]:
            self.wait_for(other, place, self.shown[place])
            self.expect_text(other, place, self.expected(place))
        for place in random.sample(TABS["Play"], 2):
            self.type(place, other)
            self.expect_text(other, place, self.expected(place))
            self.expect_text(self.page, place, self.expected(place))
        other.close()

    def step_restart(self, random: random.Random) -> None:
        self.go("Play")
        self.stop()
        self.type(random.choice(TABS[self.tab]))
        shown = self.shown_in_play()
        self.start()
        try:
            self.page.reload()
        except PlaywrightError as error:
            # Gradio reloads the page by itself when the server is back, and can be faster.
            if "ERR_ABORTED" not in error.message and "Not attached" not in error.message:
                raise
            self.page.reload()
        self.reloaded(shown)

    def step_restore(self, random: random.Random) -> None:
        self.go("Contracts")
        self.page.locator("[data-contract=own]").click()
        self.wait_for(self.page, "contracts-text", "contract:own")
        self.look("contracts-text")
        own = self.documents["contract:own"]
        own.typed_at = 0
        self.check()
        version = random.choice(("v1", "v2"))
        text, shown = TEXTS[version], self.expected("contracts-text")
        if shown == text:
            return
        # The list follows a moment after the text.
        versions = self.page.locator("#contracts-versions:is([data-name=own], :has([data-name=own]))")
        versions.wait_for(state="attached")
        if not versions.locator("ul.hw-versions").is_visible():
            versions.locator("summary").click()
        versions.get_by_role("button", name=f"Restore {version}", exact=True).click()
        own.done.append(shown)
        is_in_play = self.shown.get("play-contract-text") == "contract:own"
        own.draft = own.origin = None
        if is_in_play and self.bases["play-contract-text"] in (own.saved, text):
            self.bases["play-contract-text"] = text
        own.saved = self.bases["contracts-text"] = text
        self.expect_text(self.page, "contracts-text", text)


WEIGHTS: Final = {
    "type": 40,
    "undo": 14,
    "discard": 6,
    "document": 16,
    "session": 12,
    "reload": 5,
    "second_tab": 3,
    "restart": 1,
    "restore": 5,
}


@contextmanager
def workplace(browser: Browser, folder: Path) -> Iterator[Workplace]:
    model = f"scripted:{write_script(folder / 'script.yaml', 'Hello.')}"
    put_database(folder / "data")
    with closing(Store(f"sqlite:///{folder / 'data' / FILE_NAME}")) as store:
        versions = store.of(LOCAL_OWNER).versions
        for text in TEXTS.values():
            versions.save(NewVersion(kind=VersionKind.CONTRACT, name="own", text=text))
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_init_script(TOUR_ENDED)
    place = Workplace(context, folder, model)
    try:
        yield place
    finally:
        context.close()
        place.stop()


def begin_sessions(place: Workplace) -> None:
    """Create two sessions with the contract `own`."""
    play = Play(place.page, place.server).open()
    for text in ("First", "Second"):
        play.part("new").click()
        place.wait_for(place.page, "play-composer", "composer:new")
        play.choose("Contract", "own").ask(text)
        place.page.wait_for_function("location.search.includes('session=')")
        place.sessions.append(play.session_id)
        place.session_texts[play.session_id] = TEXTS["v2"]
    place.page.reload()
    place.reloaded({})


def test_nothing_typed_is_lost_or_moved_to_another_document(browser: Browser, tmp_path: Path) -> None:
    seed = int(os.environ.get("DRAFT_SEED", "4"))
    steps, done = random.Random(seed), []
    with workplace(browser, tmp_path) as place:
        try:
            begin_sessions(place)
            place.check()
            for _ in range(STEPS):
                [name] = steps.choices([*WEIGHTS], [*WEIGHTS.values()])
                done.append(name)
                getattr(place, f"step_{name}")(steps)
                place.check()
        except BaseException:
            print(f"DRAFT_SEED={seed}, step {len(done)}: {', '.join(done[-8:])}")
            raise
