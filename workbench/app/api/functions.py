"""The functions for programs and agents. Each returns JSON text; its docstring is what an agent reads."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal, cast

from workbench.app.api.request import (
    Tools,
    as_text,
    create_run,
    exported,
    offered_tools,
    run_report,
    turn_setup,
    word_of,
)
from workbench.app.export import choice_of
from workbench.app.requests.prompt import RenderRequest, rendered_row
from workbench.app.requests.reading import ParseRequest, reading_fields
from workbench.app.requests.rows_report import report_rows
from workbench.app.requests.turn import report_turn
from workbench.app.runs.running import execute_run
from workbench.app.services import Services
from workbench.app.turn_request import TurnEvent, TurnRequest
from workbench.app.turns import start_turn
from workbench.chat.json_value import JsonValue
from workbench.errors import BadInput
from workbench.hermes.reading import Dialect, Level
from workbench.records.owner import Permission
from workbench.rollout.events import CompletionEnded, ToolFinished
from workbench.suite.runner import CaseFinished
from workbench.trajectory.formats.known import DEFAULT_FORMAT

API_FUNCTIONS: Final[Mapping[str, Permission]] = {
    "parse": Permission.WORK,
    "render": Permission.WORK,
    "check": Permission.WORK,
    "chat": Permission.ASK,
    "run": Permission.ASK,
    "export": Permission.WORK,
}
"""The methods of `ApiFunctions` that programs and agents are offered, with the permission that a caller needs."""


@dataclass(frozen=True, slots=True)
class ApiFunctions:
    """The functions that programs may call.

    Raises:
        WorkbenchError: By each function. Its text is for the caller.
    """

    services: Services
    """The services of the caller, so that each caller only sees their own data."""
    is_cancelled: Callable[[], bool] = field(default=lambda: False)
    """Returns True once a run should end early. A turn is stopped on the page."""
    report: Callable[[int, int | None, str], None] = field(default=lambda _done, _total, _message: None)
    """Called with the progress of a call: what is done, the total if it is known, and a text for people."""

    def parse(
        self,
        text: str,
        tools: Tools | None = None,
        dialect: Literal["auto", "json", "xml"] = "auto",
        level: Literal["strict", "tolerant", "lenient"] = "tolerant",
        finish_reason: str = "stop",
        starts_in_thought: bool = False,
    ) -> str:
        """Parse a completion of a Hermes-style model: return its tool calls, every fix and every finding.

        Args:
            text: The completion, exactly as the model wrote it.
            tools: Names of toolsets or tools, or tool specs as objects. Without it, call names are not checked.
            dialect: The form of the call body: JSON, XML, or auto for either.
            level: How much may be fixed; strict fixes nothing.
            finish_reason: Why the completion ended; length means that it was cut off.
            starts_in_thought: Whether the prompt ended inside <think>.

        Returns:
            JSON object with calls, fixes, findings, prose and dropped. Spans are [start, end) in characters.
        """
        self.services.limits.check_text("text", text)
        self.services.limits.check_value("tools", tools)
        self.services.limits.check_texts("options", (dialect, level, finish_reason))
        parse_request = ParseRequest(
            tools=None if tools is None else offered_tools(self.services, tools),
            dialect=word_of(Dialect, dialect, "dialect"),
            level=word_of(Level, level, "level"),
            finish_reason=finish_reason,
            starts_in_thought=starts_in_thought,
        )
        return as_text(reading_fields(parse_request.read(text)))

    def render(
        self,
        messages: list[dict[str, Any]],
        family: str = "hermes-3",
        tools: Tools | None = None,
        generation_prompt: bool = True,
    ) -> str:
        """Render chat messages to the prompt of a template family, byte for byte.

        Args:
            messages: Chat messages in OpenAI's format: role, content, tool_calls.
            family: The template family, such as hermes-3, nous-python, qwen2.5, qwen3 or qwen3-coder.
            tools: Names of toolsets or tools, or tool specs as objects.
            generation_prompt: Whether to open the assistant's turn at the end.

        Returns:
            JSON object with family, prompt and findings.
        """
        self.services.limits.check_value("messages", messages)
        self.services.limits.check_value("tools", tools)
        self.services.limits.check_text("family", family)
        offered = offered_tools(self.services, tools or [])
        render_request = RenderRequest(family=family, tools=offered, generation_prompt=generation_prompt)
        return as_text(rendered_row({"messages": cast(JsonValue, messages)}, render_request))

    def check(self, rows: str | list[dict[str, Any]], format: str = "auto") -> str:
        """Validate training rows for tool calling; return every finding with its place.

        Args:
            rows: JSON Lines, one row per line, or one JSON array of rows, as text or as JSON.
            format: The format of the rows, such as sharegpt, openai or trl; auto detects it.

        Returns:
            JSON object with findings (row, entry, code, severity, message, pointer) and a summary.
        """
        with TemporaryDirectory(prefix="workbench-check-") as folder:
            text = rows if isinstance(rows, str) else json.dumps(rows, ensure_ascii=False)
            self.services.limits.check_text("rows", text)
            self.services.limits.check_text("format", format)
            file = Path(folder) / "rows.jsonl"
            file.write_bytes(text.encode("utf-8", "surrogatepass"))
            return as_text(report_rows(self.services.datasets.read(str(file), format)))

    def chat(
        self,
        text: str,
        contract: str | None = None,
        tools: Tools | None = None,
        model: str | None = None,
        tool_choice: str | None = None,
        session: str | None = None,
        temperature: float | None = None,
        seed: int | None = None,
        max_tokens: int | None = None,
        max_rounds: int | None = None,
    ) -> str:
        """Run one turn: the model's completions, its tool calls with their results, and the answer. It is saved.

        Args:
            text: The user's message.
            contract: The name of a contract, such as minimal or minimal@3.
            tools: Names of toolsets or tools, or tool specs as objects.
            model: The model's name, as on the page.
            tool_choice: none, auto, required, or a tool's name.
            session: The id of a session to continue. Arguments that are left out keep the session's values.
            temperature: 0 always takes the most likely token.
            seed: Random seed for temperatures above 0.
            max_tokens: Maximum length of the completion, in tokens.
            max_rounds: The most completions in the turn.

        Returns:
            JSON object with session, messages, calls, answer, end and timing.
        """
        sampling = {"temperature": temperature, "seed": seed, "max_tokens": max_tokens}
        changes: dict[str, Any] = {name: value for name, value in sampling.items() if value is not None}
        self.services.limits.check_text("message", text)
        if not text.strip():
            raise BadInput("text", "the message is empty", "write what to ask")
        self.services.limits.check_value("tools", tools)
        self.services.limits.check_texts("options", filter(None, (contract, model, tool_choice, session)))
        setup = turn_setup(self.services, session, contract=contract, tools=tools, model=model)
        setup = replace(
            setup,
            tool_choice=tool_choice or setup.tool_choice,
            max_rounds=max_rounds or setup.max_rounds,
            sampling=replace(setup.sampling, **changes),
        )
        # The page can watch and stop this turn, too.
        turn_request = TurnRequest(setup=setup, session_id=session or None, text=text, has_person=False)
        turn = start_turn(self.services, turn_request)
        session_id = turn.subject
        report = report_turn(session_id, self._reported(turn.events()))
        messages = tuple(saved.message for saved in self.services.sessions.path(session_id))
        return as_text(replace(report, messages=messages).to_json())

    def run(
        self,
        suites: list[str],
        contracts: list[str] | None = None,
        models: list[str] | None = None,
        tool_choice: str = "auto",
        repeat: int = 1,
        limit: int | None = None,
    ) -> str:
        """Run suites of cases against contracts and models; return pass rates with confidence intervals.

        Args:
            suites: Names of suites, such as nonsense.
            contracts: Names of contracts to compare. Without it, the default contract.
            models: Names of models to compare. Without it, the default model.
            tool_choice: none, auto, required, or a tool's name.
            repeat: How often to run each case, each time with another seed.
            limit: The most cases to run.

        Returns:
            JSON report, as `workbench run --json` prints it.
        """
        stored = create_run(
            self.services, suites, contracts, models, tool_choice=tool_choice, repeat=repeat, limit=limit
        )
        done = 0
        for event in execute_run(self.services, stored, is_cancelled=self.is_cancelled):
            if isinstance(event, CaseFinished):
                done += 1
                self.report(done, stored.listed.total, f"{done} of {stored.listed.total} cases")
        return as_text(run_report(self.services, stored.id))

    def export(
        self,
        sessions: list[str] | None = None,
        format: str = DEFAULT_FORMAT,
        tag: str | None = None,
    ) -> str:
        """Export your sessions as training rows, and report which ones are left out and why.

        Args:
            sessions: Session ids. Without it, all sessions that are not discarded.
            format: The format of the rows, such as sharegpt, openai, trl, llamafactory, raw, dpo or kto.
            tag: Only export sessions with this tag.

        Returns:
            JSON object with rows, and left_out with one line per reason.
        """
        self.services.limits.check_value("options", (sessions, format, tag))
        choice = replace(choice_of(self.services, sessions), tag=tag)
        return as_text(exported(self.services, choice, format))

    def _reported(self, events: Iterable[TurnEvent]) -> Iterator[TurnEvent]:
        """Report each completion and each result of a tool, and pass the events on."""
        done = 0
        for event in events:
            if isinstance(event, CompletionEnded | ToolFinished):
                done += 1
                what = "completion" if isinstance(event, CompletionEnded) else f"result of {event.call.name}"
                self.report(done, None, what)
            yield event
