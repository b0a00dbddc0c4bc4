"""Approvals for a session or for always apply to the approved commands and to nothing else."""

import pytest

from workbench.chat.message import ToolCall
from workbench.rollout.ports import Approval
from workbench.toolbox.approval.allowed import Allowlist
from workbench.toolbox.approval.gate import ApprovalGate, Approvals
from workbench.toolbox.approval.reason import CommandEnvironment
from workbench.toolbox.entry import CallContext


class Person:
    """An approver that always gives the same answer and counts the questions."""

    def __init__(self, answer):
        self.answer, self.asked = answer, 0

    def ask(self, question):
        self.asked += 1
        return self.answer


class OneEnvironment:
    """Knows one environment in which all commands run."""

    def __init__(self, place):
        self.where = place

    def place(self, task_id, workdir):
        return self.where


def refusal(gate, command, **arguments):
    call = ToolCall(name="terminal", arguments={"command": command, **arguments})
    return gate.refusal(call, CallContext(session_id="s"), ())


# Allowed first, then what must be asked about again.
OTHERS = [
    ("unknown-program a", "other-program a"),
    ("unknown-program a", "unknown-program b"),
    ("python3 -c 'f()'", "python3 -c 'g()'"),
    ("python3 -c 'f()'", "perl -e 'f()'"),
    ("sh -c ls", "sh -c 'rm -rf src'"),
    ("eval ls", "eval 'rm -rf src'"),
    ("cat .env", "cat ~/.ssh/id_rsa"),
    ("echo x > ../a", "echo x > /etc/hosts"),
    ("kill 5", "kill 6"),
    ("sudo ls", "sudo cat x"),
    ("A=$(x) y", "A=$(z) y"),
    ("rm -r build", "rm -r ../build"),
    ("rm -r build", "rm -r *"),
    ("rm -r build", "rm -r build; unknown-program"),
    ("rm -r build", "rm -r build && git reset --hard"),
    ("rm -r build", "rm -r ."),
    ("git reset --hard", "git clean -fd"),
    ("find . -delete", "find .. -delete"),
    ("ls &", "rm x &"),
]


@pytest.mark.parametrize("answer", [Approval.SESSION, Approval.ALWAYS])
@pytest.mark.parametrize(("allowed", "other"), OTHERS)
def test_an_approval_does_not_allow_other_commands_of_the_same_kind(tmp_path, answer, allowed, other):
    path = tmp_path / "tools.yaml"
    approvals = Approvals()
    assert refusal(ApprovalGate(approvals, allowlist=Allowlist(path), approver=Person(answer)), allowed) == ""
    later = ApprovalGate(approvals, allowlist=Allowlist(path))
    assert refusal(later, allowed) == ""
    assert "nobody can be asked" in refusal(later, other)


@pytest.mark.parametrize(
    "command",
    ["rm -rf /", "python3 -c 'import os; os.system(\"rm -rf /\")'", "env -S 'rm -rf /'", "kill -9 -1"],
)
def test_categories_in_an_old_file_allow_only_their_short_kinds(tmp_path, command):
    from workbench.toolbox.approval.categories import NAMES

    path = tmp_path / "tools.yaml"
    path.write_text("command_allowlist:\n" + "".join(f"  - {name}\n" for name in NAMES), encoding="utf-8")
    gate = ApprovalGate(Approvals(), allowlist=Allowlist(path))
    assert refusal(gate, "rm -r build") == ""
    assert "no approval can change it" in refusal(gate, command)
    for other in (
        "rm -r ../x",
        "python3 -c 'f()'",
        "sh -c ls",
        "echo x | sh",
        "kill 5",
        "unknown-program",
        "curl x | sh",
    ):
        assert "nobody can be asked" in refusal(gate, other)


def test_an_exact_command_is_the_same_after_writing_and_reading_the_file(tmp_path):
    path = tmp_path / "tools.yaml"
    command = "unknown-program 'a: b'  # \"c\"\n  second-line é"
    assert (
        refusal(
            ApprovalGate(Approvals(), allowlist=Allowlist(path), approver=Person(Approval.ALWAYS)), command
        )
        == ""
    )
    assert refusal(ApprovalGate(Approvals(), allowlist=Allowlist(path)), command) == ""
    assert "asked" in refusal(ApprovalGate(Approvals(), allowlist=Allowlist(path)), command + " ")


def test_an_approval_applies_to_one_folder():
    outside = ApprovalGate(
        Approvals(), places=OneEnvironment(CommandEnvironment(folder="/etc", is_contained=False))
    )
    assert "sensitive file" in refusal(outside, "cat shadow")
    assert "outside the working folder" in refusal(outside, "echo x > motd")
    assert "sensitive file" in refusal(ApprovalGate(Approvals()), "cat shadow", workdir="/etc")
    inside = ApprovalGate(
        Approvals(),
        places=OneEnvironment(CommandEnvironment(folder="sub", root="/home/me/p")),
    )
    assert refusal(inside, "cat a; echo x > ../b; touch /home/me/p/c") == ""
    assert "outside" in refusal(inside, "echo x > ../../b")
    data = ApprovalGate(Approvals(), places=OneEnvironment(CommandEnvironment(private=("/srv/workbench",))))
    assert "sensitive file" in refusal(data, "ls /srv/workbench")


def test_without_a_sandbox_project_code_needs_approval_once_per_session():
    person, approvals = Person(Approval.SESSION), Approvals()
    gate = ApprovalGate(
        approvals, approver=person, places=OneEnvironment(CommandEnvironment(is_contained=False))
    )
    for command in ("pytest -q", "pytest tests/a.py", "cat README.md", "pytest -x | tail -5"):
        assert refusal(gate, command) == ""
    assert person.asked == 1


@pytest.mark.parametrize("size", [50_001, 5_000_000])
def test_a_command_that_is_too_long_is_refused(size):
    assert "more than 50000 characters" in refusal(
        ApprovalGate(Approvals(), approver=Person(Approval.ONCE)), "echo " + "a" * size
    )
