"""The tree of branches, with the agreement of answers and the deleted messages."""

from dataclasses import replace

from tests.services import services_for
from workbench.app.branches import branches_of
from workbench.app.samples import Sample, agreement_of
from workbench.app.turn_request import ResumePoint, TurnRequest
from workbench.app.turns import draw_samples
from workbench.chat.message import Role, ToolCall
from workbench.records.sessions import DeletedMessages
from workbench.ui.present.branches import LABEL_CHARS, agreement_words, ask_branches, show_branches

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "%s"}}\n</tool_call>'


def tree_of(services, session_id):
    session = services.sessions.find_session(session_id)
    tree = services.sessions.tree(session_id)
    material = services.corpus.material(session_id)
    tools = session.setup.offered_tools()
    return tree, branches_of(tree, material, tools, shown_id=session.leaf_id), session.leaf_id


def test_a_session_without_branches_has_no_tree(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, play):
        tree, branch_tree, leaf = tree_of(services, play("Hi"))
        assert (branch_tree.branches, branch_tree.leaf_count, branch_tree.agreement) == ((), 1, None)
        assert ask_branches(tree, leaf).summary == ""


def test_alternative_answers_are_rows_and_their_agreement_is_shown(tmp_path):
    script = (CALL % "cairo", "31.", CALL % "london", "27.", CALL % "cairo", "It is 31.", "Bye.")
    with services_for(tmp_path, *script) as (services, play):
        session = play("Reading?")
        setup = services.sessions.find_session(session).setup
        user = services.sessions.path(session)[1]
        request = TurnRequest(setup=setup, session_id=session, samples=3)
        list(draw_samples(services, request, ResumePoint(message_id=user.id)))
        play("Thanks", session)
        tree, branch_tree, leaf = tree_of(services, session)
        view = show_branches(branch_tree, leaf)
        assert ask_branches(tree, leaf).summary == view.summary == "3 branches"
        assert view.agreement == '2 of 3 answers agree (67 %): get_flumbuster {"flumb": "cairo"}'
        assert [row.label for row in view.rows] == [
            f'get_flumbuster {{"flumb": "{city}"}}' for city in ("cairo", "london", "cairo")
        ]
        assert [row.is_open for row in view.rows] == [False, False, True]
        assert view.rows[0].note == "3 messages · 2 of 3 agree"
        assert view.rows[2].note == "5 messages · 2 of 3 agree"


def test_branches_of_the_same_message_have_the_same_depth(tmp_path):
    with services_for(tmp_path, "One.", "Two.", "Three.") as (services, play):
        session = play("a")
        first = services.sessions.path(session)
        play("b", session)
        services.sessions.open_leaf(session, first[2].id)
        play("c", session)
        _, branch_tree, leaf = tree_of(services, session)
        rows = show_branches(branch_tree, leaf).rows
        assert [(row.role, row.depth, row.label) for row in rows] == [("user", 0, "b"), ("user", 0, "c")]
        assert branch_tree.agreement is None


def test_long_and_hostile_labels_are_cut_to_one_line():
    call = ToolCall(name="f" * 500, arguments={"x\n": "<b>"})
    sample = Sample(message_id="1", leaf_id="1", calls=(call,), text="")
    agreement = agreement_of([sample, replace(sample, message_id="2")])
    line = agreement_words(agreement)
    assert "\n" not in line and len(line) < LABEL_CHARS + 60


def test_arguments_agree_in_any_order_of_their_keys():
    calls = [
        ToolCall(name="f", arguments=arguments)
        for arguments in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 2})
    ]
    samples = [Sample(message_id=str(n), leaf_id="", calls=(call,), text="") for n, call in enumerate(calls)]
    agreement = agreement_of(samples)
    assert (agreement.agreeing, agreement.count) == (2, 3)
    assert agreement_of(samples[:1]) is None


def test_deleted_messages_are_listed_with_their_text(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, play):
        tree, _, leaf = tree_of(services, play("Hi"))
        deleted = DeletedMessages(message_id="1", role=Role.ASSISTANT, excerpt="Some\nwords", count=3)
        view = ask_branches(tree, leaf, [deleted])
        assert view.summary == "3 messages deleted"
        assert view.deleted[0].label == "model: Some words and 2 more"
