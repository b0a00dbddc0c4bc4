"""A contract's prompt is compared with the prompt of a chat template."""

from datetime import UTC, datetime

from tests.hermes.templates.samples import GOOD
from workbench.chat.message import Conversation, Message, Role
from workbench.contract.compare_template import PromptComparison, compare_with_template
from workbench.contract.contract import Contract
from workbench.hermes.templates.template import parse_template
from workbench.toolspec.spec import OfferedTools, ToolSpec

NOW = datetime(2026, 11, 21, tzinfo=UTC)
TOOLS = OfferedTools(specs=(ToolSpec.of_function({"name": "now"}),))
CONVERSATION = Conversation(
    messages=(Message(role=Role.USER, text="Time?"), Message(role=Role.TOOL, text="12:00", name="now"))
)


def compared(text: str, *, source: str = GOOD, family: str = "hermes-3-sane") -> PromptComparison:
    contract = Contract(name="mine", title="T", family=family, text=text)
    return compare_with_template(contract, parse_template(source), CONVERSATION, TOOLS, variables={}, now=NOW)


def differences(comparison: PromptComparison) -> list[tuple[str, str, bool]]:
    theirs = comparison.theirs or ""
    return [
        (difference.ours.of(comparison.ours.text), difference.theirs.of(theirs), difference.has_mark)
        for difference in comparison.differences
    ]


def test_a_contract_with_the_words_of_the_template_differs_only_in_a_line_break() -> None:
    assert differences(compared("<tools>\n{{ tools }}\n</tools>")) == [("\n", "", False)]


def test_different_words_and_tags_are_reported() -> None:
    assert differences(compared("Tools:\n{{ tools }}", family="hermes-lines")) == [
        ("Tools:", "<tools>", True),
        ("", "\n</tools>", True),
        ("user", "tool", False),
    ]


def test_a_template_that_fails_is_reported_and_our_prompt_is_still_rendered() -> None:
    comparison = compared("Hi", source="{{ raise_exception('never') }}")
    assert comparison.theirs is None
    assert comparison.problem == "TemplateError: never"
    assert comparison.differences == ()
    assert comparison.ours.text.startswith("<|im_start|>system\nHi<|im_end|>")
