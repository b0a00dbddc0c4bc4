"""The dialog of a labelling project draws samples, lots and gold rows, and shows how annotators and a model do."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.play import TOUR_ENDED
from tests.e2e.test_label_team import Person, data_of, import_rows
from tests.served import Server, served, write_script
from workbench.app.passwords import hash_password
from workbench.label.records.project import Member, Project, QueueFilter
from workbench.records.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.label_words import ProjectRole, QueueState
from workbench.store.store import OwnedStore

pytestmark = [pytest.mark.browser, pytest.mark.long]

PROJECT = Project(
    name="round-1",
    members=(Member("ben", ProjectRole.ANNOTATOR), Member("dora", ProjectRole.REVIEWER)),
)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page with accounts, and Ann's project with forty rows."""
    folder = tmp_path_factory.mktemp("office")
    script = write_script(folder / "script.yaml", *['{"reason": "Fine.", "verdict": "good"}'] * 100)
    accounts = ",".join(f"{name}:{hash_password(name + '!', n=2**10)}" for name in ("ann", "ben", "dora"))
    for server in served(folder, f"scripted:{script}", WORKBENCH_AUTH=accounts):
        with data_of(server, "ann") as own:
            ids = import_rows(own, 40)
            for session_id in ids[:2]:
                own.sessions.tag_session(session_id, ["known"])
                own.labels.save(label(own, session_id, Verdict.GOOD, annotator="ann"))
            own.label_projects.save_project(PROJECT)
        yield server


def label(own: OwnedStore, session_id: str, verdict: Verdict, **more: str | bool) -> NewLabel:
    answer = own.sessions.path(session_id)[-1].id
    target = LabelTarget(session_id=session_id, message_id=answer)
    return NewLabel(target=target, content=LabelContent(verdict=verdict), **more)  # pyright: ignore[reportArgumentType]


@contextmanager
def opened(browser: Browser, office: Server, name: str) -> Iterator[Person]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_init_script(TOUR_ENDED)
    yield Person(context.new_page(), office, name).log_in()
    context.close()


def notice(page: Page, text: str) -> None:
    expect(page.get_by_role("alert").filter(has_text=text)).to_be_visible()


def test_samples_lots_and_gold_rows_are_made_and_shown(browser: Browser, office: Server) -> None:
    with opened(browser, office, "ann") as ann:
        page = ann.choose("round-1").page
        form = page.get_by_role("dialog", name="Team and guidelines")

        def edit() -> None:
            ann.open_filter()
            page.get_by_role("button", name="Edit project and assign rows").click()
            expect(form).to_be_visible()

        edit()
        lots = form.get_by_role("group", name="Lots")
        lots.get_by_label("Name of the lot").fill("july")
        lots.get_by_label("Good lot: at most % bad").fill("0")
        lots.get_by_label("Bad lot: at least % bad").fill("50")
        lots.get_by_role("button", name="Draw lot").click()
        notice(
            page, "Lot “july”: 4 of 40 rows are labelled; accepted if at most 0 are bad. Producer's risk 0.0%"
        )
        ann.open_filter()
        page.locator("#label-desk [data-filter=tag]").fill("known")
        page.keyboard.press("Tab")
        edit()
        form.get_by_role("button", name="Make these gold rows").click()
        notice(page, "The project has 2 gold rows.")
        with data_of(office, "ann") as own:
            [state] = own.label_samples.lots(project="round-1")
            gold = own.label_samples.set_gold([], project="round-1")
            assert len(gold) == 2
            by_model = label(own, gold[0], Verdict.GOOD, annotator="small", project="round-1", is_model=True)
            own.labels.save(by_model)
            answers = {
                session_id: own.sessions.path(session_id)[-1].id for session_id in (*state.lot.rows, *gold)
            }
        with data_of(office, "ben") as own:
            for session_id, answer in answers.items():
                verdict = Verdict.BAD_ANSWER if session_id == gold[1] else Verdict.GOOD
                target = LabelTarget(session_id=session_id, message_id=answer)
                own.labels.save(
                    NewLabel(
                        target=target,
                        content=LabelContent(verdict=verdict),
                        annotator="ben",
                        project="ann/round-1",
                    )
                )
                own.labels.move(session_id, QueueState.DONE, project="ann/round-1", assignee="ben", who="ben")
            assert own.label_queues.queue(QueueFilter(), project="ann/round-1").total == len(answers)
        page.reload()
        expect(page.locator(".hw-progress")).to_be_visible()
        edit()
        is_bad = gold[1] in state.lot.rows
        expect(lots).to_contain_text(
            "rejected: 4 of 4 judged, 1 bad" if is_bad else "accepted: 4 of 4 judged, 0 bad"
        )
        expect(form.get_by_role("group", name="Gold rows")).to_contain_text("ben: 50% right (1 of 2)")
        expect(form.get_by_role("group", name="Gold rows")).to_contain_text(
            "small (model): 100% right (1 of 1)"
        )
        expect(form.get_by_role("group", name="Models as annotators")).to_contain_text(
            "ben and small (model)"
        )
        lots.get_by_role("button", name="Record verdict").click()
        notice(
            page,
            "Lot “july”: rejected with 1 bad, recorded on" if is_bad else "accepted with 0 bad, recorded on",
        )
        with data_of(office, "ann") as own:
            assert own.label_samples.lots(project="round-1")[0].lot.decided_by == "ann"
    with opened(browser, office, "dora") as dora:
        page = dora.choose("ann/round-1").page
        dora.open_filter()
        page.get_by_role("button", name="Lots and gold rows").click()
        form = page.get_by_role("dialog", name="Team and guidelines")
        expect(form.get_by_role("group", name="Lots")).to_contain_text("recorded on")
        expect(form.get_by_role("button", name="Draw lot")).to_have_count(0)
        expect(form.get_by_role("button", name="Make these gold rows")).to_have_count(0)


def test_an_annotator_sees_nothing_of_it(browser: Browser, office: Server) -> None:
    with opened(browser, office, "ben") as ben:
        ben.choose("ann/round-1").open_filter()
        expect(ben.page.get_by_role("button", name="New project")).to_be_visible()
        expect(ben.page.get_by_role("button", name="Lots and gold rows")).to_have_count(0)
        expect(ben.page.locator("#label-desk")).not_to_contain_text("gold")


def test_a_number_that_cannot_be_read_is_named(browser: Browser, office: Server) -> None:
    with opened(browser, office, "ann") as ann:
        page = ann.choose("round-1").page
        ann.open_filter()
        page.get_by_role("button", name="Edit project and assign rows").click()
        form = page.get_by_role("dialog", name="Team and guidelines")
        sample = form.get_by_role("group", name="Sample for review")
        sample.get_by_label("Rows for each tool").fill("many")
        sample.get_by_role("button", name="Assign sample").click()
        notice(page, "'many' is not a number")


def test_a_model_labels_the_assigned_rows_from_the_page(browser: Browser, office: Server) -> None:
    project = Project(name="round-2", members=(Member("ben", ProjectRole.ANNOTATOR),))
    with data_of(office, "ann") as own:
        ids = import_rows(own, 44)[40:]
        own.label_projects.save_project(project)
        own.label_assignments.assign(ids, [], project="round-2")
    with opened(browser, office, "ann") as ann:
        page = ann.choose("round-2").page
        form = page.get_by_role("dialog", name="Team and guidelines")
        models = form.get_by_role("group", name="Models as annotators")

        def ask(model: str) -> None:
            ann.open_filter()
            page.get_by_role("button", name="Edit project and assign rows").click()
            models.get_by_label("Model").fill(model)
            models.get_by_role("button", name="Label with this model").click()

        ask("no-such-model")
        notice(page, "no-such-model")
        ask(f"scripted:{office.folder / 'script.yaml'}")
        notice(page, "(model): 4 labels in 4 rows, 0 without a valid answer.")
        with data_of(office, "ann") as own:
            labels = own.labels.list_labels(project="round-2")
            assert {label.target.session_id for label in labels if label.is_model} == set(ids)
        ask(f"scripted:{office.folder / 'script.yaml'}")
        notice(page, "(model): 0 labels in 4 rows, 0 without a valid answer.")
        # The tab works as before.
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Shortcuts")).to_be_visible()
