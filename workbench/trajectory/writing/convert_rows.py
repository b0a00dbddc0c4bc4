"""Convert training rows that are in memory, with the same result as `workbench convert`."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.trajectory.formats.known import AUTO, WRITTEN, format_for, format_named
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.row import RowFinding
from workbench.trajectory.row_reading import RowReading
from workbench.trajectory.writing.argument_columns import ArgumentTypes
from workbench.trajectory.writing.convert import Converted, read_repaired, write_row
from workbench.trajectory.writing.row_draft import Loss, RowOptions


def convert_rows(
    rows: Iterable[JsonObject],
    to: str,
    *,
    format: str = AUTO,
    arguments: Literal["auto", "object", "text"] = AUTO,
    result_role: Literal["tool", "user"] = "tool",
    label: bool | None = None,
    strip_tool_prompt: bool = False,
) -> Iterator[Converted]:
    """Yield the result for each row, in order. A row that cannot be converted has `row` None and its `problems`.

    Args:
        rows: Rows as `json.loads` returns them.
        to: Name of the format to write, such as `trl`.
        format: Name of the format of the rows, or `auto` to detect it for each row.
        arguments: How to write arguments in formats that allow objects. A column of a dataset needs one type for
            each argument, so `auto` looks at all rows before it yields the first result, and writes JSON text if an
            argument has different types.
        result_role: Role of the entries that hold results, in formats with Hermes' texts.
        label: For `kto`: label rows without a label as good or as bad. None refuses them.
        strip_tool_prompt: Whether to remove the list of tools from system texts in formats whose chat template
            lists the tools.

    Raises:
        BadInput: There is no format with this name, or the format to write can only be read.

    >>> row = {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello."}]}
    >>> [converted.row["messages"][1] for converted in convert_rows([row], "trl")]
    [{'role': 'assistant', 'content': 'Hello.'}]
    """
    write_as = format_named(to)
    if write_as.spell is None:
        raise BadInput(f"format {to!r}", "this format can only be read", f"use one of {', '.join(WRITTEN)}")
    if format != AUTO:
        format_named(format)
    options = RowOptions(result_role=result_role, label=label, strips_tool_prompt=strip_tool_prompt)
    return _converted(rows, format, write_as, options, arguments)


def _converted(
    rows: Iterable[JsonObject],
    read_as: str,
    write_as: RowFormat,
    options: RowOptions,
    arguments: Literal["auto", "object", "text"],
) -> Iterator[Converted]:
    readings = (_reading(row, read_as) for row in rows)
    if arguments != AUTO:
        options = replace(options, arguments=arguments)
    elif write_as.has_object_arguments:
        readings = list(readings)
        options = replace(options, arguments=argument_form(readings, write_as, options))
    for reading in readings:
        if isinstance(reading, RowFinding):
            yield Converted(row=None, problems=(reading,))
        elif reading.problems:
            yield Converted(row=None, changes=reading.changes, problems=reading.problems)
        else:
            written = write_row(reading.trajectory, write_as, options)
            yield replace(written, changes=(*reading.changes, *written.changes))


def _reading(row: JsonObject, read_as: str) -> RowReading | RowFinding:
    row_format = format_for(row, read_as)
    return row_format if isinstance(row_format, RowFinding) else read_repaired(row_format.read(row))


def argument_form(
    readings: Iterable[RowReading | RowFinding],
    write_as: RowFormat,
    options: RowOptions,
    *,
    is_strict: bool = False,
    mixes: bool = False,
) -> Literal["object", "text"]:
    """Return how to write arguments. Only rows that will be written count.

    Args:
        readings: The rows.
        write_as: The format to write.
        options: Options of the rows.
        is_strict: Whether rows that lose something are not written. Integers that are too large are written as text.
        mixes: As for `ArgumentTypes`.
    """
    types = ArgumentTypes(mixes=mixes)
    for reading in readings:
        # Most rows are like those before them. Only others must be written to see whether they can be.
        if isinstance(reading, RowFinding) or reading.problems or types.has_seen(reading.trajectory):
            continue
        written = write_row(reading.trajectory, write_as, options)
        lost = (
            change.is_loss and change.code is not Loss.BIG_INTEGERS
            for change in (*reading.changes, *written.changes)
        )
        if written.row is not None and not (is_strict and any(lost)):
            types.add(reading.trajectory)
    return types.form
