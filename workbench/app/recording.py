"""Record the requests of clients as sessions.

Recording must never disturb a client: whatever goes wrong is logged and counted, and the client gets its answer. So
answers are written by a thread of their own. The session of a request is known before the model answers, and its id can
be sent in a header before the answer is streamed.

What waits to be written is not in the store yet. So the sessions of recent requests are remembered here, by the path
hashes of the requests and of their answers. This also puts two requests of one conversation that run at the same time
into the same session, and saves most lookups in the store.
"""

import logging
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from queue import Full, Queue
from threading import Lock, Thread
from typing import Final

from workbench.app.services import Services
from workbench.errors import StoreError
from workbench.names import usable_tags
from workbench.records.exchanges import (
    LONGEST_NAME,
    ClientAnswer,
    ClientRequest,
    RequestPath,
    kept_hash,
    next_hash,
)
from workbench.store.storable import refuse_unstorable

_LOG: Final = logging.getLogger(__name__)
MOST_KNOWN: Final = 20_000
"""How many path hashes are remembered, the most recently used ones."""
MOST_WAITING: Final = 1_000
"""How many answers may wait to be written. A client that adds another one waits."""
WAITING_S: Final = 5.0
"""How long it waits. Then its answer is not recorded."""
_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingCounts:
    """What was recorded since the server started."""

    answers: int = 0
    """Answers that were stored, or that were stored already."""
    messages: int = 0
    """Messages that were stored."""
    failures: int = 0
    """Requests and answers that could not be stored."""
    last_failure: str = ""
    """Why the last of them could not be stored. Empty if there are none."""


class _KnownSessions:
    """The sessions of recent requests by path hash. Not thread-safe."""

    def __init__(self) -> None:
        self._ids: OrderedDict[_Key, str] = OrderedDict()

    def find(self, scope: str, path: RequestPath) -> tuple[int, str] | None:
        """Return the session with the longest part of a request, and the length of the part.

        Of the parts with the same number of answers, one with the same system text comes first.
        """
        found: tuple[int, _Key] | None = None
        for depth in range(len(path.hashes) - 1, path.first_user - 1, -1):
            if found and path.answers[depth] < path.answers[found[0]]:
                break
            key: _Key = (scope, path.hashes[depth], path.system_hash)
            if key in self._ids:
                found = depth, key
                break
            if found is None and depth >= path.first_answer and key[:2] in self._ids:
                found = depth, key[:2]
        if found is None:
            return None
        self._ids.move_to_end(found[1])
        return found[0], self._ids[found[1]]

    def add(self, scope: str, path_hash: str, system_hash: str, session_id: str) -> None:
        """Remember the session of a message."""
        for key in ((scope, path_hash, system_hash), (scope, path_hash)):
            self.add_key(key, session_id)

    def find_key(self, key: _Key) -> str | None:
        """Return the session of a key."""
        return self._ids.get(key)

    def add_key(self, key: _Key, session_id: str) -> None:
        """Remember the session of a key."""
        self._ids[key] = session_id
        self._ids.move_to_end(key)
        if len(self._ids) > MOST_KNOWN:
            self._ids.popitem(last=False)


class Recorder:
    """Records requests and their answers. Thread-safe; one for all owners. Close it to write what is waiting.

    Args:
        tag: Tag of the recorded sessions. Empty tags none.
    """

    def __init__(self, tag: str = "") -> None:
        self.tag: Final = "".join(usable_tags([tag]))
        self._known = _KnownSessions()
        self._counts = RecordingCounts()
        self._lock = Lock()
        self._waiting: Queue[_Waiting | None] = Queue(MOST_WAITING)
        self._writer: Thread | None = None

    @property
    def counts(self) -> RecordingCounts:
        """What was recorded so far."""
        return self._counts

    def begin(self, services: Services, request: ClientRequest) -> "ExchangeRecording":
        """Find the session of a request, before it is answered. Nothing is stored until `ExchangeRecording.end`.

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
        try:
            # Otherwise the answer would name a session that is never written.
            refuse_unstorable(request, "request")
            with self._lock:
                # Others wait meanwhile, so that two equal requests do not both begin a session.
                session_id = self._session_of(services, request)
        except Exception as error:  # noqa: BLE001 - recording must not disturb the client
            self._count_failure(error)
            session_id = ""
        return ExchangeRecording(recorder=self, services=services, request=request, session_id=session_id)

    def add(self, recording: "ExchangeRecording", answer: ClientAnswer) -> None:
        """Let an answer be written."""
        services, request = recording.services, recording.request
        path = request.path
        try:
            with self._lock:
                scope, answer_hash = _scope(services, request), next_hash(path.request_hash, answer.sent)
                self._known.add(scope, answer_hash, path.system_hash, recording.session_id)
                for before in request.conversation[-1:]:
                    kept = (scope, "kept", kept_hash(before, answer.sent), path.system_hash)
                    self._known.add_key(kept, recording.session_id)
                if self._writer is None:
                    self._writer = Thread(target=self._write_all, name="recorder", daemon=True)
                    self._writer.start()
            self._waiting.put(_Waiting(recording, answer), timeout=WAITING_S)
        except Full:
            self._count_failure(
                StoreError(f"{MOST_WAITING:,} answers wait to be written; the disk is too slow")
            )
        except Exception as error:  # noqa: BLE001 - recording must not disturb the client
            self._count_failure(error)

    def flush(self) -> None:
        """Wait until all answers so far are written."""
        self._waiting.join()

    def close(self) -> None:
        """Write all answers so far, and end the thread that writes them."""
        with self._lock:
            writer, self._writer = self._writer, None
        if writer is not None:
            self._waiting.put(None)
            writer.join()

    def _session_of(self, services: Services, request: ClientRequest) -> str:
        """Return the session of a request, and remember it."""
        scope, path = _scope(services, request), request.path
        if request.session_name:
            key = (scope, "name", request.session_name, "")
            # The name may be the id of a session that is not written yet.
            known = self._known.find_key(key) or self._known.find_key((scope, "id", request.session_name, ""))
            if known is None:
                found = services.recordings.find_session(request)
                known = found.session_id if found else secrets.token_hex(16)
            self._known.add_key(key, known)
        else:
            depth, known = self._known.find(scope, path) or (0, "")
            # A short part may be known, and a longer one only stored.
            if not known or depth < len(path.hashes) - 1 - _FEW:
                found = services.recordings.find_session(request)
                if found is not None and found.depth > depth:
                    known = found.session_id
                elif not known:
                    known = self._compacted(scope, request) or (found.session_id if found else "")
        session_id = known or secrets.token_hex(16)
        self._known.add(scope, path.request_hash, path.system_hash, session_id)
        self._known.add_key((scope, "id", session_id, ""), session_id)
        return session_id

    def _compacted(self, scope: str, request: ClientRequest) -> str:
        """Return the session that has what the client kept of it. Empty if it is not known, or not recently used."""
        keys = [(scope, "kept", kept, request.path.system_hash) for kept in request.kept_hashes]
        known = next(filter(None, map(self._known.find_key, keys)), "")
        if known:
            # What begins like this summary is another part of the same conversation.
            for key in keys:
                self._known.add_key(key, known)
        return known

    def _write_all(self) -> None:
        for waiting in iter(self._waiting.get, None):
            self._write(waiting.recording, waiting.answer)
            self._waiting.task_done()
        self._waiting.task_done()

    def _write(self, recording: "ExchangeRecording", answer: ClientAnswer) -> None:
        services, request, session_id = recording.services, recording.request, recording.session_id
        path = request.path
        try:
            recorded = services.recordings.record(session_id, request, answer)
        except Exception as error:  # noqa: BLE001 - the thread must go on
            self._count_failure(error)
            return
        with self._lock:
            if recorded.session_id != session_id:
                answer_hash = next_hash(path.request_hash, answer.sent)
                scope = _scope(services, request)
                for path_hash in (path.request_hash, answer_hash):
                    self._known.add(scope, path_hash, path.system_hash, recorded.session_id)
                if request.session_name:
                    key = (scope, "name", request.session_name, "")
                    self._known.add_key(key, recorded.session_id)
            self._counts = replace(
                self._counts,
                answers=self._counts.answers + 1,
                messages=self._counts.messages + recorded.stored,
            )

    def _count_failure(self, error: Exception) -> None:
        _LOG.warning("A request was not recorded: %s", error)
        with self._lock:
            self._counts = replace(self._counts, failures=self._counts.failures + 1, last_failure=str(error))


_FEW: Final = 8
"""How many messages a request usually adds at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeRecording:
    """The recording of one request and its answers."""

    recorder: Recorder = field(repr=False)
    services: Services = field(repr=False)
    request: ClientRequest
    session_id: str
    """The session that the answers are recorded in. Empty if the request cannot be recorded."""

    def end(self, answer: ClientAnswer) -> None:
        """Record an answer. Several answers to one request become branches."""
        if self.session_id:
            self.recorder.add(self, answer)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An answer that waits to be written."""

    recording: ExchangeRecording
    answer: ClientAnswer


def _scope(services: Services, request: ClientRequest) -> str:
    """Return what requests have in common that may share a session: owner, model and contract."""
    return "\n".join((services.owner.key or "", request.setup.model, request.setup.contract_name))
