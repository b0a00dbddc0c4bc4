// The versions of a text, and the menu of its name. Events: `save_version`, `restore_version`, `compare_version`,
// `mark_version`, `download_version`, `change_name`.
import { nameOf } from "../drafts/documents.js";
import { editText, node } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { menu } from "../shared/menu.js";

const chips = (/** @type {string[]} */ names) =>
  names.map((name) => html`<span class="hw-tag">${name}</span>`);

/** @param {Part<VersionsView, VersionsEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  let base = "";
  const label = node("span", { class: "hw-mono" });
  const changed = node("span", { class: "hw-note hw-changed" });
  const tags = node("span", { class: "hw-tags" });

  const open = node(
    "button",
    {
      type: "button",
      class: "hw-act hw-save-version",
      title: "Ctrl+S saves without a note",
      "aria-expanded": "false",
      onclick: () => showField(Boolean(field.hidden)),
    },
    "Save version",
  );

  const list = node("ul", { class: "hw-versions" });
  const summary = node("summary", { "aria-label": "Versions" }, node("span", {}, label, changed, tags));
  const fold = node("details", { class: "hw-history" }, summary, list);

  const message = node("input", {
    type: "text",
    class: "hw-input",
    placeholder: "What changed?",
    "aria-label": "What changed",
    maxlength: 500,
    onkeydown: (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        save();
      }
      if (event.key === "Escape") {
        event.stopPropagation();
        showField(false);
        open.focus();
      }
    },
  });

  const field = node(
    "div",
    { class: "hw-save", hidden: true },
    message,
    node("button", { type: "button", class: "hw-act", onclick: () => save() }, "Save"),
  );

  // Shows or hides the field for the message of a new version.
  const showField = (/** @type {boolean} */ isShown) => {
    field.hidden = !isShown;
    open.setAttribute("aria-expanded", String(isShown));
    if (isShown) message.focus();
  };

  open.addEventListener("hw:save", () => save());

  const save = () => {
    trigger("save_version", { message: message.value, base });
    message.value = "";
    showField(false);
  };

  // The menu of the name, the field that it opens, and what was just deleted.
  /** @type {VersionsView | null} */
  let shown = null;
  const change = (/** @type {string} */ action, value = "") => trigger("change_name", { action, value });
  const asking = node("div", { class: "hw-save", hidden: true });
  const undo = node("p", { class: "hw-line hw-undo", role: "status", hidden: true });
  let gone = "";

  // Asks for a text. `action` is a change of the name, or a function that gets the text.
  const ask = (
    /** @type {string} */ label,
    /** @type {string} */ text,
    /** @type {string | ((text: string) => void)} */ action,
  ) => {
    asking.hidden = false;
    const close = () => {
      asking.hidden = true;
      asking.replaceChildren();
    };
    const save =
      typeof action === "function" ? action : (/** @type {string} */ value) => change(action, value);
    editText(asking, label, text, save, close);
  };

  const button = (/** @type {string} */ text, /** @type {() => void} */ work, label = text) =>
    html`<button type="button" class="hw-act" aria-label=${label} @click=${work}>${text}</button>`;

  const restore = (/** @type {string} */ id, /** @type {string} */ name, /** @type {string} */ word) => {
    const work = () => {
      gone = "";
      change("restore", id);
    };
    return html`<span class="hw-title">${word === "Undo" ? "Deleted: " : ""}${name}</span>${button(word, work, word + " " + name)}`;
  };

  const names = menu("Menu of the open text", () => {
    if (!shown) return [];
    const { name, newest_id: id } = shown;
    const remove = () => {
      gone = name;
      change("delete");
    };
    return [
      ["Rename", () => ask("New name", name, "rename")],
      ["Duplicate", () => ask("Name of the copy", name + "-copy", "duplicate")],
      id ? ["Download newest version", () => trigger("download_version", { id })] : null,
      ["Delete", remove],
    ];
  });

  const deletedList = node("ul", {});
  const deleted = node("div", { class: "hw-deleted", hidden: true }, node("h3", {}, "Deleted"), deletedList);
  fold.append(deleted);

  element.replaceChildren(
    node(
      "div",
      { class: "hw-version" },
      fold,
      node("span", { class: "hw-version-acts" }, open, names),
      field,
    ),
    asking,
    undo,
  );

  const drawDeleted = (/** @type {VersionsView} */ value) => {
    const last = value.deleted.find(([, name]) => name === gone);
    undo.hidden = !last || value.name === gone;
    render(last && !undo.hidden ? restore(last[0], gone, "Undo") : "", undo);
    deleted.hidden = value.deleted.length === 0;
    render(
      value.deleted.map(([id, name]) => html`<li class="hw-line">${restore(id, name, "Restore")}</li>`),
      deletedList,
    );
  };

  const row = (/** @type {VersionsView} */ value, /** @type {VersionListRow} */ { id, label, ...row }) => {
    const tag = () => ask("Tag for " + label, "", (text) => trigger("mark_version", { id, mark: text }));
    return html`<li class="hw-v${row.is_open ? " is-open" : ""}" data-version=${label}><span class="hw-v-head"><span
      class="hw-mono">${label}</span>${chips(row.tags)}<span class="hw-gap"></span><span
      class="hw-note">${row.note}</span></span><span class="hw-v-said">${row.message}</span><span class="hw-v-acts">${[
        row.is_open && !value.is_changed
          ? ""
          : button("Restore", () => trigger("restore_version", { id }), "Restore " + label),
        value.can_compare ? button("Compare", () => compare(id, label), "Compare with " + label) : "",
        row.marks.map((mark) =>
          button("Mark as " + mark, () => trigger("mark_version", { id, mark }), `Mark ${label} as ${mark}`),
        ),
        menu("Menu of " + label, () => [
          ["Tag this version", tag],
          ["Download", () => trigger("download_version", { id })],
        ]),
      ]}</span></li>`;
  };

  const compare = (/** @type {string} */ id, /** @type {string} */ label) => {
    trigger("compare_version", { id, after: "" });
    // The comparison has an address, where the tab has one for versions.
    const { router } = window.hermesWorkbench;
    const tab = element.closest("[id^=page-tab-]")?.id.slice("page-tab-".length);
    if (tab && tab !== "play")
      router.here(tab, { ...router.valuesOf(tab), version: label.replace(/^v/, "") });
  };

  follow((value) => {
    if (value?.field && nameOf(value.field) !== value.name) return;
    // The answer to typing counts tokens last, so that it may come after that of a version that was saved meanwhile.
    if (value && value.name === shown?.name && value.read_at < shown.read_at) return;
    element.hidden = !value;
    if (!value) return;
    shown = value;
    element.dataset.name = value.name;
    base = value.base_id;
    drawDeleted(value);
    label.textContent = value.label || "no version yet";
    changed.hidden = !value.is_changed || !value.label;
    changed.textContent = changed.hidden ? "" : "changed";
    open.hidden = !value.is_changed;
    if (!value.is_changed) showField(false);
    render(chips(value.tags), tags);
    // A menu that is open in the list stays open if nothing has changed.
    const rows = JSON.stringify([value.rows, value.is_changed, value.can_compare]);
    if (rows === list.dataset.rows) return;
    list.dataset.rows = rows;
    render(
      value.rows.map((each) => row(value, each)),
      list,
    );
  });
};
