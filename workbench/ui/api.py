"""The six API functions for programs. Each returns JSON text; its docstring is what an agent reads."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
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
from workbench.app.requests.reading import ParseRequest, check_rows, reading_fields
from workbench.app.requests.turn import report_turn
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run, find_run
from workbench.app.runs.suites import load_suite
from workbench.app.services import Services
from workbench.app.turns import begin_session, run_turn
from workbench.chat.json_value import JsonValue
from workbench.hermes.reading import Dialect, Level
from workbench.records.owner import Permission
from workbench.suite.reports.report import report_json, report_of
from workbench.toolspec.budget import REQUEST_STEPS, budget
from workbench.trajectory.formats.known import DEFAULT_FORMAT
from workbench.ui.api_request import (
    Tools,
    as_text,
    errors_to_caller,
    exported,
    offered_tools,
    turn_setup,
    word_of,
)
from workbench.ui.listen import AT_ONCE, MODEL
from workbench.ui.owners import caller_of, needs
from workbench.ui.tabs.play.runs import Runs


@dataclass(frozen=True, slots=True)
class ApiFunctions:
    """What programs may call; whoever calls sees what is theirs alone."""

    services: Services
    runs: Runs
    """Turns under way; the page stops them when it closes."""

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
        """Read a completion of a Hermes-style model: its tool calls, every repair, every finding.

        Args:
            text: The completion, as the model wrote it.
            tools: Toolsets or tools by name, or specs as objects; left out, no name is checked.
            dialect: The body that the model's family writes.
            level: How much may be repaired; strict repairs nothing.
            finish_reason: Why the completion ended; length says that it was cut.
            starts_in_thought: Whether the prompt ended inside of <think>.

        Returns:
            JSON: calls, fixes, findings, prose, dropped; a span is [start, end) in characters.
        """
        with errors_to_caller(), self._budget():
            services = self._of(request)
            services.limits.check_text("text", text)
            services.limits.check_value("tools", tools)
            services.limits.check_texts("options", (dialect, level, finish_reason))
            asked = ParseRequest(
                tools=None if tools is None else offered_tools(services, tools),
                dialect=word_of(Dialect, dialect, "dialect"),
                level=word_of(Level, level, "level"),
                finish_reason=finish_reason,
                starts_in_thought=starts_in_thought,
            )
            return as_text(reading_fields(asked.read(text)))

    @needs(Permission.WORK)
    def render(
        self,
        messages: list[dict[str, Any]],
        request: gr.Request,
        family: str = "hermes-3",
        tools: Tools | None = None,
        generation_prompt: bool = True,
    ) -> str:
        """Write the prompt that a family of models is given for chat messages, byte for byte.

        Args:
            messages: Chat messages in OpenAI's form: role, content, tool_calls.
            family: How a kind of model spells prompts: hermes-3, nous-python, qwen2.5, qwen3, qwen3-coder …
            tools: Toolsets or tools by name, or specs as objects.
            generation_prompt: Whether the assistant's turn is opened at the end.

        Returns:
            JSON: family, prompt, findings.
        """
        with errors_to_caller(), self._budget():
            services = self._of(request)
            services.limits.check_value("messages", messages)
            services.limits.check_value("tools", tools)
            services.limits.check_text("family", family)
            offered = offered_tools(services, tools or [])
            asked = RenderRequest(family=family, tools=offered, generation_prompt=generation_prompt)
            return as_text(rendered_row({"messages": cast(JsonValue, messages)}, asked))

    @needs(Permission.WORK)
    def check(self, rows: str, request: gr.Request, format: str = "auto") -> str:
        """Say what is wrong with training rows for tool calling, and where.

        Args:
            rows: JSON Lines, a row a line; or one JSON array of rows.
            format: Name of the rows' format, such as sharegpt, openai, trl; auto goes by their look.

        Returns:
            JSON: findings (row, entry, code, severity, message, pointer) and their summary.
        """
        with errors_to_caller(), self._budget(), TemporaryDirectory(prefix="workbench-check-") as folder:
            services = self._of(request)
            services.limits.check_text("rows", rows)
            services.limits.check_text("format", format)
            file = Path(folder) / "rows.jsonl"
            file.write_bytes(rows.encode("utf-8", "surrogatepass"))
            return as_text(check_rows(services.datasets.read(str(file), format)))

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
        """Play one turn: what the model writes, its tool calls, their results, the answer; it is kept.

        Args:
            text: The user's message.
            contract: A contract by name, such as minimal or minimal@3.
            tools: Toolsets or tools by name, or specs as objects.
            model: As the page names it.
            tool_choice: none, auto, required, or a tool's name.
            session: Id of a session to go on with; what is left out is as it was played before.
            temperature: 0 always takes the most likely token.
            seed: Random seed for temperatures above 0.
            max_tokens: Maximum length of the completion, in tokens.
            max_rounds: Completions at most.

        Returns:
            JSON: session, messages, calls, answer, timing.
        """
        given = {"temperature": temperature, "seed": seed, "max_tokens": max_tokens}
        changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        with errors_to_caller(), self._under_way() as is_cancelled:
            services = self._of(request)
            services.limits.check_text("message", text)
            services.limits.check_value("tools", tools)
            services.limits.check_texts("options", filter(None, (contract, model, tool_choice, session)))
            setup = turn_setup(services, session, contract=contract, tools=tools, model=model)
            setup = replace(
                setup,
                tool_choice=tool_choice or setup.tool_choice,
                max_rounds=max_rounds or setup.max_rounds,
                sampling=replace(setup.sampling, **changes),
            )
            session_id = session or begin_session(services, setup, said=text).id
            events = run_turn(services, session_id, setup, text, is_cancelled=is_cancelled)
            report = report_turn(session_id, events)
            messages = tuple(one.message for one in services.sessions.path(session_id))
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
        """Play suites of cases against contracts and models; say what passes, and how sure that is.

        Args:
            suites: Names of suites, such as nonsense.
            contracts: Each is compared; left out, the one of the settings.
            models: Each is compared; left out, the one of the settings.
            tool_choice: none, auto, required, or a tool's name.
            repeat: Plays of each case, each with a seed of its own.
            limit: Cases at most.

        Returns:
            JSON: the report, as `workbench run --json` writes it.
        """
        with errors_to_caller(), self._under_way() as is_cancelled:
            services = self._of(request)
            services.limits.check_value("options", (suites, contracts, models, tool_choice))
            wanted = RunRequest(
                suites=tuple(suites),
                contracts=tuple(contracts or ()),
                models=tuple(models or ()),
                tool_choices=(tool_choice,),
                repeat=max(1, repeat),
                limit=limit,
            )
            loaded = [load_suite(services, name) for name in suites]
            kept = begin_run(services, plan_run(services, wanted, loaded))
            for _ in execute_run(services, kept, is_cancelled=is_cancelled):
                pass
            kept = find_run(services, kept.id)
            title, state, results = kept.listed.title, kept.listed.state.value, services.runs.results(kept.id)
            return as_text(report_json(report_of(kept.id, title, state, kept.plan, results)))

    @needs(Permission.WORK)
    def export(
        self,
        request: gr.Request,
        sessions: list[str] | None = None,
        format: str = DEFAULT_FORMAT,
        tag: str | None = None,
    ) -> str:
        """Give one's own sessions as training rows; say which stay out, and why.

        Args:
            sessions: Their ids; left out, all that nobody discarded.
            format: How rows are written: sharegpt, openai, trl, llamafactory, raw, dpo, kto …
            tag: Only sessions with this tag.

        Returns:
            JSON: rows, and left_out with a line a reason.
        """
        with errors_to_caller(), self._budget():
            services = self._of(request)
            services.limits.check_value("options", (sessions, format, tag))
            choice = replace(choice_of(services, sessions), tag=tag)
            return as_text(exported(services, choice, format))

    def _of(self, request: gr.Request) -> Services:
        return self.services.of(caller_of(self.services.settings, request))

    def _budget(self) -> AbstractContextManager[None]:
        """Bounds what a stranger's text may cost; what the owner's costs nobody else pays for."""
        return budget(REQUEST_STEPS) if self.services.settings.is_on_space else nullcontext()

    @contextmanager
    def _under_way(self) -> Generator[Callable[[], bool]]:
        """Work that ends with the page; gives what says that it is to end."""
        name = f"api:{token_hex(8)}"
        self.runs.begin(name)
        try:
            yield self.runs.stop_of(name).is_set
        finally:
            self.runs.end(name)


_GRADIOS_OWN: Final = (gr.Request,)
"""Types of parameters that Gradio fills in by itself."""


def offer_api(services: Services, runs: Runs) -> None:
    """Offers the six functions to programs; inside of a `gr.Blocks`.

    All of them stand in the queue: outside of it, an MCP call would come without its caller's request.
    """
    functions = ApiFunctions(services, runs)
    for function in (functions.parse, functions.render, functions.check, functions.export):
        _offer(function)
    for function in (functions.chat, functions.run):
        _offer(function, concurrency_id=MODEL, concurrency_limit=AT_ONCE)


def with_checked_types(function: Callable[..., str]) -> Callable[..., str]:
    """The same function, but that a value of a wrong type is told to its caller; Gradio checks none."""
    hints, names = get_type_hints(function), tuple(signature(function).parameters)
    adapters = {name: TypeAdapter[Any](hints[name]) for name in names if hints[name] not in _GRADIOS_OWN}

    @wraps(function)
    def checked(*values: Any) -> str:
        for name, value in zip(names, values, strict=False):
            if name in adapters:
                _check(adapters[name], name, value)
        return function(*values)

    return checked


def _offer(function: Callable[..., str], **options: object) -> None:
    cast(Any, gr).api(with_checked_types(function), api_name=function.__name__, **options)


def _check(adapter: TypeAdapter[Any], name: str, value: object) -> None:
    try:
        adapter.validate_python(value, strict=True)
    except ValidationError as error:
        told = error.errors()[0]
        raise gr.Error(f"{name}: {told['msg']}"[:200], print_exception=False) from error
