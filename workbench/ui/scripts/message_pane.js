// Edits a message, shows it as code, or offers to restore it. Events: `save_message`, `close_pane`,
// `restore_message`.
import { copyText, iconButton, node } from "./dom.js";
import { drawCallForm } from "./call_form.js";
import { store, stored } from "./storage.js";

// The browser stores which message is edited, and the draft of each message until it is saved or discarded.
const OPEN = "hermes-workbench:editing";

const draftName = (value) =>
  "hermes-workbench:edit:" + value.message_id + (value.call === null ? "" : "#" + value.call);

const session = () => window.hermesWorkbench.router.session();

const button = (label, onclick, more) =>
  node("button", { type: "button", class: "hw-button", onclick, ...(more || {}) }, label);

export const mount = ({ element, follow, trigger }) => {
  let edited = null;
  let isSent = false;
  let isNew = true;
  let hideTimer = 0;

  const forget = () => {
    if (edited) store(draftName(edited), null);
    store(OPEN, null);
    edited = null;
  };

  const close = () => {
    forget();
    clearTimeout(hideTimer);
    element.replaceChildren();
    trigger("close_pane", {});
  };

  const pane = (label, ...children) =>
    node(
      "section",
      {
        class: "hw-message-pane",
        role: "group",
        "aria-label": label,
        onkeydown: (event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          event.stopPropagation();
          close();
        },
      },
      children,
    );

  const drawEdit = (value) => {
    edited = value;
    store(OPEN, { session: session(), id: value.message_id, call: value.call });
    const draft =
      stored(draftName(value)) ||
      (value.call === null ? { text: value.text } : { name: value.name, texts: { ...value.values } });
    const keep = () => {
      isSent = false;
      store(draftName(value), draft);
    };
    const save = (then) => {
      // A text area always uses \n. If the message has \r\n, the edited text gets it back.
      const text =
        value.call === null && value.text.includes("\r\n")
          ? draft.text.replace(/\r?\n/g, "\r\n")
          : draft.text;
      isSent = true;
      const edit = value.call === null ? { text } : { name: draft.name, texts: draft.texts };
      trigger("save_message", { id: value.message_id, call: value.call, edit: JSON.stringify(edit), then });
    };
    const fields = node("div", { class: "hw-pane-fields" });
    const drawFields = () => {
      if (value.call !== null)
        return fields.replaceChildren(...drawCallForm(value.tools, draft, keep, drawFields));
      const area = node("textarea", {
        class: "hw-input hw-mono",
        rows: 7,
        spellcheck: "false",
        "aria-label": value.title,
        oninput: () => {
          draft.text = area.value;
          keep();
        },
      });
      area.value = draft.text;
      fields.replaceChildren(area);
    };
    drawFields();
    const editor = pane(
      value.title,
      node("h3", {}, value.title),
      fields,
      node(
        "div",
        { class: "hw-form-acts" },
        button(value.save, () => save("")),
        value.go_on ? button(value.go_on, () => save("go_on")) : null,
        value.can_continue ? button("Continue from here", () => save("continue")) : null,
        node("button", { type: "button", class: "hw-act", onclick: close }, "Cancel"),
        node("span", { class: "hw-note" }, "The original stays as a branch."),
      ),
    );
    editor.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      event.stopPropagation();
      save(value.go_on ? "go_on" : "");
    });
    element.replaceChildren(editor);
    const field =
      element.querySelector(".hw-form-row .hw-input") || element.querySelector("textarea, select");
    if (field) field.focus();
  };

  const drawCode = (value) => {
    const text = node("pre", { class: "hw-code", tabindex: 0 });
    const names = value.tabs.map((tab, place) =>
      node(
        "button",
        { type: "button", class: "hw-way", "aria-pressed": "false", onclick: () => show(place) },
        tab.name,
      ),
    );
    let at = 0;
    const show = (place) => {
      at = place;
      text.textContent = value.tabs[place].text;
      text.setAttribute("aria-label", value.tabs[place].name);
      names.forEach((name, other) => name.setAttribute("aria-pressed", String(other === place)));
    };
    const copy = iconButton("copy", "Copy code", () => copyText(value.tabs[at].text, copy));
    show(0);
    element.replaceChildren(
      pane(
        value.title,
        node(
          "div",
          { class: "hw-pane-head" },
          node("h3", {}, value.title),
          node("div", { class: "hw-ways", role: "group", "aria-label": "Code" }, names),
          node("span", { class: "hw-gap" }),
          copy,
          iconButton("cross", "Close", close),
        ),
        text,
        node("p", { class: "hw-note" }, value.note),
      ),
    );
    names[0].focus();
  };

  const drawDeleted = (value) => {
    element.replaceChildren(
      node(
        "p",
        { class: "hw-line hw-undo", role: "status" },
        node("span", { class: "hw-title" }, value.title),
        node(
          "button",
          {
            type: "button",
            class: "hw-act",
            onclick: () => trigger("restore_message", { id: value.message_id }),
          },
          "Undo",
        ),
      ),
    );
    hideTimer = setTimeout(() => element.replaceChildren(), 10000);
  };

  const DRAW = { edit: drawEdit, code: drawCode, deleted: drawDeleted };

  follow((value) => {
    clearTimeout(hideTimer);
    if (value) return DRAW[value.kind](value);
    // The page has just loaded. `readDraft` in drafts.js reads which message was edited and opens it again.
    if (isNew) {
      isNew = false;
      return;
    }
    // The pane closes after saving, which discards the draft, and when another session opens, which keeps it.
    if (isSent) forget();
    isSent = false;
    store(OPEN, null);
    element.replaceChildren();
  });
};
