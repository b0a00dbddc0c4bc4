"""Whether the call that a label speaks of is there."""

from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.hermes.parse import parse
from workbench.records.labels.label import Target


def check_call(services: Services, target: Target) -> None:
    """Refuses a label of a call that the message's reading does not have; all else is the store's to say.

    Raises:
        BadInput: The message has fewer calls.
        StoreError: There is no such session or message, or it cannot be read.
    """
    if target.call_index is None:
        return
    message = services.sessions.path(target.session_id, leaf_id=target.message_id)[-1].message
    call_count = len(message.calls or parse(message.text).calls)
    if target.call_index >= call_count:
        raise BadInput(
            f"label of {target}",
            f"the message has {call_count} calls",
            "name one by its place from 0, or leave --call out",
        )
