"""Convert the arguments of an API call to values, and its result or error to an answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, TypeVar, cast

from workbench.app.export import lines_of
from workbench.app.requests.reading import tools_of_row
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, find_run
from workbench.app.runs.suites import load_suite
from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.library.datasets.session_export import export_all
from workbench.records.corpus.material import SessionFilter
from workbench.records.corpus.session_rows import ExportOptions
from workbench.records.run_config import RunConfig
from workbench.records.runs import StoredRun
from workbench.suite.reports.report import report_json, report_of
from workbench.toolbox.catalog import Catalog
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import render_tools
from workbench.trajectory.formats.known import WRITTEN, format_named

Tools = list[str | dict[str, Any]]
"""Names of toolsets or tools in the catalog, or tool specs."""

_Word = TypeVar("_Word", bound=StrEnum)


def as_text(value: JsonObject) -> str:
    """Return a response as JSON text. Halves of surrogate pairs, which UTF-8 cannot encode, are escaped."""
    text = _json_text(value, is_ascii=False)
    return text if text.isascii() or _has_utf8(text) else _json_text(value, is_ascii=True)


def _json_text(value: JsonObject, *, is_ascii: bool) -> str:
    """Return what `json.dumps` returns.

    It writes a value in one step, during which no other thread runs. Here, each entry of a list of findings is a step.
    """
    write = json.JSONEncoder(ensure_ascii=is_ascii).encode
    members = (
        f"{write(key)}: [{', '.join(map(write, member))}]"
        if isinstance(member, list)
        else f"{write(key)}: {write(member)}"
        for key, member in value.items()
    )
    return f"{{{', '.join(members)}}}"


def word_of(kind: type[_Word], word: str, name: str) -> _Word:
    """Return the member of an enum with the value `word`.

    Raises:
        BadInput: The enum has no such value.
    """
    if word not in tuple(kind):
        raise BadInput(name, f"unknown {word!r}"[:60], f"use one of {', '.join(kind)}")
    return kind(word)


def offered_tools(services: Services, tools: Sequence[str | Mapping[str, Any]]) -> OfferedTools:
    """Return the tools with these names or specs, in order and without duplicates.

    File names are not accepted, since the caller may be on another machine.

    Raises:
        BadInput: There is no toolset or tool with a given name, or two different tools have the same name.
    """
    catalog = services.tools
    for tool in tools:
        if isinstance(tool, str):
            _check_named(catalog, tool)
    return catalog.select([tool if isinstance(tool, str) else _from_spec(tool) for tool in tools])


def turn_setup(
    services: Services, session: str | None, *, contract: str | None, tools: Tools | None, model: str | None
) -> RunConfig:
    """Return the setup of a turn: that of its session or the default one, with the changes that the call names.

    Raises:
        BadInput: There is no such session, contract or tool.
        StoreError: The store cannot be read.
    """
    stored = services.sessions.find_session(session) if session else None
    if session and stored is None:
        raise BadInput(
            f"session {session!r}", "there is no such session", "leave it out to start a new session"
        )
    setup = stored.setup if stored else services.setup_for()
    if contract:
        version = services.contract_version(contract)
        setup = replace(setup, contract_name=version.name, contract_text=version.text)
    if tools is not None:
        text = render_tools(offered_tools(services, tools))
        setup = replace(setup, tools_text=text, disabled_tools=frozenset[str]())
    return replace(setup, model=model or setup.model)


def exported(services: Services, choice: SessionFilter, form: str) -> JsonObject:
    """Return the rows of the chosen sessions, and why others are left out.

    Raises:
        BadInput: The format is unknown, or can only be read.
        StoreError: The store cannot be read.
    """
    if form not in WRITTEN:
        format_named(form)
        raise BadInput(f"format {form!r}", "it can only be read", f"use one of {', '.join(WRITTEN)}")
    done = export_all(services.corpus, ExportOptions(choice=choice, format=form))
    return {
        "rows": [result.row for session in done for result in session.rows if result.row is not None],
        "left_out": [line for session in done for line in lines_of(session)],
    }


def create_run(
    services: Services,
    suites: Sequence[str],
    contracts: Sequence[str] | None,
    models: Sequence[str] | None,
    *,
    tool_choice: str,
    repeat: int,
    limit: int | None,
) -> StoredRun:
    """Store a new run of suites, which has no results yet.

    Raises:
        BadInput: There is no such suite, contract or model, or the run exceeds the limits.
        StoreError: The run could not be stored.
    """
    services.limits.check_value("options", (suites, contracts, models, tool_choice))
    run_request = RunRequest(
        suites=tuple(suites),
        contracts=tuple(contracts or ()),
        models=tuple(models or ()),
        tool_choices=(tool_choice,),
        repeat=max(1, repeat),
        limit=limit,
    )
    loaded = [load_suite(services, name) for name in suites]
    return begin_run(services, plan_run(services, run_request, loaded))


def run_report(services: Services, run_id: str) -> JsonObject:
    """Return the report of a run.

    Raises:
        StoreError: The results cannot be read.
    """
    stored = find_run(services, run_id)
    title, state = stored.listed.title, stored.listed.state.value
    results = services.runs.results(stored.id)
    return report_json(report_of(stored.id, title, state, stored.plan, results))


def _check_named(catalog: Catalog, name: str) -> None:
    if name not in catalog.toolsets() and name not in {tool.name for tool in catalog.availability()}:
        toolsets = ", ".join(catalog.toolsets())
        raise BadInput(f"tools, {name!r}", "no toolset or tool has this name", f"toolsets: {toolsets}"[:200])


def _from_spec(spec: Mapping[str, Any]) -> OfferedTools:
    fields = cast(JsonObject, {"tools": [spec]})
    return tools_of_row(fields) or OfferedTools()


def _has_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
