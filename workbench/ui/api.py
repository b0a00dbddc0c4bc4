"""The API functions for programs. Each returns JSON text; its docstring is what an agent reads."""

import json
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import wraps
from inspect import signature
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal, cast, get_type_hints

import gradio as gr
from pydantic import TypeAdapter, ValidationError

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
from workbench.toolspec.budget import REQUEST_STEPS, budget
from workbench.toolspec.form_faults import first_fault
from workbench.trajectory.formats.known import DEFAULT_FORMAT
from workbench.ui.api_request import (
    Tools,
    as_text,
    create_run,
    errors_to_caller,
    exported,
    offered_tools,
    run_report,
    turn_setup,
    word_of,
)
from workbench.ui.gradio_parts.listen import AT_ONCE, MODEL
from workbench.ui.owners import caller_of
from workbench.ui.permissions import needs
from workbench.ui.tabs.tab_work import TabWork

API_FUNCTIONS: Final = ("parse", "render", "check", "chat", "run", "export")
"""The methods of `ApiFunctions` that programs and agents are offered."""
_ASK_MODELS: Final = frozenset({"chat", "run"})


@dataclass(frozen=True, slots=True)
class ApiFunctions:
    """The functions that programs may call. Each caller only sees their own data."""

    services: Services
    work: TabWork
    """Running calls, which the page stops when it closes."""
    services_of: Callable[[gr.Request], Services] | None = None
    """Returns the services of the caller. None determines the caller from the request."""
    report: Callable[[int, int | None, str], None] = field(default=lambda _done, _total, _message: None)
    """Called with the progress of a call: what is done, the total if it is known, and a text for people."""

    @needs(Permission.WORK)
    def parse(
        self,
        text: str,
        request: gr.Request,
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
        with errors_to_caller(), self._budget():
            services = self._of(request)
            services.limits.check_text("text", text)
            services.limits.check_value("tools", tools)
            services.limits.check_texts("options", (dialect, level, finish_reason))
            parse_request = ParseRequest(
                tools=None if tools is None else offered_tools(services, tools),
                dialect=word_of(Dialect, dialect, "dialect"),
                level=word_of(Level, level, "level"),
                finish_reason=finish_reason,
                starts_in_thought=starts_in_thought,
            )
            return as_text(reading_fields(parse_request.read(text)))

    @needs(Permission.WORK)
    def render(
        self,
        messages: list[dict[str, Any]],
        request: gr.Request,
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
        with errors_to_caller(), self._budget():
            services = self._of(request)
            services.limits.check_value("messages", messages)
            services.limits.check_value("tools", tools)
            services.limits.check_text("family", family)
            offered = offered_tools(services, tools or [])
            render_request = RenderRequest(family=family, tools=offered, generation_prompt=generation_prompt)
            return as_text(rendered_row({"messages": cast(JsonValue, messages)}, render_request))

    @needs(Permission.WORK)
    def check(self, rows: str | list[dict[str, Any]], request: gr.Request, format: str = "auto") -> str:
        """Validate training rows for tool calling; return every finding with its place.

        Args:
            rows: JSON Lines, one row per line, or one JSON array of rows, as text or as JSON.
            format: The format of the rows, such as sharegpt, openai or trl; auto detects it.

        Returns:
            JSON object with findings (row, entry, code, severity, message, pointer) and a summary.
        """
        with errors_to_caller(), self._budget(), TemporaryDirectory(prefix="workbench-check-") as folder:
            services = self._of(request)
            text = rows if isinstance(rows, str) else json.dumps(rows, ensure_ascii=False)
            services.limits.check_text("rows", text)
            services.limits.check_text("format", format)
            file = Path(folder) / "rows.jsonl"
            file.write_bytes(text.encode("utf-8", "surrogatepass"))
            return as_text(report_rows(services.datasets.read(str(file), format)))

    @needs(Permission.ASK)
    def chat(
        self,
        text: str,
        request: gr.Request,
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
        with errors_to_caller():
            services = self._of(request)
            services.limits.check_text("message", text)
            if not text.strip():
                raise BadInput("text", "the message is empty", "write what to ask")
            services.limits.check_value("tools", tools)
            services.limits.check_texts("options", filter(None, (contract, model, tool_choice, session)))
            setup = turn_setup(services, session, contract=contract, tools=tools, model=model)
            setup = replace(
                setup,
                tool_choice=tool_choice or setup.tool_choice,
                max_rounds=max_rounds or setup.max_rounds,
                sampling=replace(setup.sampling, **changes),
            )
            # The page can watch and stop this turn, too.
            turn_request = TurnRequest(setup=setup, session_id=session or None, text=text, has_person=False)
            turn = start_turn(services, turn_request)
            session_id = turn.subject
            report = report_turn(session_id, self._reported(turn.events()))
            messages = tuple(saved.message for saved in services.sessions.path(session_id))
            return as_text(replace(report, messages=messages).to_json())

    @needs(Permission.ASK)
    def run(
        self,
        suites: list[str],
        request: gr.Request,
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
        with errors_to_caller(), self._under_way() as is_cancelled:
            services = self._of(request)
            stored = create_run(
                services, suites, contracts, models, tool_choice=tool_choice, repeat=repeat, limit=limit
            )
            done = 0
            for event in execute_run(services, stored, is_cancelled=is_cancelled):
                if isinstance(event, CaseFinished):
                    done += 1
                    self.report(done, stored.listed.total, f"{done} of {stored.listed.total} cases")
            return as_text(run_report(services, stored.id))

    @needs(Permission.WORK)
    def export(
        self,
        request: gr.Request,
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
        with errors_to_caller(), self._budget():
            services = self._of(request)
            services.limits.check_value("options", (sessions, format, tag))
            choice = replace(choice_of(services, sessions), tag=tag)
            return as_text(exported(services, choice, format))

    def _reported(self, events: Iterable[TurnEvent]) -> Iterator[TurnEvent]:
        """Report each completion and each result of a tool, and pass the events on."""
        done = 0
        for event in events:
            if isinstance(event, CompletionEnded | ToolFinished):
                done += 1
                what = "completion" if isinstance(event, CompletionEnded) else f"result of {event.call.name}"
                self.report(done, None, what)
            yield event

    def _of(self, request: gr.Request) -> Services:
        if self.services_of is not None:
            return self.services_of(request)
        return self.services.of(caller_of(self.services.settings, request))

    def _budget(self) -> AbstractContextManager[object]:
        """Limit the computing time of texts from visitors of a Space. Elsewhere there is no limit."""
        return budget(REQUEST_STEPS) if self.services.settings.is_on_space else nullcontext()

    @contextmanager
    def _under_way(self) -> Generator[Callable[[], bool]]:
        """Register work that ends with the page; gives a function that returns True once it should stop."""
        name = f"api:{token_hex(8)}"
        self.work.begin(name)
        try:
            yield self.work.stop_of(name)
        finally:
            self.work.end(name)


_GRADIOS_OWN: Final = (gr.Request,)
"""Types of parameters that Gradio fills in itself."""


def offer_api(services: Services, work: TabWork) -> None:
    """Offer the functions to programs. Must be called inside a `gr.Blocks`.

    All of them use the queue, since MCP calls outside of it have no request and so no caller.
    """
    functions = ApiFunctions(services, work)
    for name in API_FUNCTIONS:
        limit = {"concurrency_id": MODEL, "concurrency_limit": AT_ONCE} if name in _ASK_MODELS else {}
        cast(Any, gr).api(with_checked_types(getattr(functions, name)), api_name=name, **limit)


def with_checked_types(function: Callable[..., str]) -> Callable[..., str]:
    """Wrap a function so that a value of a wrong type raises an error for the caller. Gradio checks no types."""
    hints, names = get_type_hints(function), tuple(signature(function).parameters)
    adapters = {name: TypeAdapter[Any](hints[name]) for name in names if hints[name] not in _GRADIOS_OWN}

    @wraps(function)
    def checked(*values: Any) -> str:
        for name, value in zip(names, values, strict=False):
            if name in adapters:
                _check(adapters[name], name, value)
        return function(*values)

    return checked


def _check(adapter: TypeAdapter[Any], name: str, value: object) -> None:
    try:
        adapter.validate_python(value, strict=True)
    except ValidationError as error:
        raise gr.Error(f"{name}: {first_fault(error)[1]}"[:200], print_exception=False) from error
