"""The generations of kept sessions as a recording that `replay:FILE` answers from."""

import json
from collections.abc import Sequence

from workbench.app.export import Export, choice_of
from workbench.app.services import Services
from workbench.library.datasets.session_export import chosen_ids
from workbench.records.corpus.material import Choice
from workbench.rollout.ports import FinishReason
from workbench.rollout.recording import recording_row


def export_recording(services: Services, session_ids: Sequence[str] | None = None) -> Export:
    """Each finished generation on the open path of each session, a line each.

    Args:
        services: The edges.
        session_ids: Which; None takes all that nobody discarded.

    Raises:
        BadInput: There is no session of such an id.
        StoreError: The store cannot be read.
    """
    return record(services, choice_of(services, session_ids))


def record(services: Services, choice: Choice) -> Export:
    """The same of a choice of sessions.

    Raises:
        StoreError: The store cannot be read.
    """
    lines: list[str] = []
    left_out: list[str] = []
    for session_id in chosen_ids(services.corpus, choice):
        for kept in services.sessions.path(session_id):
            generation = kept.generation
            if generation is None:
                continue
            if generation.finish_reason in (FinishReason.CANCELLED, FinishReason.INTERRUPTED):
                left_out.append(
                    f"session {session_id}: a completion was not finished ({generation.finish_reason})"
                )
                continue
            row = recording_row(generation, kept.message)
            lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return Export(text="".join(lines), row_count=len(lines), left_out=tuple(left_out))
