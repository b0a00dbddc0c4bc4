"""Many turns, one store: nothing is lost, nothing grows beyond its messages."""

import psutil
import pytest

from tests.services import services_for

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]
TURNS = 1000
CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


def test_a_thousand_turns_keep_every_message_and_little_memory(tmp_path):
    with services_for(tmp_path, CALL, "The reading is 31.") as (services, play):
        session_ids = []
        for number in range(TURNS):
            if number == TURNS // 10:
                early = psutil.Process().memory_info().rss
            session_ids.append(play(f"Question {number}?"))
        late = psutil.Process().memory_info().rss
        for number, session_id in enumerate(session_ids):
            texts = [kept.message.text for kept in services.sessions.path(session_id)]
            assert texts[1:3] == [f"Question {number}?", CALL]
            assert texts[-1] == "The reading is 31."
        assert late - early < 64 * 2**20
