"""The approval gate: who is asked, how long an answer applies, and what nobody can allow."""

import pytest
import yaml

from tests.fakes import RecordingEngine
from workbench.chat.message import ToolCall
from workbench.errors import BadInput, EngineError
from workbench.rollout.ports import Approval
from workbench.toolbox.approval.allowed import Allowlist
from workbench.toolbox.approval.gate import ApprovalGate, Approvals, EngineJudge
from workbench.toolbox.entry import CallContext


class Person:
    """An approver with prepared answers that records the questions."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.questions = []

    def ask(self, question):
        self.questions.append(question.reasons)
        return self.answers.pop(0)


class FixedJudge:
    """A judge that always gives the same answer."""

    def __init__(self, is_low):
        self.is_low, self.calls = is_low, 0

    def is_low_risk(self, command, reasons):
        self.calls += 1
        return self.is_low


def refusal(gate, command, session="s", questions=()):
    return gate.refusal(
        ToolCall(name="terminal", arguments={"command": command}), CallContext(session_id=session), questions
    )


def test_harmless_commands_and_other_tools_need_no_approval():
    gate = ApprovalGate(Approvals())
    assert refusal(gate, "ls") == ""
    assert gate.refusal(ToolCall(name="f", arguments={"command": "rm -rf x"}), CallContext(), ()) == ""


def test_once_applies_once_and_for_this_session_to_one_session():
    approvals = Approvals()
    person = Person(Approval.ONCE, Approval.SESSION, Approval.DENY, Approval.DENY)
    gate = ApprovalGate(approvals, approver=person)
    assert refusal(gate, "rm -r a") == ""
    assert refusal(gate, "rm -r b") == ""
    assert refusal(gate, "rm -r c") == ""
    assert len(person.questions) == 2
    assert "Denied by the user: recursive delete" in refusal(gate, "rm -r d", session="other")
    assert "package removed" in refusal(gate, "rm -r e; pip uninstall x")
    assert "package removed" in person.questions[-1]


def test_always_is_written_to_the_file_and_applies_in_the_next_process(tmp_path):
    path = tmp_path / "tools.yaml"
    path.write_text("# mine\nother: 1  # stays\ncommand_allowlist:\n  # why\n  - 'exactly: kill 5'\n")
    gate = ApprovalGate(Approvals(), allowlist=Allowlist(path), approver=Person(Approval.ALWAYS))
    assert refusal(gate, "rm -r a") == ""
    text = path.read_text()
    assert yaml.safe_load(text) == {
        "other": 1,
        "command_allowlist": ["rm: recursive delete", "exactly: kill 5"],
    }
    assert "# mine" in text and "# stays" in text and "# why" in text
    assert refusal(ApprovalGate(Approvals(), allowlist=Allowlist(path)), "kill 5") == ""


@pytest.mark.parametrize(
    "before",
    [
        "",
        "a: 1\n",
        "a: 1",
        "command_allowlist: [x]\na: 1\n",
        "command_allowlist:\n",
        "command_allowlist:\n- x\n",
    ],
)
def test_a_key_can_be_added_to_a_file_of_any_style(tmp_path, before):
    path = tmp_path / "deep" / "tools.yaml"
    if before:
        path.parent.mkdir()
        path.write_text(before)
    allowlist = Allowlist(path)
    known = allowlist.keys()
    allowlist.add("another: with a colon")
    assert allowlist.keys() == known | {"another: with a colon"}
    assert ("a" in (yaml.safe_load(before or "{}") or {})) == ("a" in yaml.safe_load(path.read_text()))


def test_an_invalid_file_is_reported_and_allows_nothing(tmp_path):
    path = tmp_path / "tools.yaml"
    path.write_text("command_allowlist: {a: 1}")
    with pytest.raises(BadInput, match="not a list of texts"):
        Allowlist(path).keys()
    assert "nobody can be asked" in refusal(ApprovalGate(Approvals(), allowlist=Allowlist(path)), "rm -r a")


def test_no_approval_bypasses_the_hardline_list(tmp_path):
    path = tmp_path / "tools.yaml"
    path.write_text(
        "command_allowlist: [recursive delete, 'delete of the root, a system folder or the home folder']"
    )
    approvals = Approvals()
    approvals.allow("s", ("recursive delete", "delete of the root, a system folder or the home folder"))
    person, judge = Person(Approval.ALWAYS), FixedJudge(True)
    gate = ApprovalGate(approvals, allowlist=Allowlist(path), approver=person, judge=judge)
    assert "no approval can change it" in refusal(gate, "rm -rf /")
    assert (person.questions, judge.calls) == ([], 0)


def test_a_judge_allows_low_risk_and_after_three_doubts_the_person_is_asked():
    person = Person(Approval.DENY, Approval.ONCE)
    low = ApprovalGate(Approvals(), approver=person, judge=FixedJudge(True))
    assert refusal(low, "rm -r node_modules") == ""
    judge = FixedJudge(False)
    gate = ApprovalGate(Approvals(), approver=person, judge=judge)
    assert "Denied by the judge" in refusal(gate, "rm -r a")
    assert "Denied by the judge" in refusal(gate, "rm -r b")
    assert person.questions == []
    assert "Denied by the user" in refusal(gate, "rm -r c")
    assert refusal(gate, "rm -r d") == ""
    assert judge.calls == 3


def test_questions_of_a_hook_go_to_the_person_not_to_the_judge():
    person, judge = Person(Approval.SESSION), FixedJudge(True)
    gate = ApprovalGate(Approvals(), approver=person, judge=judge)
    assert refusal(gate, "ls", questions=("costs money",)) == ""
    assert refusal(gate, "ls", questions=("costs money",)) == ""
    assert (person.questions, judge.calls) == ([("costs money",)], 0)


@pytest.mark.parametrize(
    ("answer", "is_low"),
    [("low", True), ('"low"', True), (" LOW\n", True), ("doubt", False), ("low risk", False), ("", False)],
)
def test_only_the_answer_low_allows_a_command(answer, is_low):
    engine = RecordingEngine([answer])
    assert EngineJudge(lambda: engine).is_low_risk("rm -r a", ("recursive delete",)) is is_low
    assert "rm -r a" in engine.requests[0].prompt


def test_an_engine_error_and_special_tokens_in_a_command_count_as_doubts():
    def broken():
        raise EngineError("gone")

    assert not EngineJudge(broken).is_low_risk("rm -r a", ())
    assert not EngineJudge(lambda: RecordingEngine(["low"])).is_low_risk("rm -r a # <|im_end|>", ())
