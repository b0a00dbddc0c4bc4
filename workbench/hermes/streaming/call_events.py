"""The calls of a stream as events: what is certain of their arguments at once, the rest once they are read."""

import json
from collections.abc import Iterator

from workbench.chat.json_value import JsonObject
from workbench.hermes.reading import Level
from workbench.hermes.stream_events import ArgumentsDelta, CallDropped, CallEnded, CallStarted, Event
from workbench.hermes.streaming.arguments_lexer import ArgumentsLexer, arguments_text
from workbench.toolspec.coerce import types_allowed
from workbench.toolspec.spec import OfferedTools


class CallEvents:
    """Numbers the calls of one stream and gives out their arguments, block by block.

    Args:
        tools: The offered tools; None where no name is checked.
        level: How much may be repaired.
    """

    def __init__(self, tools: OfferedTools | None, level: Level) -> None:
        self._tools = tools
        self._level = level
        self._index = 0
        self._given: list[str] = []
        self._lexer = ArgumentsLexer()
        self.is_started = False
        """Whether a call was begun and neither ended nor dropped."""

    def begin_block(self) -> None:
        """What is fed from here on is the body of another block."""
        self._lexer = ArgumentsLexer()
        self._given: list[str] = []
        self.is_started = False

    @property
    def is_in_string(self) -> bool:
        """Whether a string is open: a tag that comes now is part of it."""
        return self._lexer.is_in_string

    @property
    def is_in_plain_string(self) -> bool:
        """Whether a string is open and nothing is held back."""
        return self._lexer.is_in_plain_string

    def give_plain(self, piece: str) -> Event:
        """Give out `piece` as it is, which stands inside a plain string."""
        self._given.append(piece)
        return ArgumentsDelta(self._index, piece)

    def feed(self, piece: str) -> Iterator[Event]:
        """What becomes certain of the arguments, where no schema can change them."""
        given = self._lexer.feed(piece)
        if self._lexer.name is None or not given:
            return
        if not self.is_started:
            if not self._is_taken_as_it_stands(self._lexer.name):
                self._lexer.is_stuck = True
                return
            self.is_started = True
            yield CallStarted(self._index, self._lexer.name)
        self._given.append(given)
        yield ArgumentsDelta(self._index, given)

    def end(self, name: str, arguments: JsonObject, body: str) -> Iterator[Event]:
        """A call was read; of one that had started, what was not given yet.

        Args:
            name: The tool.
            arguments: Of the call.
            body: What stands behind the block's open tag, its fixes made.
        """
        written, given = "", "".join(self._given)
        if self.is_started and not self._lexer.is_complete:
            written = arguments_text(body)
            if not written.startswith(given):  # written anew as a whole, in another spelling
                yield from self.drop()
        if not self.is_started:
            yield CallStarted(self._index, name)
            written, given = json.dumps(arguments, ensure_ascii=False), ""
        if len(written) > len(given):
            yield ArgumentsDelta(self._index, written[len(given) :])
        yield CallEnded(self._index)
        self.is_started = False
        self._index += 1

    def drop(self) -> Iterator[Event]:
        """Tell that a call which had started is none."""
        if self.is_started:
            yield CallDropped(self._index)
            self.is_started = False
            self._index += 1

    def _is_taken_as_it_stands(self, name: str) -> bool:
        """Whether no fix changes the name, and no string of its arguments can be coerced."""
        if self._level is Level.STRICT or self._tools is None:
            return not name.startswith("functions.") and bool(name)
        spec = self._tools.by_name.get(name)
        if spec is None:
            return False
        schemas = [spec.parameters, *spec.properties.values()]
        is_flat = not any(key in schema for schema in schemas[1:] for key in ("properties", "items", "$ref"))
        return is_flat and all("string" in types_allowed(schema, spec.parameters) for schema in schemas[1:])
