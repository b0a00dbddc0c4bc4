// The world after a message: what changed, all values with a search, and an editor for another one. Events: `ask_world`,
// once the pane is visible, and `edit_world` with the new text. An edit is kept until it is saved or cancelled.
import { hint } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { changeRows } from "../shared/world_changes.js";
import { followAsked } from "./asking.js";
import { heading } from "../shared/heading.js";

/** @param {Part<WorldView, WorldEvents>} part */
export const mount = (part) => {
  const { element, trigger } = part;
  let wanted = "";
  /** @type {{ id: string; text: string } | null} */
  let edit = null;

  const save = (/** @type {WorldView} */ value, /** @type {string} */ text) =>
    trigger("edit_world", { id: value.last_id, text });

  const button = (/** @type {string} */ text, /** @type {() => void} */ work) =>
    html`<button type="button" class="hw-button" @click=${work}>${text}</button>`;

  const editor = (/** @type {WorldView} */ value, /** @type {{ text: string }} */ draft) => {
    const close = () => {
      edit = null;
      draw(value);
    };
    return html`<p class="hw-note"
      >Saving starts a new branch here that goes on with this world. The messages after it stay in the old one.</p>
      <textarea class="hw-input hw-mono hw-world-text" aria-label="World as JSON" rows="24" spellcheck="false"
        .value=${draft.text} @input=${(event) => (draft.text = event.target.value)}></textarea>
      <div class="hw-buttons">${button("Save as branch", () => save(value, draft.text))}${button("Cancel", close)}</div>`;
  };

  const world = (/** @type {WorldView} */ value) => {
    const begin = () => {
      edit = { id: value.last_id, text: value.text };
      draw(value);
    };
    const search = (/** @type {PageEvent} */ event) => {
      wanted = event.target.value;
      draw(value);
    };
    const found = value.rows.filter((row) =>
      (row.place + " " + row.value).toLowerCase().includes(wanted.toLowerCase()),
    );
    return html`<div class="hw-buttons">${
      value.can_edit ? [button("Edit world", begin), button("Reset world", () => save(value, "{}"))] : ""
    }</div>${value.changes.length ? html`<h3>Changed here</h3>` : ""}${changeRows(value.changes)}
      ${heading("h3", "World", "how-to/give-tools-a-world")}
      <input type="search" class="hw-search" placeholder="Search the world" aria-label="Search the world"
        .value=${wanted} @input=${search}>
      <table class="hw-table hw-world"><tbody>${found.map(
        (row) =>
          html`<tr><th scope="row" class="hw-mono">${row.place}</th><td class="hw-mono">${row.value}</td></tr>`,
      )}</tbody></table>
      <p class="hw-note">${value.note}</p>`;
  };

  const draw = (/** @type {WorldView | null} */ value) => {
    if (!value || !value.is_known || !value.last_id) {
      if (!value || value.is_known || !value.message_id) render(hint(value ? value.hint : ""), element);
      return;
    }
    if (edit && edit.id !== value.last_id) edit = null;
    render(edit ? editor(value, edit) : world(value), element);
  };

  followAsked(part, "ask_world", draw);
};
