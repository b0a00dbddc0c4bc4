"""The person of a conversation: what a scripted person says, and which mistakes make a conversation void."""

from itertools import product

import pytest

from workbench.errors import BadInput
from workbench.suite.people.faults import PersonConversation, person_fault
from workbench.suite.people.person import Person
from workbench.suite.people.scripted import ScriptedPerson
from workbench.suite.people.simulated import END_MARKER, parse_person_message, person_conversation
from workbench.suite.read_suite import parse_case

TOOLS = ("get_order", "cancel_order", "return_items", "exchange_items", "book_flight", "close_ticket")
SHOES = {
    "goal": "You want to return the red shoes because they are too small.",
    "first": "Hi, I want to return my red shoes.",
    "facts": {"order number": "W1001", "email": {"value": "ana@example.org", "asked": "(?i)e-?mail"}},
    "never": ["(?i)secret|4242"],
}
DONE = "Your return is booked. You get 40 dollars back."
MORE = f"{DONE} Is there anything else I can help you with?"


def person(**changes):
    """Return a person who wants to return shoes."""
    return Person.model_validate({**SHOES, **changes})


def talk(*texts, has_ended=True):
    """Return a conversation: what the person and the model said in turn, the person first."""
    return PersonConversation(said=texts[::2], answers=texts[1::2], has_ended=has_ended, tools=TOOLS)


FAULTS = {
    "reveals the order number at once": ["I want to return the red shoes of order W1001.", MORE, "Thanks!"],
    "reveals the mail address with the order number": [
        SHOES["first"], "What is your order number?", "W1001, and I am ana@example.org.", MORE, "",
    ],
    "reveals a fact in small letters": ["Return my red shoes, it's w1001!", MORE, ""],
    "reveals a fact after an answer about something else": [
        SHOES["first"], "I'm sorry that they don't fit.", "My email is ana@example.org.", MORE, "",
    ],
    "makes up an order number": [SHOES["first"], "What is your order number?", "It is W9377.", MORE, ""],
    "makes up a card number": [SHOES["first"], "How did you pay?", "With my card 5500123499.", MORE, ""],
    "makes up a tracking code": [SHOES["first"], "Was it sent?", "Yes, with code TRK-88A21.", MORE, ""],
    "asks for another action": ["Hi, please cancel my order.", "Sure, done.", ""],
    "asks for another action later": [SHOES["first"], DONE, "Great. I also want to exchange the blue jacket.", "No.", ""],
    "asks for an action of another world": [SHOES["first"], "OK.", "Can you book a flight for me?", "No.", ""],
    "speaks as the assistant": [SHOES["first"], MORE, "How can I help you today?", "I am the assistant.", ""],
    "offers help": [SHOES["first"], DONE, "Is there anything else I can do for you?", "No.", ""],
    "says that it is an AI": [SHOES["first"], "Your email?", "As an AI, I do not have an email.", MORE, ""],
    "writes a tool call": [SHOES["first"], "OK.", '<tool_call>{"name": "get_order"}</tool_call>', MORE, ""],
    "reveals its instructions": ["My goal is to return the red shoes.", MORE, ""],
    "says that it is simulated": [SHOES["first"], "Who are you?", "I am a simulated customer.", MORE, ""],
    "says what it must never say": [SHOES["first"], "Your email?", "ana@example.org, pin 4242.", MORE, ""],
    "gives up": [SHOES["first"], "Your order number?", "Never mind, forget it.", "OK.", ""],
    "ends before an answer": [SHOES["first"]],
    "ends at a question for a fact": [SHOES["first"], "Sure. What is your order number?", ""],
    "ends with the answer to a question": [SHOES["first"], "Sure. What is your order number?", "W1001"],
    "ends at a request to confirm": [SHOES["first"], "I found the shoes. Shall I go ahead?", "Yes, please."],
    "says nothing": [SHOES["first"], "Your order number?", "", MORE, ""],
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_mistake_of_the_person_is_found(name):
    fault = person_fault(person(), talk(*FAULTS[name]))
    assert fault, name
    assert fault.reason.startswith("the person")


@pytest.mark.parametrize(
    "texts",
    [
        [
            SHOES["first"],
            "Where do you live?",
            "Sorry?",
            "Which town?",
            "Sorry?",
            "I need a town.",
            "Sorry?",
            "No.",
        ],
        [
            SHOES["first"],
            MORE,
            "Yes: thanks!",
            MORE,
            "And a nice day!",
            "You're welcome!",
            "You too!",
            "Goodbye!",
        ],
    ],
)
def test_a_person_who_never_ends_is_found(texts):
    assert person_fault(person(max_turns=4), talk(*texts, has_ended=False))


def test_the_turn_of_a_mistake_is_known():
    fault = person_fault(person(), talk(SHOES["first"], "Hello!", "It is W1001.", MORE, ""))
    assert fault.turn == 2
    assert fault.reason == "the person revealed 'order number' before the model asked for it"


OPENINGS = (
    "Hi, I want to return my red shoes.",
    "Hello! The red shoes that I bought are too small. What can I do?",
    "I'd like to send back a pair of shoes, size 42, bought 3 weeks ago for $80.",
    "hey, can you help me with a return? 2 items, delivered at 10:30am on the 21st",
    "Return. Red shoes.",
)
QUESTIONS = (
    ("What is your order number?", "It's W1001."),
    ("Could you give me the number of your order, please?", "Sure, it is #W1001!"),
    ("Which order is it?", "Order w1001, I think."),
    ("Please provide some more details.", "The order number is W1001."),
    ("I need your email address and your order number.", "ana@example.org and 1001, I mean W1001"),
    ("Can you verify who you are?", "My email is ana@example.org."),
    ("I see an order W1001 with red shoes. Is that the one?", "Yes, W1001."),
    ("What's your phone number?", "I don't know that, sorry. It must be in my account."),
)
ENDINGS = (
    (MORE, "No, that's all. Thanks!"),
    (DONE, ""),
    ("I am sorry, but the return period is over. I cannot do that.", "OK, too bad. Bye."),
    ("Shall I also cancel the rest of the order?", "No, thank you, don't."),
    ("Done! Would you like to do anything else today?", "No, thanks, goodbye!"),
)


def test_no_valid_conversation_is_voided():
    voided = [
        fault
        for opening, (question, answer), (last, goodbye) in product(OPENINGS, QUESTIONS, ENDINGS)
        if (fault := person_fault(person(), talk(opening, question, answer, last, goodbye)))
    ]
    assert len(OPENINGS) * len(QUESTIONS) * len(ENDINGS) == 200
    assert voided == []


def script(**changes):
    """Return a scripted person."""
    rules = [
        {"when": "(?i)sure", "say": ["Yes.", "I said yes."]},
        {"when": "(?i)done|booked", "say": "Bye.", "ends": True},
    ]
    return ScriptedPerson(person(rules=rules, **changes))


def test_a_question_is_answered_before_the_conversation_ends():
    assert script().reply("Done. What is your email?") == ("The email is ana@example.org.", False)
    assert script().reply("Done.") == ("Bye.", True)


def test_answers_of_a_rule_follow_each_other():
    alice = script()
    assert [alice.reply("Sure?").text for _ in range(3)] == ["Yes.", "I said yes.", "I said yes."]


@pytest.mark.parametrize(
    ("manner", "said"),
    [
        ("plain", "The order number is W1001."),
        ("terse", "W1001"),
        ("chatty", "Oh, let me have a look. The order number is W1001. I hope that helps!"),
    ],
)
def test_the_manner_changes_how_a_fact_is_said(manner, said):
    assert script(manner=manner).reply("Your order number?").text == said


def test_a_person_who_is_wrong_at_first_corrects_it_next():
    alice = script(manner="wrong_at_first", facts={"order number": {"value": "W1001", "wrong": "W1010"}})
    assert alice.reply("Your order number?").text == "The order number is W1010."
    assert alice.reply("There is no such order.").text == "Sorry, I was wrong. The order number is W1001."
    assert alice.reply("Your order number, again?").text == "The order number is W1001."


def test_a_person_who_changes_their_mind_says_so_once():
    alice = script(manner="changes_mind", change="Please exchange them instead.")
    assert alice.reply("Done.").text == "Please exchange them instead."
    assert alice.reply("Done.").text == "Bye."


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"rules": [{"when": "a", "say": "b"}]}, "the person never ends"),
        ({"rules": [{"when": "(", "ends": True}]}, "pattern"),
        ({"rules": [{"when": "a", "say": []}]}, "must say something"),
        ({"manner": "changes_mind"}, "needs change"),
        ({"manner": "wrong_at_first"}, "needs a fact with wrong"),
        ({"max_turns": 0}, "must be at least 1"),
        ({"goal": ""}, "must not be empty"),
    ],
)
def test_a_person_who_cannot_talk_is_refused(changes, problem):
    document = {"id": "a", "user": {**SHOES, **changes}, "expect": [{"answered": True}]}
    with pytest.raises(BadInput, match=problem):
        parse_case(document, suite="s")


def test_a_simulated_person_knows_facts_and_rules_and_sees_the_roles_exchanged():
    conversation = person_conversation(person(), ["Hi."], ["Hello!"])
    system, *rest = conversation.messages
    assert "- order number: W1001" in system.text
    assert END_MARKER in system.text
    assert [message.role for message in rest] == ["user", "assistant", "user"]


def test_what_follows_the_marker_is_not_said():
    assert parse_person_message(f"Thanks! {END_MARKER} Bye") == ("Thanks!", True)
    assert parse_person_message("Thanks!") == ("Thanks!", False)
