"""Read samples of OpenAI Evals: the messages of `input`, and the right answer in `ideal`.

*Source:* https://github.com/openai/evals/blob/main/docs/build-eval.md
"""

from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.trajectory.formats.openai import OPENAI
from workbench.trajectory.formats.shared.views import View, view_format
from workbench.trajectory.row import RowFinding


def _view(row: JsonObject) -> View:
    given, ideal = row.get("input"), row.get("ideal")
    findings: list[RowFinding] = []
    places = {"/messages": "/input"}
    if isinstance(given, str):
        messages: list[JsonValue] = [{"role": "user", "content": given}]
        places["/messages/0"] = places["/messages/0/content"] = "/input"
    else:
        messages = [*given] if isinstance(given, list) else []
        if not isinstance(given, list):
            findings.append(_problem("input", "is neither a text nor a list of messages"))
    answers = ideal if isinstance(ideal, list) else [ideal]
    answer = f"/messages/{len(messages)}"
    if answers and isinstance(answers[0], str):
        messages.append({"role": "assistant", "content": answers[0]})
        places[answer] = places[f"{answer}/content"] = "/ideal/0" if isinstance(ideal, list) else "/ideal"
    else:
        findings.append(_problem("ideal", "is neither a text nor a list of texts"))
    # Of several right answers, the conversation ends with the first; the column keeps them.
    used = ("input", "ideal") if len(answers) == 1 else ("input",)
    rest = {key: value for key, value in row.items() if key not in (*used, "messages")}
    return View(fields={"messages": messages, **rest}, places=places, findings=tuple(findings))


def _problem(key: str, problem: str) -> RowFinding:
    return RowFinding(code="missing-field", message=f"`{key}` {problem}", pointer=f"/{key}")


def _fits(row: JsonObject) -> bool:
    given = row.get("input")
    is_chat = isinstance(given, list) and any("role" in as_object(message) for message in given)
    return "ideal" in row and (is_chat or isinstance(given, str))


OPENAI_EVALS: Final = view_format(
    "openai-evals",
    "samples of OpenAI Evals: input and ideal",
    _fits,
    _view,
    OPENAI.read,
)
