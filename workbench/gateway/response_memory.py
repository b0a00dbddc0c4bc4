"""Remember responses, so that a later request can continue them by their id."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from threading import Lock
from typing import Any, Final, cast

import orjson

from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.gateway.faults import RequestFault

MOST_BYTES: Final = 64_000_000
"""The size of all responses that are remembered, as JSON with their conversations. The oldest ones go first."""

_FORGOTTEN: Final = "It was not stored, or is no longer remembered."


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResponse:
    """A response that can be continued."""

    data: bytes
    """A JSON list of its document and its messages. Decoded, they may take twenty times as much memory."""

    @property
    def document(self) -> JsonObject:
        """The response as the client got it."""
        return orjson.loads(self.data)[0]

    @property
    def messages(self) -> tuple[JsonObject, ...]:
        """The conversation as chat messages, the answer included, without the instructions."""
        return tuple(orjson.loads(self.data)[1])


class ResponseMemory:
    """The responses of all owners, until the server stops. Thread-safe.

    Args:
        most_bytes: The largest size of all of them.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._responses: OrderedDict[tuple[str, str], StoredResponse] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def add(
        self, owner: str, conversation: tuple[JsonObject, ...], document: JsonObject, answer: JsonObject
    ) -> None:
        """Remember a response of an owner.

        Args:
            conversation: What was answered, as chat messages without the instructions.
            document: The response as the client got it.
            answer: The same as a chat message.
        """
        stored = StoredResponse(data=orjson.dumps([document, (*conversation, answer)]))
        with self._lock:
            self._responses[owner, str(document["id"])] = stored
            self._bytes += len(stored.data)
            while self._bytes > self._most_bytes:
                _, oldest = self._responses.popitem(last=False)
                self._bytes -= len(oldest.data)

    def find(self, owner: str, response_id: str) -> StoredResponse:
        """Return a response of an owner.

        Raises:
            RequestFault: There is no such response, or it was forgotten.
        """
        with self._lock:
            found = self._responses.get((owner, response_id))
            if found is None:
                raise _unknown(response_id)
            self._responses.move_to_end((owner, response_id))
            return found

    def previous(self, owner: str, response_id: str | None) -> tuple[JsonObject, ...]:
        """Return the conversation that a request continues. Empty if it names no response.

        Raises:
            RequestFault: There is no such response, or it was forgotten.
        """
        if response_id is None:
            return ()
        try:
            return self.find(owner, response_id).messages
        except RequestFault:
            message = (
                f"previous_response_id: there is no response {response_id[:80]!r}. {_FORGOTTEN} "
                "Send the whole conversation as `input`."
            )
            raise RequestFault(400, message, "previous_response_not_found", "previous_response_id") from None

    def items(self, owner: str, items: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the items of an input, with the items of stored responses instead of references to them.

        Raises:
            RequestFault: There is no such item, it was forgotten, or it is named twice.
        """
        outputs = cache(partial(self._output, owner))
        named: set[str] = set()
        return [self._item(item, index, outputs, named) for index, item in enumerate(items)]

    def _output(self, owner: str, response_id: str) -> dict[str, dict[str, Any]]:
        """Return the items of a response by their ids. Empty if there is no such response."""
        with self._lock:
            stored = self._responses.get((owner, response_id))
        output = cast(list[dict[str, Any]], stored.document["output"]) if stored else []
        return {item["id"]: item for item in output}

    def _item(
        self,
        item: dict[str, Any],
        index: int,
        outputs: Callable[[str], Mapping[str, dict[str, Any]]],
        named: set[str],
    ) -> dict[str, Any]:
        item_id = item.get("id")
        if (
            (item.get("type") or "item_reference") != "item_reference"
            or "role" in item
            or not isinstance(item_id, str)
        ):
            return item
        place = f"input[{index}]"
        if item_id in named:
            # A short input could otherwise become a conversation of any size.
            raise RequestFault(
                400, f"{place}: the item {item_id[:80]!r} is named twice.", "invalid_value", place
            )
        named.add(item_id)
        # The id of an item has that of its response, then its number in four digits.
        found = outputs(f"resp_{item_id.partition('_')[2][:-4]}").get(item_id)
        if found is None:
            message = f"{place}: there is no item {item_id[:80]!r}. {_FORGOTTEN} Send the item itself."
            raise RequestFault(400, message, "item_not_found", place)
        return found

    def delete(self, owner: str, response_id: str) -> None:
        """Forget a response of an owner.

        Raises:
            RequestFault: There is no such response.
        """
        with self._lock:
            found = self._responses.pop((owner, response_id), None)
            if found is None:
                raise _unknown(response_id)
            self._bytes -= len(found.data)


def _unknown(response_id: str) -> RequestFault:
    return RequestFault(404, f"There is no response {response_id[:80]!r}.", "response_not_found")


def owner_key(services: Services) -> str:
    """Return what the responses of an owner are remembered by. Keys of one account share them."""
    return services.owner.key or ""
