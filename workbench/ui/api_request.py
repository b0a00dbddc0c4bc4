"""Convert the arguments of an API call to values, and its result or error to an answer."""

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from typing import Any, TypeVar, cast

import gradio as gr

from workbench.app.export import lines_of
from workbench.app.requests.prompt import tools_of_row
from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput, WorkbenchError
from workbench.library.datasets.session_export import detect_argument_form, export_rows
from workbench.records.corpus.material import SessionFilter
from workbench.records.corpus.session_rows import ExportOptions
from workbench.records.run_config import RunConfig
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import render_tools
from workbench.trajectory.formats.known import WRITTEN, format_named

Tools = list[str | dict[str, Any]]
"""Names of toolsets or tools of the catalog, or specs of one's own."""

_Word = TypeVar("_Word", bound=StrEnum)


@contextmanager
def errors_to_caller() -> Generator[None]:
    """What is wrong with a call is the one line that its caller is told."""
    try:
        yield
    except WorkbenchError as error:
        raise gr.Error(str(error), print_exception=False) from error


def as_text(value: JsonObject) -> str:
    """The answer as JSON text; half of a surrogate pair, which has no UTF-8, is escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isascii() or _has_utf8(text) else json.dumps(value)


def word_of(kind: type[_Word], word: str, name: str) -> _Word:
    """The word of a closed set.

    Raises:
        BadInput: It is none of them.
    """
    if word not in tuple(kind):
        raise BadInput(name, f"unknown {word!r}"[:60], f"use one of {', '.join(kind)}")
    return kind(word)


def offered_tools(services: Services, tools: Sequence[str | Mapping[str, Any]]) -> OfferedTools:
    """The tools of names and specs, in order, each once; never those of a file: a caller is somewhere else.

    Raises:
        BadInput: There is no toolset and no tool of a name.
    """
    found: dict[str, OfferedTools] = {}
    for place, one in enumerate(tools):
        found[str(place)] = _named(services, one) if isinstance(one, str) else _brought(one)
    specs = [spec for offered in found.values() for spec in offered.specs]
    return OfferedTools(specs=tuple({spec.name: spec for spec in specs}.values()))


def turn_setup(
    services: Services, session: str | None, *, contract: str | None, tools: Tools | None, model: str | None
) -> RunConfig:
    """What a turn is played with: as its session was, else as the settings say, but for what the call names.

    Raises:
        BadInput: There is no such session, contract or tool.
        StoreError: The store cannot be read.
    """
    kept = services.sessions.find_session(session) if session else None
    if session and kept is None:
        raise BadInput(f"session {session!r}", "there is no such session", "leave it out to begin one")
    setup = kept.setup if kept else services.setup_for()
    if contract:
        version = services.contract_version(contract)
        setup = replace(setup, contract_name=version.name, contract_text=version.text)
    if tools is not None:
        text = render_tools(offered_tools(services, tools))
        setup = replace(setup, tools_text=text, disabled_tools=frozenset[str]())
    return replace(setup, model=model or setup.model)


def exported(services: Services, choice: SessionFilter, form: str) -> JsonObject:
    """Rows of sessions, and why others have none.

    Raises:
        BadInput: The format is not known, or only read.
        StoreError: The store cannot be read.
    """
    if form not in WRITTEN:
        format_named(form)
        raise BadInput(f"format {form!r}", "it is only read", f"use one of {', '.join(WRITTEN)}")
    wanted = ExportOptions(choice=choice, format=form)
    arguments = detect_argument_form(services.corpus, wanted)
    wanted = replace(wanted, row_options=replace(wanted.row_options, arguments=arguments))
    done = list(export_rows(services.corpus, wanted))
    return {
        "rows": [made.row for one in done for made in one.rows if made.row is not None],
        "left_out": [line for one in done for line in lines_of(one)],
    }


def _named(services: Services, name: str) -> OfferedTools:
    catalog = services.tools
    if name not in catalog.toolsets() and name not in {one.name for one in catalog.availability()}:
        there = ", ".join(catalog.toolsets())
        raise BadInput(f"tools, {name!r}", "no toolset or tool of that name", f"toolsets are {there}"[:200])
    return catalog.select((name,))


def _brought(spec: Mapping[str, Any]) -> OfferedTools:
    fields = cast(JsonObject, {"tools": [spec]})
    return tools_of_row(fields) or OfferedTools()


def _has_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
