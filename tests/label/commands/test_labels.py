"""`workbench labels`: the queue, labels, projects and agreement."""

import json

import pytest

from tests.services import CHECKOUT, services_for

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"},}\n</tool_call>'


@pytest.fixture
def session_and_messages(tmp_path, monkeypatch):
    """Run a turn in the database that the commands use; return the IDs of the session and of its messages."""
    monkeypatch.setenv("WORKBENCH_HOME", str(CHECKOUT))
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    with services_for(tmp_path, CALL, "31.") as (services, play):
        session = play("What is the reading?")
        return session, [stored.id for stored in services.sessions.path(session)]


def read(run_cli, *arguments):
    done = run_cli("labels", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_a_message_is_queued_labelled_corrected_and_exported(run_cli, session_and_messages, tmp_path):
    session, messages = session_and_messages
    assert [item["state"] for item in read(run_cli, "queue", "--fix")["items"]] == ["pending"]
    assert read(run_cli, "queue", "--no-fix")["total"] == 0
    correction = tmp_path / "call.json"
    correction.write_text('{"name": "get_flumbuster", "arguments": {"flumb": "Cairo"}}')
    label = read(run_cli, "add", session, messages[2], "--call", 0, "--verdict", "bad-arguments", "--rating", 2,
                 "--tag", "odd", "--correction", correction)  # fmt: skip
    assert (label["revision"], label["correction"]) == (1, json.loads(correction.read_text()))
    assert read(run_cli, "stale", session)["stale"] == messages[3:]
    assert run_cli("labels", "accept", session, messages[3]).code == 0
    assert run_cli("labels", "stale", session).out == f"{messages[4]}\n"
    assert [item["state"] for item in read(run_cli, "queue", "--tag", "odd")["items"]] == ["draft"]
    assert read(run_cli, "move", session, "done")["state"] == "done"
    assert [json.loads(line) for line in run_cli("labels", "export").out.splitlines()] == [label]
    out = tmp_path / "labels.jsonl"
    assert "1 label written" in run_cli("labels", "export", "--out", out).err
    assert json.loads(out.read_text()) == label
    actions = [entry["action"] for entry in read(run_cli, "log")["entries"]]
    assert actions[:4] == ["task.move", "message.accept", "label.save", "task.move"]


def test_a_label_saved_by_somebody_else_is_shown_and_not_overwritten(run_cli, session_and_messages):
    session, messages = session_and_messages
    read(run_cli, "add", session, messages[4], "--verdict", "good", "--comment", "theirs")
    refused = run_cli("labels", "add", session, messages[4], "--verdict", "bad-answer", "--comment", "yours")
    assert (refused.code, refused.out) == (2, "")
    assert "theirs" in refused.err and "yours" in refused.err
    read(run_cli, "add", session, messages[4], "--verdict", "bad-answer", "--revision", 1)


@pytest.mark.slow
def test_agreement_is_a_number_or_the_reason_why_there_is_none(run_cli, session_and_messages):
    session, messages = session_and_messages
    assert read(run_cli, "agreement")["messages"]["problem"] == "fewer than two annotators"
    assert run_cli("labels", "agreement").out == "no labels\n"
    for annotator, verdicts in (("anna", ("good", "bad-answer")), ("ben", ("good", "good"))):
        for message, verdict in zip((messages[2], messages[4]), verdicts, strict=True):
            read(run_cli, "add", session, message, "--verdict", verdict, "--labeller", annotator)
    found = read(run_cli, "agreement")["messages"]
    assert (found["kappa"], found["items"], found["pairs"][0]["agreed"]) == (0.0, 2, 1)
    assert read(run_cli, "agreement", "--by-row")["messages"]["items"] == 1
    assert "messages: kappa 0.000, 2 items" in run_cli("labels", "agreement").out
    assert "anna and ben: kappa 0.000, 1 of 2 agree" in run_cli("labels", "agreement").out


def test_a_project_assigns_sessions_and_has_its_own_questions(run_cli, session_and_messages):
    session, messages = session_and_messages
    project = read(run_cli, "project", "tone", "--question", "polite=Is it polite?|yes|no", "--overlap", 2)
    question = {"name": "polite", "text": "Is it polite?", "choices": ["yes", "no"], "required": False}
    assert project["questions"] == [question]
    assert read(run_cli, "project", "tone")["overlap"] == 2
    assigned = read(run_cli, "assign", "tone", "--session", session, "--to", "anna", "--to", "ben")["given"]
    assert [item["labeller"] for item in assigned] == ["anna", "ben"]
    assert read(run_cli, "queue", "--project", "tone", "--assignee", "ben")["total"] == 1
    options = ("--project", "tone", "--labeller", "ben")
    label = read(run_cli, "add", session, messages[4], "--answer", "polite=yes", *options)
    assert label["answers"] == {"polite": "yes"}
    assert [listed["name"] for listed in read(run_cli, "projects")["projects"]] == ["", "tone"]


@pytest.mark.slow
def test_assignments_are_removed_and_a_project_is_deleted_and_restored(run_cli, session_and_messages):
    session, messages = session_and_messages
    read(run_cli, "project", "tone", "--overlap", 2)
    read(run_cli, "assign", "tone", "--session", session, "--to", "anna", "--to", "ben")
    options = ("--project", "tone", "--labeller", "ben")
    read(run_cli, "add", session, messages[4], "--verdict", "good", *options)
    done = run_cli("labels", "unassign", "tone")
    assert (done.code, "no assignments are chosen" in done.err) == (2, True)
    removed = read(run_cli, "unassign", "tone", "--all")["removed"]
    assert removed == [{"session": session, "labeller": "anna"}]
    done = run_cli("labels", "unassign", "tone", "--session", session, "--annotator", "ben", "--started")
    assert (done.out, done.err) == (f"{session}  ben\n", "1 assignment removed\n")
    done = run_cli("labels", "delete-project", "tone")
    assert "To restore it within 30 days: workbench labels restore-project tone" in done.out
    assert [listed["name"] for listed in read(run_cli, "projects")["projects"]] == [""]
    assert [listed["name"] for listed in read(run_cli, "projects", "--deleted")["deleted"]] == ["tone"]
    assert run_cli("labels", "projects", "--deleted").out.startswith("tone  ")
    assert run_cli("labels", "delete-project", "tone").code == 2
    assert run_cli("labels", "restore-project", "tone").out == "Restored labelling project tone.\n"
    assert [listed["name"] for listed in read(run_cli, "projects")["projects"]] == ["", "tone"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--call", "1", "--verdict", "right"], "the message has 1 call"),
        (["--call", "0", "--verdict", "good"], "'good' is not a verdict for a call"),
        (["--verdict", "right"], "'right' is not a verdict for a message"),
        (["--answer", "polite"], "= is missing"),
        (["--project", "nowhere"], "no labelling project 'nowhere'"),
    ],
)
def test_bad_usage_is_reported_in_one_line(run_cli, session_and_messages, arguments, line):
    session, messages = session_and_messages
    done = run_cli("labels", "add", session, messages[2], *arguments)
    assert (done.code, done.out) == (2, "")
    assert line in done.err
    assert len(done.err.strip().splitlines()) == 1


@pytest.fixture
def team(run_cli, tmp_path, monkeypatch):
    """Import three rows into an account that owns a project with two annotators and a reviewer."""
    monkeypatch.setenv("WORKBENCH_HOME", str(CHECKOUT))
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    rows = tmp_path / "rows.jsonl"
    turns = [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": "Hello."}]
    rows.write_text(
        "".join(
            json.dumps({"id": f"r{n}", "messages": [{"role": "system", "content": str(n)}, *turns]}) + "\n"
            for n in range(3)
        )
    )
    assert run_cli("import", rows, "--tag", "batch-1", "--queue", "--owner", "account:ann").code == 0
    members = ("--annotator", "ben", "--annotator", "cleo", "--reviewer", "dora", "--owner", "account:ann")
    read(run_cli, "project", "tone", "--overlap", 2, "--question", "polite=Is it?|yes|no", *members)
    return run_cli


@pytest.mark.slow
def test_rows_of_an_import_are_found_by_their_tag_file_format_and_id(team):
    owner = ("--owner", "account:ann")
    for option in (("--tag", "batch-1"), ("--source", "rows.jsonl"), ("--format", "openai")):
        assert read(team, "queue", *option, *owner)["total"] == 3
    for option in (("--tag", "batch-2"), ("--source", "other.jsonl"), ("--tool", "f"), ("--finding", "x")):
        assert read(team, "queue", *option, *owner)["total"] == 0
    [item] = read(team, "queue", "--row", "r1", *owner)["items"]
    assert item["row"] == {"id": "r1", "number": 2, "file": "rows.jsonl", "format": "openai"}
    assert read(team, "queue")["total"] == 0, "the local user has no rows"
    orders = [
        [item["row"]["number"] for item in read(team, "queue", "--order", order, *owner)["items"]]
        for order in ("oldest", "newest")
    ]
    assert orders == [[1, 2, 3], [3, 2, 1]]


@pytest.mark.slow
def test_a_team_labels_blind_and_a_reviewer_decides(team):
    given = read(team, "assign", "tone", "--tag", "batch-1", "--limit", 2, "--owner", "account:ann")["given"]
    assert len(given) == 4
    assert read(team, "assign", "tone", "--all", "--owner", "account:ann")["given"][0]["labeller"] == "ben"
    session = given[0]["session"]
    message = _last_message(session)
    for name, verdict in (("ben", "good"), ("cleo", "bad-answer")):
        place = ("--project", "ann/tone", "--as", name)
        read(team, "add", session, message, "--verdict", verdict, "--answer", "polite=yes", *place)
        exported = team("labels", "export", *place).out.splitlines()
        assert [json.loads(line)["labeller"] for line in exported] == [name]
        read(team, "move", session, "done", *place)
    assert read(team, "progress", "--project", "ann/tone", "--as", "ben")["annotators"] == [
        {"name": "ben", "pending": 2, "draft": 0, "done": 1, "discarded": 0}
    ]
    whole = read(team, "progress", "--project", "tone", "--owner", "account:ann")
    assert (len(whole["annotators"]), whole["compared"], whole["disputed"]) == (2, 1, 1)
    reviewer = ("--as", "dora", "--owner", "account:ann")
    [dispute] = read(team, "review", "tone", *reviewer)["disputes"]
    assert (dispute["about"], [label["labeller"] for label in dispute["labels"]]) == (
        ["verdict"],
        ["ben", "cleo"],
    )
    read(team, "add", session, message, "--verdict", "good", "--decide", "--project", "tone", *reviewer)
    assert read(team, "review", "tone", *reviewer)["disputes"] == []
    assert len(read(team, "review", "tone", "--all", *reviewer)["disputes"]) == 1
    found = read(team, "agreement", "--project", "ann/tone", "--as", "dora")
    assert (found["messages"]["kappa"], found["questions"]["polite"]["items"]) == (0.0, 1)
    exported = [
        json.loads(line) for line in team("labels", "export", "--owner", "account:ann").out.splitlines()
    ]
    assert [(line["labeller"], line["deciding"], line["row"]["id"]) for line in exported] == [
        ("ben", False, "r0"), ("cleo", False, "r0"), ("dora", True, "r0"),
    ]  # fmt: skip


def _last_message(session):
    from workbench.records.owner import Owner
    from workbench.settings import read_settings
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        path = services.of(Owner(key="account:ann")).sessions.path(session)
    return path[-1].id


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["review", "ann/tone", "--as", "ben"], "annotators may not see where annotators disagree"),
        (["agreement", "--project", "ann/tone", "--as", "ben"], "annotators may not see the agreement"),
        (["queue", "--project", "ann/tone", "--as", "eve"], "no labelling project 'ann/tone'"),
        (["assign", "tone", "--owner", "account:ann"], "no sessions are chosen"),
        (["assign", "tone", "--all", "--session", "x", "--owner", "account:ann"], "sessions and a filter"),
        (["assign", "ann/tone", "--all", "--as", "dora"], "only its owner can change assignments"),
        (["queue", "--project", "x", "--owner", "browser:1", "--as", "ben"], "only between accounts"),
        (["project", "tone", "--annotator", "ann", "--owner", "account:ann"], "is its owner"),
    ],
)
def test_what_a_role_may_not_do_is_reported_in_one_line(team, arguments, line):
    done = team("labels", *arguments)
    assert (done.code, done.out) == (2, "")
    assert line in done.err


def test_a_label_for_an_unknown_session_says_what_is_missing(run_cli, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path))
    refused = run_cli("labels", "add", "nope", "nope", "--verdict", "good")
    assert (refused.code, refused.out) == (2, "")
    assert "there is no session 'nope'; `workbench sessions list` lists them" in refused.err
