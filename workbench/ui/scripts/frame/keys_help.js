// The list of keyboard shortcuts, opened with `?`.
import { iconButton, node } from "../shared/dom.js";
import { isField, switchTheme } from "../shared/page.js";
import { enterSends, setEnterSends } from "../shared/storage.js";

const isShown = (/** @type {string} */ id) => {
  const pane = document.getElementById(id);
  return pane !== null && pane.offsetParent !== null;
};

const rows = (/** @type {TabKeys} */ tab) =>
  node(
    "dl",
    { class: "hw-key-list" },
    tab.keys.map((key) => [node("dt", {}, node("kbd", {}, key.keys)), node("dd", {}, key.does)]),
  );

/** @param {Part<KeysView>} part */
export const mount = ({ element, props }) => {
  const list = node("div", {});
  const enter = node("input", { type: "checkbox", onchange: () => setEnterSends(enter.checked) });

  const dialog = node(
    "dialog",
    { class: "hw-dialog", "aria-labelledby": "page-keys-heading" },
    node(
      "header",
      {},
      node("h2", { id: "page-keys-heading" }, "Keyboard shortcuts"),
      node("span", { class: "hw-gap" }),
      iconButton("cross", "Close", () => dialog.close()),
    ),
    list,
    node("label", { class: "hw-switch" }, enter, "Enter sends a message, Shift+Enter makes a line"),
    node("button", { type: "button", class: "hw-act", onclick: switchTheme }, "Switch light and dark"),
  );

  element.replaceChildren(dialog);

  const show = () => {
    const tabs = props.value ? props.value.tabs : [];
    list.replaceChildren(
      ...tabs.filter((tab) => tab.tab && isShown(tab.tab)).map(rows),
      ...tabs.filter((tab) => !tab.tab).map(rows),
    );
    enter.checked = enterSends();
    dialog.showModal();
  };

  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (!element.isConnected) {
      window.removeEventListener("keydown", onKey);
      return;
    }
    if (
      event.key !== "?" ||
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      isField(event.target)
    )
      return;
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    show();
  };

  // Runs after the listeners of the tabs, because the Label tab has its own list.
  window.addEventListener("keydown", onKey);

  window.addEventListener("hw:keys", () => {
    if (element.isConnected && !dialog.open) show();
  });

  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
};
