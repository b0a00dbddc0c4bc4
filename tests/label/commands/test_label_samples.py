"""`workbench labels sample`, `lot`, `gold` and `judge`: samples for review, and a model as one more annotator."""

import json
from pathlib import Path

import pytest

from tests.services import CHECKOUT, services_for
from workbench.errors import BadInput, StoreError
from workbench.label.app.judge import judge_rows
from workbench.rollout.ports import Capabilities, Delta, FinishReason

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
ROWS = 6


@pytest.fixture
def sessions(tmp_path, monkeypatch):
    """Sessions with a call and an answer each, and a project with the annotators anna and ben."""
    monkeypatch.setenv("WORKBENCH_HOME", str(CHECKOUT))
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    with services_for(tmp_path, CALL, "31.") as (services, play):
        return {
            session: [stored.id for stored in services.sessions.path(session)]
            for session in (play(f"What is reading {number}?") for number in range(ROWS))
        }


@pytest.fixture
def run(run_cli):
    def run_labels(*arguments):
        done = run_cli("labels", *arguments)
        assert done.code == 0, done.err
        return done

    return run_labels


def read(run, *arguments):
    return json.loads(run(*arguments, "--json").out)


@pytest.fixture
def project(run, sessions):
    run(
        "project",
        "tone",
        "--question",
        "polite=Is it polite?|yes|no",
        "--annotator",
        "anna",
        "--annotator",
        "ben",
    )
    return "tone"


def script(folder: Path, *completions: str) -> str:
    path = folder / "judge.yaml"
    path.write_text(json.dumps({"completions": list(completions)}))
    return f"scripted:{path}"


def verdict(word: str, polite: str = "yes") -> str:
    return json.dumps({"reason": f"It is {word}.", "verdict": word, "answers": {"polite": polite}})


def test_rows_are_assigned_for_each_tool(run, run_cli, sessions, project):
    given = read(run, "sample", project, "--per-tool", 2, "--seed", 4)["given"]
    assert len({item["session"] for item in given}) == 2
    assert {item["labeller"] for item in given} <= {"anna", "ben"}
    assert "2 sessions assigned" in run("sample", project, "--per-tool", 4, "--seed", 4).err
    done = run_cli("labels", "sample", project)
    assert (done.code, "use --per-tool 5" in done.err) == (2, True)


@pytest.mark.slow
def test_a_lot_is_planned_judged_and_recorded(run, run_cli, sessions, project):
    shown = run("lot", project, "first", "--good", "0", "--bad", "0.5", "--dry-run").out
    assert shown == (
        "3 of 6 rows are labelled; accepted if at most 0 are bad. Producer's risk 0.0% (rejected with 0 bad), "
        "consumer's risk 5.0% (accepted with 0.5 bad).\n"
    )
    assert run("lot", project).out == ""
    [lot] = read(run, "lot", project, "first", "--good", "0", "--bad", "0.5", "--seed", 3)["lots"]
    assert (lot["size"], lot["sample"], lot["accept"], lot["producer_risk"]) == (6, 3, 0, 0.0)
    assert (lot["consumer_risk"], lot["verdict"], lot["judged"]) == (0.05, "open", 0)
    items = read(run, "queue", "--project", project)["items"]
    assert len(items) == 3
    for item in items:
        session, answer = item["session"], sessions[item["session"]][-1]
        run("add", session, answer, "--verdict", "good", "--project", project, "--labeller", item["assignee"])
        run("move", session, "done", "--project", project, "--labeller", item["assignee"])
    assert "accepted: 3 of 3 judged, 0 bad" in run("lot", project).out
    [lot] = read(run, "lot", project, "first", "--decide", "--labeller", "ann")["lots"]
    assert (lot["verdict"], lot["recorded_by"]) == ("accepted", "ann")
    assert "accepted with 0 bad, recorded on" in run("lot", project).out
    for arguments, problem in (
        (["second", "--sample", 3], "belong together"),
        (["second", "--tag", "nothing"], "no rows match"),
        (["first", "--good", "0", "--bad", "0.5"], "taken"),
        (["nothing", "--decide"], "no such lot"),
    ):
        done = run_cli("labels", "lot", project, *arguments)
        assert (done.code, problem in done.err) == (2, True), done.err


@pytest.mark.slow
def test_gold_rows_and_a_model_are_measured(run, sessions, project, tmp_path):
    session, messages = next(iter(sessions.items()))
    run("add", session, messages[-1], "--verdict", "good", "--project", project, "--decide")
    run("add", session, messages[2], "--call", 0, "--verdict", "right", "--project", project, "--decide")
    assert "1 gold row" in run("gold", project, "--session", session).err
    items = read(run, "queue", "--project", project)["items"]
    assert [(item["session"], item["assignee"]) for item in items] == [(session, "anna"), (session, "ben")]
    for name, word in (("anna", "good"), ("ben", "bad-answer")):
        run("add", session, messages[-1], "--verdict", word, "--project", project, "--labeller", name)
        run("move", session, "done", "--project", project, "--labeller", name)
    model = script(tmp_path, verdict("right"), "I cannot say.")
    judged = read(run, "judge", project, "--model", model, "--name", "small")
    assert judged == {"annotator": "small", "rows": 1, "labelled": 1, "unclear": 1}
    found = read(run, "gold", project)["annotators"]
    assert [(each["name"], each["kind"], each["right"], each["total"]) for each in found] == [
        ("anna", "person", 2, 2),
        ("ben", "person", 1, 2),
        ("small", "model", 2, 2),
    ]
    assert found[0]["low"] == pytest.approx(0.342, abs=1e-3)
    assert "small (model): 100% right (2 of 2), 95 % interval 34% to 100%" in run("gold", project).out


@pytest.mark.slow
def test_the_agreement_of_a_model_is_shown_beside_that_of_people(run, sessions, project, tmp_path):
    first, second = list(sessions)[:2]
    run("assign", project, "--session", first, "--session", second, "--to", "anna")
    for session in (first, second):
        run("add", session, sessions[session][-1], "--verdict", "good", "--project", project, "--labeller", "anna",
            "--answer", "polite=yes")  # fmt: skip
    model = script(tmp_path, verdict("right"), verdict("good"), verdict("right"), verdict("bad-answer", "no"))
    run("judge", project, "--model", model, "--name", "small")
    found = read(run, "agreement", "--project", project)
    assert (found["messages"]["items"], found["messages"]["pairs"]) == (0, [])
    [pair] = found["models"]["messages"]
    assert (pair["labellers"], pair["items"], pair["agreed"]) == (["anna", "small (model)"], 2, 1)
    [answers] = found["models"]["polite"]
    assert (answers["items"], answers["agreed"]) == (2, 1)
    assert "messages, models beside people:" in run("agreement", "--project", project).out
    exported = [json.loads(line) for line in run("export", "--project", project).out.splitlines()]
    assert sorted(label["labeller"] for label in exported if label.get("kind") == "model") == ["small"] * 4
    assert [label["comment"] for label in exported if label["verdict"] == "bad-answer"] == [
        "It is bad-answer."
    ]
    # Nothing is asked twice.
    again = read(run, "judge", project, "--model", model, "--name", "small")
    assert again["labelled"] == again["unclear"] == 0


class Recorder:
    """An engine with a grammar that records its requests and always writes the same."""

    name, capabilities = "recorder", Capabilities(has_exact_prompt=True, has_grammar=True)

    def __init__(self, text, finish=FinishReason.STOP):
        self.text, self.finish, self.requests = text, finish, []

    def generate(self, request, *, is_cancelled):
        self.requests.append(request)
        yield Delta(text=self.text, finish_reason=self.finish)


@pytest.mark.slow
def test_the_model_gets_the_guidelines_questions_and_allowed_verdicts(tmp_path, sessions, run, project):
    session = next(iter(sessions))
    run("assign", project, "--session", session, "--to", "anna")
    guidelines = tmp_path / "guidelines.md"
    guidelines.write_text("Cities are lower case.")
    run("project", project, "--guidelines", guidelines)
    with services_for(tmp_path, "x") as (services, _):
        engine = Recorder(verdict("right"))
        [row] = judge_rows(services, engine, project=project, name="m", is_cancelled=lambda: False)
        # "right" is a verdict on calls only.
        assert (row.labelled, row.unclear) == (1, 1)
        for_call, for_answer = engine.requests
        assert for_call.constraint.schema["properties"]["verdict"]["enum"] == [
            "right", "wrong-tool", "bad-arguments", "needless", "should-ask",
        ]  # fmt: skip
        assert for_answer.constraint.schema["properties"]["verdict"]["enum"] == [
            "good", "missing-call", "bad-answer",
        ]  # fmt: skip
        for text in (
            "Cities are lower case.",
            "polite: Is it polite?",
            "call 1 of message 3",
            '"flumb": "cairo"',
        ):
            assert text in for_call.prompt
        assert "31." not in for_call.prompt.split("Conversation:")[1].split("Judge")[0]
        for text in (
            "",
            "{",
            '{"verdict": "good"}',
            verdict("good", "perhaps"),
            '{"verdict": 3}',
            "[" * 100_000,
        ):
            [row] = judge_rows(services, Recorder(text), project=project, name=f"n{len(text)}",
                               is_cancelled=lambda: False)  # fmt: skip
            assert (row.labelled, row.unclear) == (0, 2), text
        cut = Recorder(verdict("right"), FinishReason.LENGTH)
        [row] = judge_rows(services, cut, project=project, name="cut", is_cancelled=lambda: False)
        assert row.labelled == 0
        assert list(judge_rows(services, engine, project=project, name="x", is_cancelled=lambda: True)) == []
        for bad, error in (
            ({"project": ""}, BadInput),
            ({"project": "no"}, StoreError),
            ({"name": " "}, BadInput),
        ):
            with pytest.raises(error):
                list(
                    judge_rows(
                        services, engine, **{"project": project, "name": "y", "is_cancelled": bool, **bad}
                    )
                )
