// The world after a message: what changed, all values with a search, and an editor for another one. Events: `ask_world`,
// once the pane is visible, and `edit_world` with the new text. An edit is kept until it is saved or cancelled.
import { hint, node } from "../shared/dom.js";
import { changeRows } from "../shared/world_changes.js";
import { followAsked } from "./asking.js";
import { heading } from "../shared/heading.js";

/** @param {Part<WorldView, WorldEvents>} part */
export const mount = (part) => {
  const { element, trigger } = part;
  let wanted = "";
  let edit = null;

  const save = (value, text) => trigger("edit_world", { id: value.last_id, text });

  const editor = (value) => {
    const field = node("textarea", {
      class: "hw-input hw-mono hw-world-text",
      "aria-label": "World as JSON",
      rows: 24,
      spellcheck: "false",
      oninput: () => (edit.text = field.value),
    });
    field.value = edit.text;
    const close = () => {
      edit = null;
      draw(value);
    };
    return [
      node(
        "p",
        { class: "hw-note" },
        "Saving starts a new branch here that goes on with this world. The messages after it stay in the old one.",
      ),
      field,
      node(
        "div",
        { class: "hw-buttons" },
        node(
          "button",
          { type: "button", class: "hw-button", onclick: () => save(value, edit.text) },
          "Save as branch",
        ),
        node("button", { type: "button", class: "hw-button", onclick: close }, "Cancel"),
      ),
    ];
  };

  const table = (value) => {
    const body = node("tbody", {});
    const fill = () => {
      const words = wanted.toLowerCase();
      const found = value.rows.filter((row) => (row.place + " " + row.value).toLowerCase().includes(words));
      body.replaceChildren(
        ...found.map((row) =>
          node(
            "tr",
            {},
            node("th", { scope: "row", class: "hw-mono" }, row.place),
            node("td", { class: "hw-mono" }, row.value),
          ),
        ),
      );
    };
    const search = node("input", {
      type: "search",
      class: "hw-search",
      placeholder: "Search the world",
      "aria-label": "Search the world",
      oninput: () => {
        wanted = search.value;
        fill();
      },
    });
    search.value = wanted;
    fill();
    return [
      search,
      node("table", { class: "hw-table hw-world" }, body),
      node("p", { class: "hw-note" }, value.note),
    ];
  };

  const draw = (value) => {
    if (!value || !value.is_known || !value.last_id) {
      if (!value || value.is_known || !value.message_id)
        element.replaceChildren(hint(value ? value.hint : ""));
      return;
    }
    if (edit && edit.id !== value.last_id) edit = null;
    if (edit) {
      element.replaceChildren(...editor(value));
      return;
    }
    const begin = () => {
      edit = { id: value.last_id, text: value.text };
      draw(value);
    };
    element.replaceChildren(
      node(
        "div",
        { class: "hw-buttons" },
        value.can_edit
          ? node("button", { type: "button", class: "hw-button", onclick: begin }, "Edit world")
          : null,
        value.can_edit
          ? node(
              "button",
              { type: "button", class: "hw-button", onclick: () => save(value, "{}") },
              "Reset world",
            )
          : null,
      ),
      value.changes.length ? node("h3", {}, "Changed here") : "",
      changeRows(value.changes) || "",
      heading("h3", "World", "how-to/give-tools-a-world"),
      ...table(value),
    );
  };

  followAsked(part, "ask_world", draw);
};
