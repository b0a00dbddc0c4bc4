"""A team labels one project in several browsers at once: blind, with overlap, and with somebody who decides."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.play import SLOW_MS, TOUR_ENDED, Play, open_tab
from tests.served import Server, served, write_script
from tests.store.examples import SETUP
from workbench.app.passwords import hash_password
from workbench.chat.message import Message, Role
from workbench.label.records.agreement import agreement_of
from workbench.label.records.project import Member, Project, QueueFilter
from workbench.records.corpus.label_summary import summarize_labels
from workbench.records.corpus.material import NewImport, SessionMaterial
from workbench.records.label import Verdict
from workbench.records.label_words import ProjectRole, QueueState
from workbench.records.owner import Owner, account_key
from workbench.store.store import OwnedStore, Store

pytestmark = [pytest.mark.browser, pytest.mark.long]

ANNOTATORS = ("ben", "cleo", "eli")
ROWS = 60
SHARED = "ann/round-1"
KEYS = {Verdict.GOOD: "1", Verdict.MISSING_CALL: "6", Verdict.BAD_ANSWER: "7"}


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page with an account for each member of the team, and one for a stranger."""
    folder = tmp_path_factory.mktemp("office")
    script = write_script(folder / "script.yaml", "Hello.")
    names = ("ann", *ANNOTATORS, "dora", "eve")
    accounts = ",".join(f"{name}:{hash_password(name + '!', n=2**10)}" for name in names)
    yield from served(folder, f"scripted:{script}", WORKBENCH_AUTH=accounts)


@contextmanager
def data_of(server: Server, name: str) -> Iterator[OwnedStore]:
    store = Store(f"sqlite:///{server.folder / 'data' / 'workbench.sqlite3'}")
    try:
        yield store.of(Owner(key=account_key(name), name=name))
    finally:
        store.close()


def import_rows(own: OwnedStore, count: int) -> list[str]:
    def row(number: int) -> NewImport:
        texts = ((Role.USER, f"Question {number}?"), (Role.ASSISTANT, f"Answer {number}."))
        messages = tuple(Message(role=role, text=text) for role, text in texts)
        fields = {
            "id": f"row-{number}",
            "messages": [{"role": role.value, "content": text} for role, text in texts],
        }
        return NewImport(
            setup=SETUP, messages=messages, format="openai", fields=fields, file="rows.jsonl", number=number,
            tags=("batch-1",),
        )  # fmt: skip

    return [own.corpus.add_import(row(number), digest=f"{number:064}") for number in range(1, count + 1)]


class Person:
    """Somebody in a browser of their own."""

    def __init__(self, page: Page, server: Server, name: str) -> None:
        self.page, self.server, self.name = page, server, name
        page.set_default_timeout(SLOW_MS)

    def log_in(self) -> "Person":
        self.page.goto(self.server.url)
        self.page.get_by_label("username").fill(self.name)
        self.page.get_by_label("password").fill(self.name + "!")
        self.page.get_by_role("button", name="Log in").click()
        Play(self.page, self.server).wait_until_open()
        open_tab(self.page, "Label")
        expect(self.page.locator(".hw-progress")).to_be_visible()
        return self

    def choose(self, project: str) -> "Person":
        fold = self.page.locator("#label-desk .hw-filter-fold > summary")
        fold.click()
        self.page.get_by_label("Project", exact=True).select_option(project)
        expect(self.page.locator(".hw-filtered")).to_contain_text(project)
        fold.click()
        return self

    def open_filter(self) -> None:
        """Open the filters, which a click outside, also in a dialog, closes."""
        fold = self.page.locator("#label-desk .hw-filter-fold")
        if fold.get_attribute("open") is None:
            fold.locator("summary").click()

    @property
    def session(self) -> str:
        return self.page.locator("ol[data-session]").get_attribute("data-session") or ""

    def wait_for_another(self, session: str) -> str:
        expect(self.page.locator("ol[data-session]")).not_to_have_attribute("data-session", session)
        return self.session

    @property
    def others(self):
        return self.page.locator("#label-desk .hw-other")


@pytest.fixture
def team(browser: Browser, office: Server) -> Iterator[dict[str, Person]]:
    contexts = {
        name: browser.new_context(viewport={"width": 1440, "height": 900})
        for name in ("ann", *ANNOTATORS, "dora", "eve")
    }
    for context in contexts.values():
        context.add_init_script(TOUR_ENDED)
    yield {name: Person(context.new_page(), office, name) for name, context in contexts.items()}
    for context in contexts.values():
        context.close()


def plan(ids: Sequence[str]) -> dict[tuple[str, str], Verdict]:
    """Return what each annotator finds about each row: mostly the truth, sometimes something else."""
    chance = random.Random(20)
    verdicts = list(KEYS)
    truth = {session_id: chance.choice(verdicts) for session_id in ids}
    return {
        (name, session_id): truth[session_id] if chance.random() < 0.75 else chance.choice(verdicts)
        for session_id in ids
        for name in ANNOTATORS
    }


def test_three_annotators_label_blind_at_once_and_a_reviewer_decides(
    team: dict[str, Person], office: Server, artifacts: Path
) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed (extra dev)")
    krippendorff = pytest.importorskip("krippendorff", reason="krippendorff is not installed (extra dev)")
    members = (
        *(Member(name, ProjectRole.ANNOTATOR) for name in ANNOTATORS),
        Member("dora", ProjectRole.REVIEWER),
    )
    with data_of(office, "ann") as own:
        ids = import_rows(own, ROWS)
        own.label_projects.save_project(Project(name="round-1", overlap=2, members=members))
        assigned = own.label_assignments.assign_matching(QueueFilter(tag="batch-1"), [], project="round-1")
    assert len(assigned) == 2 * ROWS
    verdicts = plan(ids)
    left = {name: {item.session_id for item in assigned if item.annotator == name} for name in ANNOTATORS}
    people = [team[name].log_in().choose(SHARED) for name in ANNOTATORS]
    for person in people:
        expect(person.page.locator(".hw-progress")).to_have_text(f"0 of {len(left[person.name])}")
    # One key each in turn, so that all three work at the same time.
    while any(left.values()):
        for person in people:
            mine = left[person.name]
            if not mine:
                continue
            session = person.session
            assert session in mine, "an annotator gets their own rows only, each once"
            expect(person.others).to_have_count(0)
            person.page.keyboard.press(KEYS[verdicts[person.name, session]])
            person.page.keyboard.press("Enter")
            mine.discard(session)
            if mine:
                person.wait_for_another(session)
    for person in people:
        expect(person.page.locator(".hw-progress")).to_have_text("40 of 40")
    people[0].page.screenshot(path=artifacts / "annotator.png")

    with data_of(office, "ann") as own:
        labels = own.labels.list_labels(project="round-1", limit=1000)
        stored = {(label.annotator, label.target.session_id): label.content.verdict for label in labels}
        assert stored == {
            (item.annotator, item.session_id): verdicts[item.annotator, item.session_id] for item in assigned
        }
        judgements = own.label_queues.judgements(project="round-1")
    found = agreement_of(judgements)
    for pair in found.pairs:
        both = [
            (stored[pair.annotators[0], one], stored[pair.annotators[1], one])
            for one in ids
            if all((name, one) in stored for name in pair.annotators)
        ]
        assert pair.item_count == len(both) == 20
        assert pair.kappa == pytest.approx(metrics.cohen_kappa_score(*zip(*both, strict=True)))
    codes = {verdict: code for code, verdict in enumerate(KEYS)}
    matrix = [
        [codes[stored[name, one]] if (name, one) in stored else float("nan") for one in ids]
        for name in ANNOTATORS
    ]
    alpha = krippendorff.alpha(reliability_data=matrix, level_of_measurement="nominal")
    assert found.measure == ("alpha", pytest.approx(alpha))

    by_row: dict[str, set[Verdict | None]] = {}
    for (_, session_id), verdict in stored.items():
        by_row.setdefault(session_id, set()).add(verdict)
    disputed = {session_id for session_id, different in by_row.items() if len(different) > 1}
    assert 5 < len(disputed) < ROWS
    dora = team["dora"].log_in().choose(SHARED)
    expect(dora.page.locator(".hw-progress")).to_have_text(f"0 of {len(disputed)} decided")
    expect(dora.page.locator(".hw-label-head")).to_contain_text(f"alpha {alpha:.2f}")
    remaining = set(disputed)
    while remaining:
        session = dora.session
        assert session in remaining
        expect(dora.others).to_have_count(2)
        if len(remaining) == 1:
            dora.page.screenshot(path=artifacts / "reviewer.png")
        dora.others.first.get_by_role("button", name="Use this label").click()
        dora.page.keyboard.press("Enter")
        remaining.discard(session)
        if remaining:
            dora.wait_for_another(session)
    expect(dora.page.locator(".hw-progress")).to_have_text(f"{len(disputed)} of {len(disputed)} decided")

    with data_of(office, "ann") as own:
        after = own.labels.list_labels(project="round-1", limit=1000)
        originals = [label for label in after if not label.is_deciding]
        assert {label.id: label.content for label in originals} == {
            label.id: label.content for label in labels
        }
        decisions = {label.target.session_id: label for label in after if label.is_deciding}
        assert set(decisions) == disputed
        assert {label.row.id for label in decisions.values() if label.row} == {
            f"row-{ids.index(one) + 1}" for one in disputed
        }
        for session_id, decision in decisions.items():
            material = own.corpus.material(session_id)
            assert isinstance(material, SessionMaterial)
            summary = summarize_labels(material.labels, "round-1")[decision.target.message_id]
            assert summary.is_good is (decision.content.verdict is Verdict.GOOD)
        progress = own.label_queues.progress(project="round-1")
        assert (progress.done, progress.compared, progress.disputed) == (120, ROWS, 0)


def test_the_owner_creates_a_project_and_assigns_rows_on_the_page(
    team: dict[str, Person], office: Server
) -> None:
    with data_of(office, "ann") as own:
        ids = import_rows(own, 3)
        own.sessions.tag_session(ids[0], ["night"])
    ann = team["ann"].log_in()
    page = ann.page
    ann.open_filter()
    page.get_by_role("button", name="New project").click()
    form = page.get_by_role("dialog", name="Team and guidelines")
    form.get_by_label("Name", exact=True).fill("tone")
    form.get_by_label("Annotators", exact=True).fill("ben, nobody")
    form.get_by_label("Questions, one per line").fill("polite*=Is it polite?|yes|no")
    form.get_by_role("button", name="Save project").click()
    expect(page.get_by_role("alert").filter(has_text="there is no account 'nobody'")).to_be_visible()
    ann.open_filter()
    page.get_by_role("button", name="New project").click()
    # What was typed is still there.
    expect(form.get_by_label("Questions, one per line")).to_have_value("polite*=Is it polite?|yes|no")
    form.get_by_label("Annotators", exact=True).fill("ben")
    form.get_by_role("button", name="Save project").click()
    expect(page.get_by_role("alert").filter(has_text="Project “tone” is saved")).to_be_visible()
    ann.open_filter()
    page.locator("#label-desk [data-filter=tag]").fill("night")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Edit project and assign rows").click()
    expect(form).to_contain_text("tag night")
    form.get_by_role("button", name="Assign rows").click()
    expect(page.get_by_role("alert").filter(has_text="1 row assigned to 1 annotator")).to_be_visible()
    with data_of(office, "ben") as own:
        [item] = own.label_queues.queue(QueueFilter(), project="ann/tone").items
    assert (item.session_id, item.state) == (ids[0], QueueState.PENDING)
    ann.open_filter()
    page.get_by_role("button", name="Edit project and assign rows").click()
    form.get_by_role("button", name="Remove assignments").click()
    expect(page.get_by_role("alert").filter(has_text="1 assignment removed")).to_be_visible()
    ann.open_filter()
    page.get_by_role("button", name="Edit project and assign rows").click()
    form.get_by_role("button", name="Delete project").click()
    form.get_by_role("button", name="Delete “tone”").click()
    expect(page.get_by_role("alert").filter(has_text="Project “tone” is deleted")).to_be_visible()
    with data_of(office, "ann") as own:
        assert own.label_projects.find_project("tone") is None
    ann.open_filter()
    page.get_by_role("button", name="New project").click()
    form.get_by_role("button", name="Restore “tone”").click()
    expect(page.get_by_role("alert").filter(has_text="Project “tone” is restored")).to_be_visible()
    with data_of(office, "ann") as own:
        assert own.label_projects.find_project("tone") is not None
    eve = team["eve"].log_in()
    eve.page.goto(f"{office.url}/?label={ids[0]}")
    expect(eve.page.locator("#label-desk")).not_to_contain_text("Question")
