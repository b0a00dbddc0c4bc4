"""A tab of the page with two fields that show documents."""

from playwright.sync_api import Locator

from tests.ui.scripts.component import Component
from workbench.ui.present.documents import DocumentChange, EditorsView
from workbench.ui.present.sessions import AccountView

EDITORS = EditorsView(names=())
FIELDS = "".join(f"<div id={name}><textarea></textarea></div>" for name in ("one", "two"))


class Tab:
    """A tab with two fields."""

    def __init__(self, component: Component, account: str = "") -> None:
        self.component, self.page, self.serial = component, component.page, 0
        component.mount("account", AccountView(name=account))
        component.mount("editors", around=FIELDS)

    def change(self, *changes: DocumentChange) -> None:
        self.serial += 1
        self.component.update(EDITORS.changed(self.serial, *changes))

    def open(self, document: str, text: str, field: str = "one") -> Locator:
        self.change(DocumentChange(how="open", field=field, document=document, text=text))
        return self.field(field)

    def field(self, name: str = "one") -> Locator:
        return self.page.locator(f"#{name} textarea")

    def bar(self, name: str = "one") -> Locator:
        return self.page.locator(f"#{name} .hw-draft")

    def press(self, button: str) -> None:
        self.page.locator("#around").get_by_role("button", name=button).click()

    def undo(self, field: str = "one") -> None:
        self.field(field).press("Control+z")

    @property
    def drafts(self) -> dict[str, str]:
        """The stored drafts by document."""
        found = self.page.evaluate("hermesWorkbench.documents.drafts()")
        return {draft["id"]: draft["text"] for draft in found}
