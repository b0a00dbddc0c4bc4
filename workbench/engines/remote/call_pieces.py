"""Tell the calls of one completion apart, for servers that bend the protocol.

By the protocol, each piece of a call has the call's `index`, and its first piece has an `id` and the name. Servers and
proxies deviate from that in these ways, all of which were seen:

| a server that | is understood because |
|---|---|
| counts from 1 | an index only has to be the same for all pieces of a call |
| sends index 0, or none, for every call | a new id with a name starts a call |
| sends neither index nor id | a name starts a call if the previous call is complete or of another tool |
| repeats the name in every piece | the same name does not start a call while the arguments are incomplete |
| sends the name in pieces | a piece with the same index and no id continues a name that has no arguments yet |
| sends a new id in every piece | an id without a name starts nothing |

Two entries of one chunk that have no index are always two calls.
"""

from dataclasses import dataclass

from workbench.chat.json_value import JsonObject
from workbench.hermes.written_out import decoded_arguments


@dataclass(slots=True)
class _SeenCall:
    id: str
    name: str
    arguments: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether the arguments so far are a JSON object. The cheap test comes first: a call may have many pieces."""
        return self.arguments.rstrip().endswith("}") and decoded_arguments(self.arguments) is not None


class CallIndexes:
    """Gives each piece of a call the index of its call, from 0."""

    def __init__(self) -> None:
        self._calls: list[_SeenCall] = []
        self._by_sent_index: dict[int, int] = {}
        self._in_chunk: set[int] = set()

    def begin_chunk(self) -> None:
        """Note that the next pieces are those of another chunk."""
        self._in_chunk.clear()

    def index_of(self, fields: JsonObject, *, name: str, arguments: str) -> int:
        """Return the index of the call that a piece belongs to.

        Args:
            fields: The entry of `tool_calls`: its index and its id.
            name: Name in this piece. Empty if there is none.
            arguments: Text of the arguments in this piece.
        """
        sent = fields.get("index")
        sent_index = sent if isinstance(sent, int) else None
        sent_id = fields.get("id")
        call_id = sent_id if isinstance(sent_id, str) else ""
        index = self._known_index(sent_index, call_id, name, arguments)
        if index is None:
            self._calls.append(_SeenCall(call_id, name=""))
            index = len(self._calls) - 1
        if sent_index is not None:
            self._by_sent_index[sent_index] = index
        call = self._calls[index]
        if name and name != call.name and not call.arguments:
            call.name += name
        call.arguments += arguments
        self._in_chunk.add(index)
        return index

    def name_of(self, index: int) -> str:
        """Return the name of a call, as far as it has arrived."""
        return self._calls[index].name

    def id_of(self, index: int) -> str:
        """Return the id that the server gave to a call. Empty if it gave none."""
        return self._calls[index].id

    def _known_index(self, sent_index: int | None, call_id: str, name: str, arguments: str) -> int | None:
        """Return the index of a call that has started, or None if this piece starts a call."""
        if not self._calls:
            return None
        last = len(self._calls) - 1
        index = last if sent_index is None else self._by_sent_index.get(sent_index)
        if index is None:
            return None if name or call_id else last
        call = self._calls[index]
        if call_id and call.id and name:
            if call_id == call.id:
                return index
            return next((place for place, known in enumerate(self._calls) if known.id == call_id), None)
        if not name:
            return index
        if sent_index is not None and not (call_id or call.arguments or index in self._in_chunk):
            return index
        is_other_entry = sent_index is None and index in self._in_chunk
        is_next = call.is_complete and (sent_index is None or bool(arguments.strip()))
        return None if is_other_entry or name != call.name or is_next else index
