// The versions of a text, and the menu of its name. Events: `save_version`, `restore_version`, `compare_version`,
// `mark_version`, `download_version`, `change_name`.
import { nameOf } from "../drafts/documents.js";
import { editText, node } from "../shared/dom.js";
import { menu } from "../shared/menu.js";

const chips = (names) => names.map((name) => node("span", { class: "hw-tag" }, name));

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
      onclick: () => showField(field.hidden),
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
  const showField = (isShown) => {
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
  let shown = null;
  const change = (action, value = "") => trigger("change_name", { action, value });
  const asking = node("div", { class: "hw-save", hidden: true });
  const undo = node("p", { class: "hw-line hw-undo", role: "status", hidden: true });
  let gone = "";

  // Asks for a text. `action` is a change of the name, or a function that gets the text.
  const ask = (label, text, action) => {
    asking.hidden = false;
    const close = () => {
      asking.hidden = true;
      asking.replaceChildren();
    };
    const save = typeof action === "function" ? action : (value) => change(action, value);
    editText(asking, label, text, save, close);
  };

  const restore = (id, name, word) =>
    node(
      "button",
      {
        type: "button",
        class: "hw-act",
        "aria-label": word + " " + name,
        onclick: () => {
          gone = "";
          change("restore", id);
        },
      },
      word,
    );

  const names = menu("Menu of the open text", () => [
    ["Rename", () => ask("New name", shown.name, "rename")],
    ["Duplicate", () => ask("Name of the copy", shown.name + "-copy", "duplicate")],
    shown.newest_id
      ? ["Download newest version", () => trigger("download_version", { id: shown.newest_id })]
      : null,
    [
      "Delete",
      () => {
        gone = shown.name;
        change("delete");
      },
    ],
  ]);

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

  const drawDeleted = (value) => {
    const last = value.deleted.find(([, name]) => name === gone);
    undo.hidden = !last || value.name === gone;
    undo.replaceChildren(
      ...(undo.hidden
        ? []
        : [node("span", { class: "hw-title" }, "Deleted: " + gone), restore(last[0], gone, "Undo")]),
    );
    deleted.hidden = value.deleted.length === 0;
    deletedList.replaceChildren(
      ...value.deleted.map(([id, name]) =>
        node(
          "li",
          { class: "hw-line" },
          node("span", { class: "hw-title" }, name),
          restore(id, name, "Restore"),
        ),
      ),
    );
  };

  const compare = (row) => {
    trigger("compare_version", { id: row.id, after: "" });
    // The comparison has an address, where the tab has one for versions.
    const { router } = window.hermesWorkbench;
    const tab = element.closest("[id^=page-tab-]")?.id.slice("page-tab-".length);
    if (tab && tab !== "play")
      router.here(tab, { ...router.valuesOf(tab), version: row.label.replace(/^v/, "") });
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
    tags.replaceChildren(...chips(value.tags));
    // A menu that is open in the list stays open if nothing has changed.
    const rows = JSON.stringify([value.rows, value.is_changed, value.can_compare]);
    if (rows === list.dataset.rows) return;
    list.dataset.rows = rows;
    list.replaceChildren(
      ...value.rows.map((row) =>
        node(
          "li",
          { class: "hw-v" + (row.is_open ? " is-open" : ""), "data-version": row.label },
          node(
            "span",
            { class: "hw-v-head" },
            node("span", { class: "hw-mono" }, row.label),
            chips(row.tags),
            node("span", { class: "hw-gap" }),
            node("span", { class: "hw-note" }, row.note),
          ),
          node("span", { class: "hw-v-said" }, row.message),
          node(
            "span",
            { class: "hw-v-acts" },
            row.is_open && !value.is_changed
              ? null
              : node(
                  "button",
                  {
                    type: "button",
                    class: "hw-act",
                    "aria-label": "Restore " + row.label,
                    onclick: () => trigger("restore_version", { id: row.id }),
                  },
                  "Restore",
                ),
            value.can_compare
              ? node(
                  "button",
                  {
                    type: "button",
                    class: "hw-act",
                    "aria-label": "Compare with " + row.label,
                    onclick: () => compare(row),
                  },
                  "Compare",
                )
              : null,
            row.marks.map((mark) =>
              node(
                "button",
                {
                  type: "button",
                  class: "hw-act",
                  "aria-label": "Mark " + row.label + " as " + mark,
                  onclick: () => trigger("mark_version", { id: row.id, mark }),
                },
                "Mark as " + mark,
              ),
            ),
            menu("Menu of " + row.label, () => [
              [
                "Tag this version",
                () =>
                  ask("Tag for " + row.label, "", (tag) =>
                    trigger("mark_version", { id: row.id, mark: tag }),
                  ),
              ],
              ["Download", () => trigger("download_version", { id: row.id })],
            ]),
          ),
        ),
      ),
    );
  });
};
