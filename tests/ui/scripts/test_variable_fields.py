"""The fields of a contract's variables: their values are those of the text, whatever the server answers and when."""

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.scripts.component import Component
from workbench.contract.contract import parse_variables
from workbench.ui.present.sessions import AccountView
from workbench.ui.present.variables import VariableField, VariablesView

pytestmark = pytest.mark.browser

AROUND = "<div id='variable-fields'><textarea></textarea></div>"
VIEW = VariablesView(fields=tuple(VariableField(name=name, default="") for name in ("city", "tone")))


class Fields:
    """The fields of two variables, and the text that holds their values."""

    def __init__(self, component: Component) -> None:
        self.component = component
        component.mount("account", AccountView(name=""))
        component.mount("variable_fields", VIEW, around=AROUND)
        self.show("city = Rome\ntone = plain")

    def show(self, text: str, document: str = "variables:a") -> None:
        """Show the variables of a session."""
        self.component.page.evaluate(
            "([id, text]) => hermesWorkbench.documents.show('variable-fields', id, text)", [document, text]
        )

    def answer(self, view: VariablesView = VIEW) -> None:
        self.component.update(view)

    def of(self, name: str) -> Locator:
        return self.component.element.get_by_label(name, exact=True)

    @property
    def values(self) -> dict[str, str]:
        return parse_variables(self.component.page.locator("#variable-fields textarea").input_value())


@pytest.fixture
def fields(component: Component) -> Fields:
    return Fields(component)


def test_fields_show_the_values_of_the_text_before_the_server_answers(fields: Fields) -> None:
    expect(fields.of("city")).to_have_value("Rome")
    fields.of("city").click()
    fields.show("city = Oslo", "variables:b")
    expect(fields.of("city")).to_have_value("Oslo")
    expect(fields.of("tone")).to_have_value("")


def test_a_value_that_was_typed_survives_a_late_answer(fields: Fields) -> None:
    fields.of("city").fill("Cairo")
    fields.of("tone").click()
    fields.answer()
    expect(fields.of("city")).to_have_value("Cairo")
    fields.of("tone").fill("formal")
    assert fields.values == {"city": "Cairo", "tone": "formal"}


def test_typing_changes_only_its_own_variable(fields: Fields) -> None:
    fields.show("name = Ann\ntone = loud", "variables:b")
    fields.of("city").fill("Oslo")
    assert fields.values == {"city": "Oslo", "tone": "loud", "name": "Ann"}
    fields.of("tone").fill("")
    assert fields.values == {"city": "Oslo", "name": "Ann"}


@pytest.mark.parametrize("value", ["two\nlines", ' "quoted" ', "a = b", "naïve \x0b🙂", '"', "tail "])
def test_every_value_is_kept_as_it_was_typed(fields: Fields, value: str) -> None:
    fields.of("city").fill(value)
    assert fields.values["city"] == value
    text = fields.component.page.locator("#variable-fields textarea").input_value()
    fields.show("", "variables:b")
    fields.show(text, "variables:c")
    expect(fields.of("city")).to_have_value(value)


def test_a_value_that_the_contract_does_not_declare_can_be_removed(fields: Fields) -> None:
    unknown = VariableField(name="mood", default="", is_declared=False, problem="It is not declared.")
    fields.show("city = Rome\nmood = good")
    fields.answer(VariablesView(fields=(*VIEW.fields, unknown)))
    fields.component.element.get_by_role("button", name="Remove mood").click()
    assert fields.values == {"city": "Rome"}
    expect(fields.of("mood")).to_be_disabled()
    expect(fields.component.element.get_by_role("button", name="Remove mood")).to_be_hidden()
