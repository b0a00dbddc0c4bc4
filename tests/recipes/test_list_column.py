"""The recipe for a column of a list, followed in a copy of the checkout."""

from collections.abc import Callable

import pytest

from tests.recipes.checkout_copy import CheckoutCopy

pytestmark = [pytest.mark.slow, pytest.mark.long]

FIELD = """    answer_count: int = 0
    \"\"\"Messages that the model wrote.\"\"\"
"""
QUERY = """def _answer_count() -> ScalarSelect[int]:
    \"\"\"Return an expression for the number of messages that the model wrote.\"\"\"
    is_answer = col(MessageRow.role) == "assistant"
    of_session = col(MessageRow.session_id) == col(SessionRow.id)
    query = select(func.count()).select_from(MessageRow).where(of_session, is_answer)
    return query.correlate(SessionRow).scalar_subquery()


"""
SHOWN_FIELD = """    answers: str = ""
    \"\"\"The number of answers, in words.\"\"\"
"""
TEST = """def test_a_session_shows_its_number_of_answers():
    found = _session(1, timedelta(hours=1))
    listed = replace(found.session, answer_count=2)
    (row,) = show_sessions([replace(found, session=listed)], open_id=None, now=NOW).rows
    assert row.answers == "2 answers"


"""
STORE_TEST = '''"""The list of sessions counts answers."""

from tests.store.examples import SETUP, completion, user
from workbench.store.sessions.sessions import SessionStore


def test_answers_are_counted(store: SessionStore) -> None:
    session, parent_id = store.create_session(SETUP), None
    for message in (user("Hi"), completion("Hello."), user("Bye"), completion("Bye.")):
        parent_id = store.append(session.id, message, parent_id=parent_id).id
    (listed,) = store.list_sessions()
    assert (listed.message_count, listed.answer_count) == (4, 2)
'''


def test_a_column_of_a_list(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy, store = copy_for("A column of a list"), "workbench/store/sessions/session_list.py"
    copy.insert(
        "workbench/records/sessions.py",
        FIELD,
        before='    client: str | None = None\n    """The client of the last',
    )
    copy.insert(store, "_answer_count(), ", before="_message_count(), _client())")
    copy.insert(store, "answer_count, ", before="message_count, client in found")
    copy.insert(
        store, "            answer_count=answer_count,\n", before="            message_count=message_count,"
    )
    copy.insert(store, QUERY, before="def _client()")
    present = "workbench/ui/present/sessions.py"
    copy.insert(present, SHOWN_FIELD, before="    can_delete: bool = True")
    copy.insert(
        present,
        '        answers=f"{session.answer_count} answers",\n',
        before="        can_delete=session.is_own,",
    )
    copy.python("-m", "tests.ui.script_types")
    copy.insert(
        "workbench/ui/scripts/play/sessions.js",
        '      node("span", { class: "hw-note" }, row.answers),\n',
        before="      row.snippet.length",
    )
    copy.insert("tests/ui/present/test_sessions.py", TEST, before="def test_a_session_from_the_future")
    copy.write("tests/store/test_answer_count.py", STORE_TEST)
    tests = (
        "tests/ui/present/test_sessions.py",
        "tests/store/test_answer_count.py",
        "tests/ui/test_script_types.py",
    )
    assert copy.run_tests(*tests, "-m", "not postgres") > 5
