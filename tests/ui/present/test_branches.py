"""A session's branches as a small tree, with how far answers agree and what was deleted."""

from dataclasses import replace

from tests.services import services_for
from workbench.app.branches import branches_of
from workbench.app.prepare import TurnContext
from workbench.app.regenerate import ResumePoint
from workbench.app.samples import Sample, agreement_of, draw_samples
from workbench.chat.message import Role, ToolCall
from workbench.records.sessions import DeletedMessages
from workbench.ui.present.branches import LABEL_CHARS, agreement_words, ask_branches, show_branches

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "%s"}}\n</tool_call>'


def made(services, session):
    kept = services.sessions.find_session(session)
    tree = services.sessions.tree(session)
    material = services.corpus.material(session)
    tools = kept.setup.offered_tools()
    return tree, branches_of(tree, material, tools, shown_id=kept.leaf_id), kept.leaf_id


def test_a_session_without_branches_has_no_tree(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, play):
        tree, made_of, leaf = made(services, play("Hi"))
        assert (made_of.branches, made_of.leaf_count, made_of.agreement) == ((), 1, None)
        assert ask_branches(tree, leaf).summary == ""


def test_answers_that_part_are_rows_and_their_agreement_is_told(tmp_path):
    script = (CALL % "cairo", "31.", CALL % "london", "27.", CALL % "cairo", "It is 31.", "Bye.")
    with services_for(tmp_path, *script) as (services, play):
        session = play("Reading?")
        setup = services.sessions.find_session(session).setup
        user = services.sessions.path(session)[1]
        context = TurnContext(is_cancelled=lambda: False)
        list(draw_samples(services, session, setup, ResumePoint(message_id=user.id), context, count=3))
        play("Thanks", session)
        tree, made_of, leaf = made(services, session)
        view = show_branches(made_of, leaf)
        assert ask_branches(tree, leaf).summary == view.summary == "3 branches"
        assert view.agreement == '2 of 3 answers agree (67 %): get_flumbuster {"flumb": "cairo"}'
        assert [row.label for row in view.rows] == [
            f'get_flumbuster {{"flumb": "{city}"}}' for city in ("cairo", "london", "cairo")
        ]
        assert [row.is_open for row in view.rows] == [False, False, True]
        assert view.rows[0].note == "3 messages · 2 of 3 alike"
        assert view.rows[2].note == "5 messages · 2 of 3 alike"


def test_branches_of_a_branch_stand_below_it(tmp_path):
    with services_for(tmp_path, "One.", "Two.", "Three.") as (services, play):
        session = play("a")
        first = services.sessions.path(session)
        play("b", session)
        services.sessions.open_leaf(session, first[2].id)
        play("c", session)
        _, made_of, leaf = made(services, session)
        rows = show_branches(made_of, leaf).rows
        assert [(row.role, row.depth, row.label) for row in rows] == [("user", 0, "b"), ("user", 0, "c")]
        assert made_of.agreement is None


def test_long_and_hostile_labels_are_cut_to_one_line():
    call = ToolCall(name="f" * 500, arguments={"x\n": "<b>"})
    sample = Sample(message_id="1", leaf_id="1", calls=(call,), text="")
    agreement = agreement_of([sample, replace(sample, message_id="2")])
    told = agreement_words(agreement)
    assert "\n" not in told and len(told) < LABEL_CHARS + 60


def test_arguments_agree_whatever_the_order_of_their_keys():
    calls = [
        ToolCall(name="f", arguments=made_of) for made_of in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 2})
    ]
    samples = [Sample(message_id=str(n), leaf_id="", calls=(one,), text="") for n, one in enumerate(calls)]
    agreement = agreement_of(samples)
    assert (agreement.agreeing, agreement.count) == (2, 3)
    assert agreement_of(samples[:1]) is None


def test_what_was_deleted_can_be_seen_and_named(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, play):
        tree, _, leaf = made(services, play("Hi"))
        gone = DeletedMessages(message_id="1", role=Role.ASSISTANT, excerpt="Some\nwords", count=3)
        view = ask_branches(tree, leaf, [gone])
        assert view.summary == "3 messages deleted"
        assert view.deleted[0].label == "model: Some words and 2 behind it"
