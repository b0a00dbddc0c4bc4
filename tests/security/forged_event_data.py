"""Data of forged events: the fields of our components, actions of annotators, and changes of labelling projects."""

import json

from tests.security.forged_values import DEEP, ForgedValues
from tests.security.two_owner_site import ANN, BOB

_FIELDS = (
    "id", "name", "text", "title", "tags", "query", "message", "base", "mark", "case", "arm", "run", "session",
    "key", "spec", "rules", "draft",
)  # fmt: skip
_ACTS = ("edit", "branch", "delete", "code", "copy", "continue", "regenerate", "answer", "x")


class ForgedEventData:
    """Draws data that one of our components could send.

    Args:
        values: Draws the values in it.
    """

    def __init__(self, values: ForgedValues) -> None:
        self.values = values
        self.chance = values.chance

    def draw(self) -> object:
        """Return data that one of our components could send."""
        data = {name: self.values.word() for name in _FIELDS}
        for name in ("turn", "column", "index", "call"):
            data[name] = self.chance.choice([0, 1, 2, None])  # type: ignore[assignment]
        data["act"] = self.chance.choice(_ACTS)
        data["kind"] = self.chance.choice(["best", "tie", "none", "x"])
        data["then"] = self.chance.choice(["", "continue", "answer"])
        data["edit"] = json.dumps(self.said())
        data["order"] = json.dumps(self.order())
        data["filter"] = json.dumps(
            {"verdict": self.values.word(), "since": self.chance.choice(["", "2024-01-01", "x"])}
        )
        data["rows"] = self.chance.choice(["[]", '[{"name": "a", "type": "string"}]', '[{"name": 5}]', "{}"])
        return data

    def said(self) -> object:
        return {
            "text": self.values.word(),
            "name": self.chance.choice(["now", "x"]),
            "texts": self.chance.choice([{}, {"about": "1"}, []]),
            "form": self.chance.choice([None, {"name": "now", "texts": {"a": "x"}}, 5]),
            "arguments": self.chance.choice(["{}", "{", "[]", 5]),
            "verdict": self.chance.choice(["good", "bad", "x", None, []]),
            "rating": self.chance.choice([1, 9, "x", None]),
            "tags": self.chance.choice([[], ["a"], [[]], "x"]),
            "answers": self.chance.choice([{}, {"a": []}, []]),
        }

    def role(self) -> dict[str, object]:
        return {
            "labeller": self.values.word(),
            "project": self.chance.choice(["", "mine", f"{ANN}/mine", f"{BOB}/mine"]),
            "is_deciding": self.chance.random() < 0.3,
        }

    def action(self) -> dict[str, object]:
        """Return an action of an annotator."""
        fields = (
            "verdict",
            "rating",
            "comment",
            "tag:a",
            "answer:b",
            "correction",
            "accepted",
            "state",
            "x:",
        )
        return {
            "client": self.chance.choice(["page", "", "x" * 99, 5]),
            "number": self.chance.choice([1, 2, 10**30, -1, "x"]),
            **self.role(),
            "session": self.values.word(),
            "kind": self.chance.choice(["label", "accept", "accept-rest", "submit", "reject", "undo", "x"]),
            "message": self.values.word(),
            "call": self.chance.choice([None, 0, 99, -1]),
            "changes": [
                {
                    "message": self.values.word(),
                    "call": self.chance.choice([None, 0, 99, -1, 10**30]),
                    "field": self.chance.choice(fields),
                    "value": self.chance.choice([None, "good", 3, True, self.said(), {"form": self.said()}]),
                }
            ],
            "undoes": self.chance.choice([None, {"client": "page", "number": 1}, {}, "x"]),
            "is_confirmed": self.chance.random() < 0.5,
        }

    def manage(self) -> dict[str, object]:
        """Return a change of a labelling project, or of its assignments."""
        return {
            "what": self.chance.choice(["save", "assign", "unassign", "delete", "restore", "x", 5, None]),
            "name": self.chance.choice(["", "mine", f"{ANN}/mine", "/", self.values.word(), 5]),
            "limit": self.chance.choice(["", "1", "0", "-1", "9" * 30, "x", 2, []]),
            "overlap": self.chance.choice(["1", "0", "2", "9" * 30, "x", None]),
            "annotators": self.chance.choice(["", BOB, f"{ANN}, {BOB}", "," * 50, [], self.values.word()]),
            "reviewers": self.chance.choice(["", ANN, BOB, {}]),
            "guidelines": self.chance.choice(["", "# Be kind", "[x](javascript:alert(1))", 5]),
            "questions": self.chance.choice(["", "b=Is it b?|yes|no", "b*=", "=", "b", [], "a=b\n" * 300]),
            "requires_verdicts": self.chance.choice([True, False, "x", None]),
        }

    def order(self) -> object:
        order: dict[str, object] = {
            "serial": 1,
            **self.role(),
            "session": self.values.word(),
            "after": self.values.word(),
            "known": self.chance.choice([[], [self.values.word()], "x"]),
            "message": self.values.word(),
            "filter": {
                "state": self.chance.choice(["", "pending", "x"]),
                "since": self.chance.choice(["", "x"]),
            },
            "first": self.chance.choice([None, 0, 50, -1, 10**9, 10**30, 0.5, "x", []]),
            "step": self.chance.choice([0, 1, -1, 7, 10**30, "x", None]),
            "manage": self.chance.choice([{}, self.manage(), "x", [5], None]),
            "actions": self.chance.choice([[], [self.action()], [self.action(), self.action()], "x", [5]]),
        }
        if self.chance.random() < 0.2:
            order[self.chance.choice(sorted(order))] = self.values.hostile()
        return {name: value for name, value in order.items() if value != DEEP}
