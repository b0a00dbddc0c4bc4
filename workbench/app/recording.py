"""Record the requests of clients as sessions.

Recording must never disturb a client: whatever goes wrong is logged and counted, and the client gets its answer. The id
of the session is known before the model answers, so that it can be sent in a header before the answer is streamed.
"""

import logging
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Final

from workbench.app.services import Services
from workbench.records.exchanges import (
    LONGEST_NAME,
    ClientAnswer,
    ClientRequest,
    RecordedAnswer,
    RequestPath,
    sent_of,
)
from workbench.records.owner import Owner
from workbench.rollout.events import CompletionEnded

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingCounts:
    """What was recorded since the server started."""

    answers: int = 0
    """Answers that were stored, or were stored before."""
    messages: int = 0
    """Messages that were stored."""
    failures: int = 0
    """Requests and answers that could not be stored."""
    last_failure: str = ""
    """Why the last of them could not be stored. Empty if there are none."""


@dataclass(slots=True)
class _Pending:
    """A session that requests without an answer belong to."""

    session_id: str
    requests: int = 1


class Recorder:
    """Records requests and their answers. Thread-safe; one for all owners.

    Requests without an answer are not stored yet. They are remembered here, so that two requests of one conversation
    that run at the same time are recorded in the same session.

    Args:
        tag: Tag of the recorded sessions. Empty tags none.
    """

    def __init__(self, tag: str = "") -> None:
        self.tag: Final = tag.strip()
        self._pending: dict[tuple[str, ...], _Pending] = {}
        self._counts = RecordingCounts()
        self._lock = Lock()

    @property
    def counts(self) -> RecordingCounts:
        """What was recorded so far."""
        return self._counts

    @contextmanager
    def recording(self, services: Services, request: ClientRequest) -> Generator["ExchangeRecording"]:
        """Record one request, from before it is answered until the context ends.

        Args:
            services: The services of the owner.
            request: The request. The recorder sets its tag.
        """
        request = replace(
            request,
            client=request.client.strip()[:LONGEST_NAME],
            session_name=request.session_name.strip()[:LONGEST_NAME],
            tag=self.tag,
        )
        session_id, keys = "", ()
        try:
            session_id, keys = self._begin(services, request)
        except Exception as error:  # noqa: BLE001 - recording must not disturb the client
            self._count_failure(error)
        try:
            yield ExchangeRecording(recorder=self, services=services, request=request, session_id=session_id)
        finally:
            self._end(keys)

    def store(
        self, services: Services, session_id: str, request: ClientRequest, answer: ClientAnswer
    ) -> RecordedAnswer | None:
        """Store an answer. Return None if that failed."""
        try:
            recorded = services.recordings.record(session_id, request, answer)
        except Exception as error:  # noqa: BLE001 - recording must not disturb the client
            self._count_failure(error)
            return None
        with self._lock:
            counts = self._counts
            self._counts = replace(
                counts, answers=counts.answers + 1, messages=counts.messages + recorded.stored
            )
        return recorded

    def _begin(
        self, services: Services, request: ClientRequest
    ) -> tuple[str, tuple[tuple[str, ...], ...]]:
        """Return the session of a request, and the keys under which the request is remembered."""
        keys = _keys(services.owner, request)
        with self._lock:
            # The store is asked while others wait, so that two equal requests do not both begin a session.
            known = next((self._pending[key].session_id for key in keys if key in self._pending), None)
            session_id = known or services.recordings.find_session(request) or secrets.token_hex(16)
            for key in keys:
                pending = self._pending.get(key)
                if pending is None:
                    self._pending[key] = _Pending(session_id)
                else:
                    pending.requests += 1
        return session_id, keys

    def _end(self, keys: tuple[tuple[str, ...], ...]) -> None:
        with self._lock:
            for key in keys:
                self._pending[key].requests -= 1
                if not self._pending[key].requests:
                    del self._pending[key]

    def _count_failure(self, error: Exception) -> None:
        _LOG.warning("a request could not be recorded: %s", error)
        with self._lock:
            self._counts = replace(
                self._counts, failures=self._counts.failures + 1, last_failure=str(error)
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeRecording:
    """The recording of one request and its answers."""

    recorder: Recorder = field(repr=False)
    services: Services = field(repr=False)
    request: ClientRequest
    session_id: str
    """The session that the answers are recorded in. Empty if the request cannot be recorded."""

    def end(self, answer: ClientAnswer) -> RecordedAnswer | None:
        """Store an answer. Several answers to one request become branches.

        Returns:
            Where it is stored, or None if it could not be stored.
        """
        if not self.session_id:
            return None
        return self.recorder.store(self.services, self.session_id, self.request, answer)

    def end_completion(self, completion: CompletionEnded) -> RecordedAnswer | None:
        """Store a completion of which the client got all prose and calls. See `end`."""
        sent = sent_of(completion.reading)
        return self.end(
            ClientAnswer(message=completion.message, generation=completion.generation, sent=sent)
        )


def _keys(owner: Owner, request: ClientRequest) -> tuple[tuple[str, ...], ...]:
    """Return the keys under which a request is remembered: its conversation, or the session that it names."""
    scope = owner.key or ""
    if request.session_name:
        return ((scope, "name", request.session_name),)
    path: RequestPath = request.path_of(scope)
    return ((scope, "path", path.system_hash, path.request_hash),)
