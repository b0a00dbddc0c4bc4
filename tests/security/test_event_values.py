"""The values and fields of an event are checked before its handler, and refusals are logged without a traceback."""

import asyncio
import logging
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from tests.security.forged_values import NESTED
from tests.services import services_for
from workbench.records.owner import Permission, UserRole
from workbench.ui.components.drawn import Drawn
from workbench.ui.gradio_parts.page_blocks import PageBlocks
from workbench.ui.incoming.fields import (
    id_of,
    json_text_of,
    number_of,
    object_of,
    optional_number_of,
    place_of,
    text_of,
    word_of,
)
from workbench.ui.incoming.refusal import (
    LOGGED_A_MINUTE,
    MOST_LEVELS,
    MalformedEvent,
    RefusalLog,
    problem_of_json,
)
from workbench.ui.incoming.values import check_event_data, check_values
from workbench.ui.page import build_page
from workbench.ui.page_checks import PageChecks
from workbench.ui.permissions import needs

pytestmark = pytest.mark.slow


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


class Colour(StrEnum):
    """An enum for tests."""

    RED = "red"
    BLUE = "blue"


def event_of(data: object) -> gr.EventData:
    return gr.EventData(None, data)


class TestFields:
    """A field of an event has the type that its handler expects, or the event is refused."""

    @pytest.mark.parametrize("data", [None, [], "text", 5, True, {}, {"other": 1}, [{"id": "x"}]])
    def test_a_missing_field_is_refused(self, data: object) -> None:
        for read in (id_of, lambda event: text_of(event, "id"), lambda event: number_of(event, "id")):
            with pytest.raises(MalformedEvent):
                read(event_of(data))

    @pytest.mark.parametrize("value", [[], {}, True, [["x"]], {"a": 1}, float("nan"), "\ud800", 2**70])
    def test_a_value_that_is_not_a_text_is_refused(self, value: object) -> None:
        readers = (text_of, json_text_of) if isinstance(value, dict) else (text_of, json_text_of, object_of)
        for read in readers:
            with pytest.raises(MalformedEvent):
                read(event_of({"a": value}), "a")

    def test_texts_and_numbers_are_read(self) -> None:
        event = event_of({"id": "x", "n": 3, "s": "4", "none": None, "o": '{"a": 1}', "c": "red"})
        assert (id_of(event), text_of(event, "n"), text_of(event, "none")) == ("x", "3", "")
        assert (number_of(event, "n"), number_of(event, "s"), optional_number_of(event, "none")) == (
            3,
            4,
            None,
        )
        assert optional_number_of(event, "left out") is None
        assert object_of(event, "o") == {"a": 1}
        assert word_of(event, "c", Colour) is Colour.RED
        assert place_of(event, "n", 4) == 3

    @pytest.mark.parametrize("value", ["x", 1.5, [], {}, True, "9" * 30, "٣", "1e3", ""])
    def test_a_value_that_is_not_a_number_is_refused(self, value: object) -> None:
        with pytest.raises(MalformedEvent):
            number_of(event_of({"a": value}), "a")

    @pytest.mark.parametrize("value", ["green", "", 5, None, [], "RED"])
    def test_a_value_that_is_not_in_the_enum_is_refused(self, value: object) -> None:
        with pytest.raises(MalformedEvent):
            word_of(event_of({"a": value}), "a", Colour)

    @pytest.mark.parametrize("value", [-1, 3, 2**40, "3", None])
    def test_an_index_is_smaller_than_the_count(self, value: object) -> None:
        with pytest.raises(MalformedEvent):
            place_of(event_of({"a": value}), "a", 3)

    @pytest.mark.parametrize(
        "value", ["{", NESTED, '{"a": ' * 500, "[1]", "null", '{"a": NaN}', '{"a": "\\ud800"}']
    )
    def test_an_object_is_parsed_from_text_within_limits(self, value: str) -> None:
        with pytest.raises(MalformedEvent):
            object_of(event_of({"a": value}), "a")

    def test_an_id_has_a_maximum_length(self) -> None:
        with pytest.raises(MalformedEvent, match="too long"):
            id_of(event_of({"id": "x" * 10_000}))

    @pytest.mark.parametrize("path", ["/etc/passwd", "x" * 300, "/x" * 5000, "a\0b", "\ud800", ""])
    def test_a_file_is_refused(self, path: str) -> None:
        file = {"path": path, "meta": {"_type": "gradio.FileData"}}
        for data in (file, {"x": file}):
            with pytest.raises(MalformedEvent, match="names a file"):
                check_event_data(event_of(data))
        check_event_data(event_of({"x": 1}))
        check_event_data(None)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (float("nan"), "not finite"),
        ([{"a": float("-inf")}], "not finite"),
        (2**63, "64 bits"),
        ([-(10**30)], "64 bits"),
        ("\ud800", "surrogate"),
        ({"\udfff": 1}, "surrogate"),
        (nested(MOST_LEVELS + 1), "levels deep"),
        (nested(100_000), "levels deep"),
        ([0] * 600_000, "values"),
        (nested(MOST_LEVELS), ""),
        ([1, 2.5, "🦉", None, True, {"a": []}], ""),
    ],
)
def test_json_from_outside_has_limits(value: object, problem: str) -> None:
    assert problem in problem_of_json(value)
    assert bool(problem_of_json(value)) is bool(problem)


HOSTILE: tuple[object, ...] = (
    True, 5, 1.5, "text", [], {}, [1], ["x"], {"a": 1}, [[]], [None], {"path": "/etc/passwd"},
    [{"path": "/etc/passwd"}], {"path": 5}, {"__type__": "update", "value": 1}, nested(80), float("nan"), 2**70,
    "\ud800", {"value": "x"},
)  # fmt: skip


class Events(PageBlocks):
    """Blocks whose events can be called without a server."""

    async def ask(self, name: str, values: Any, data: object = None) -> Any:
        event = next(one for one in self.fns.values() if one.name == name)
        answer = await self.process_api(event, values, event_data=event_of(data))
        return answer["data"]


@pytest.fixture(scope="module")
def blocks() -> Iterator[Events]:
    with Events(PageChecks(lambda _: UserRole.LOCAL), analytics_enabled=False) as blocks:
        parts = (
            gr.Textbox(), gr.Code(), gr.Number(), gr.Checkbox(), gr.CheckboxGroup(["a"]), gr.Dropdown(["a", "b"]),
            gr.Dropdown(["a"], multiselect=True), gr.Radio(["a"]), gr.File(), gr.UploadButton(),
            Drawn("raw"),
        )  # fmt: skip
        out = gr.Textbox()

        def take(*values: object) -> str:
            return repr(values)

        def fail(value: str) -> str:
            raise KeyError(value)

        def pick(event: gr.EventData) -> str:
            return id_of(event)

        def stream(event: gr.EventData) -> Iterator[str]:
            yield "started"
            yield id_of(event)

        for handler, inputs in ((take, list(parts)), (fail, [parts[0]]), (pick, None), (stream, None)):
            out.change(needs(Permission.WORK)(handler), inputs, out)
    yield blocks


GOOD: tuple[object, ...] = ("t", "c", 1.5, True, ["a"], "a", ["a"], "a", None, None, None)
TAKEN: dict[int, list[object]] = {0: ["text"], 1: ["text"], 2: [5, 1.5], 3: [True], 4: [[]], 6: [[]]}
"""The values that each input accepts."""
OF_OBJECTS = 10
"""Index of the HTML component, which accepts any object that is not too deep."""


def test_values_that_fit_reach_the_handler(blocks: Events) -> None:
    assert "1.5" in asyncio.run(blocks.ask("take", list(GOOD)))[0]
    assert (
        "None" in asyncio.run(blocks.ask("take", [[] if isinstance(one, list) else None for one in GOOD]))[0]
    )


@pytest.mark.parametrize("place", range(len(GOOD)))
def test_values_that_do_not_fit_are_refused_before_the_handler(blocks: Events, place: int) -> None:
    for value in HOSTILE:
        sent = [*GOOD]
        sent[place] = value
        try:
            asyncio.run(blocks.ask("take", sent))
        except gr.Error as error:
            assert not error.print_exception, value
            assert len(error.message) < 500
        else:
            is_object = place == OF_OBJECTS and isinstance(value, dict)
            assert is_object or value in TAKEN.get(place, []), (place, value)


@pytest.mark.parametrize("values", [[], [1], None, {}, "x", 5, [GOOD], [[]]])
def test_a_wrong_number_of_values_is_refused(blocks: Events, values: object) -> None:
    with pytest.raises(MalformedEvent):
        asyncio.run(blocks.ask("take", values))


@pytest.mark.parametrize(
    "data", [None, [], "x", 5, {}, {"id": []}, {"id": {"path": "/etc/passwd"}}, {"ID": "x"}]
)
@pytest.mark.parametrize("name", ["pick", "stream"])
def test_a_forged_field_stops_the_handler_without_a_traceback(
    blocks: Events, name: str, data: object
) -> None:
    async def whole() -> None:
        answer = await blocks.ask(name, [], data)
        assert answer == ["started"]
        raise MalformedEvent("Gradio's queue reports the rest")

    with pytest.raises(MalformedEvent) as raised:
        asyncio.run(whole())
    assert not raised.value.print_exception


def test_a_bug_in_a_handler_still_leaves_a_traceback(blocks: Events) -> None:
    """It must not be mistaken for a malformed event."""
    with pytest.raises(KeyError):
        asyncio.run(blocks.ask("fail", ["x"]))


def test_every_event_of_the_page_refuses_values_of_wrong_kinds(tmp_path: Path) -> None:
    with services_for(tmp_path, "hi") as (services, _):
        page = build_page(services)
        checked = 0
        for event in page.blocks.fns.values():
            needed = [block for block in event.inputs if not block.stateful]
            if event.fn is None or not needed:
                continue
            for values in (
                [],
                None,
                {},
                [nested(100)] * len(event.inputs),
                [float("nan")] * len(event.inputs),
            ):
                with pytest.raises(MalformedEvent):
                    check_values(event, values)
                checked += 1
        assert checked > 400


def test_a_flood_of_refusals_is_counted_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    log = RefusalLog()
    with caplog.at_level(logging.WARNING):
        for _ in range(1000):
            log.note("on_x\nTraceback (most recent call last):", "y" * 100_000)
    assert len(caplog.records) == LOGGED_A_MINUTE
    assert max(len(record.getMessage()) for record in caplog.records) < 500
    assert not any("\n" in record.getMessage() for record in caplog.records)
