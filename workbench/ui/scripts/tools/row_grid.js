// Rows of a text on the server as cells that a person edits, such as the parameters of a spec. An edit sends all rows as
// JSON, with the document and the text that they are an edit of.
//
// The grid follows the text by way of the server, so the two can differ for a moment. Rows that were edited stay until
// the text has their edit, and they always count for the tool that they were drawn for.
import { idNow, idOf, textAt, textOf } from "../drafts/documents.js";
import { iconButton, node, once } from "../shared/dom.js";
import { html } from "../shared/lit_html.js";
import { ask, editOf } from "../drafts/server_edits.js";

// Whether a cell has text that was typed and does not count yet.
const isTyped = (/** @type {PageElement} */ field) =>
  field.type === "text" && field.value !== field.defaultValue;

// Draws the rows, each in two lines: the first with the columns of `form`, the second with its cell `second`.
/** @type {<View extends GridRows, Event extends string>(part: Part<View, Event>, form: GridForm<Event>) => void} */
export const drawRows = ({ element, follow, trigger }, { what, field: place, ...form }) => {
  const body = node("tbody", {});
  const head = html`<thead><tr>${form.columns.map(([, label]) => html`<th scope="col">${label}</th>`)}<td></td></tr></thead>`;
  const table = node("table", { class: "hw-table hw-grid" }, head, body);

  const addRow = () => {
    const row = { ...form.blank };
    added.add(row);
    rows.push(row);
    draw();
    [...body.querySelectorAll(".g-main")].at(-1).querySelector("input").focus();
  };
  const add = node("button", { type: "button", class: "hw-act", onclick: addRow }, "Add " + what);

  element.replaceChildren(table, add);
  /** @type {GridValues[]} */
  let rows = [];
  // Rows that were added and that no text has yet.
  const added = new Set();
  let shown = "";
  let isDrawing = false;
  // The document of the rows, and its text that they are an edit of.
  let spec = "";
  let base = "";

  const send = () => {
    shown = JSON.stringify(rows);
    added.clear();
    const now = textAt(spec);
    // The result of the edit before this one has other names or numbers of rows already, while the rows still have
    // those of the text before it.
    if (now !== editOf(spec).text) base = now;
    trigger(form.event, { rows: shown, text: base, document: spec, number: ask(spec) });
  };

  // Whether the rows are newer than a text that the field shows: the edits since were asked for, and are not made yet.
  const isOlder = (/** @type {string} */ text) => {
    const { asked, made, text: last } = editOf(spec);
    return asked > made && (text === base || text === last);
  };

  /** @param {GridValues} row @param {string} name @param {string} label @param {number} place */
  const cell = (row, name, label, place) => {
    const attributes = { "aria-label": `${label} of ${what} ${place + 1}`, "data-cell": place + " " + name };
    if (name === "is_required") {
      const box = node("input", {
        ...attributes,
        type: "checkbox",
        onchange: () => {
          row[name] = box.checked;
          send();
        },
      });
      box.checked = row[name];
      return box;
    }
    const choices = form.choices?.[name];
    const field = node(choices ? "select" : "input", {
      ...attributes,
      ...form.hints[name],
      class: "hw-input",
      spellcheck: "false",
      onchange: () => {
        // A browser says that a cell has changed when it is removed, too.
        if (isDrawing) return;
        row[name] = field.defaultValue = field.value;
        send();
      },
    });
    if (choices) field.append(...choices.map((value) => node("option", {}, value)));
    field.value = field.defaultValue = row[name];
    return field;
  };

  // Draws the rows. What is being typed in a cell stays there, and counts when the cell is left.
  const draw = () => {
    const before = body.contains(document.activeElement) ? document.activeElement : null;
    const at = before && before.dataset.cell;
    const typed = before && isTyped(before) ? before.value : null;
    isDrawing = true;
    const remove = (/** @type {GridValues} */ row, /** @type {number} */ place) =>
      iconButton("cross", `Remove ${what} ${row.name || place + 1}`, () => {
        rows.splice(place, 1);
        draw();
        send();
      });
    const [second, label] = form.second;
    body.replaceChildren(
      once(
        rows.map(
          (row, place) =>
            html`<tr class="g-main">${form.columns.map(
              ([name, text]) => html`<td class="g-${name}">${cell(row, name, text, place)}</td>`,
            )}<td>${remove(row, place)}</td></tr><tr class="g-more"><td class="g-second"
              colspan=${form.columns.length + 1}>${cell(row, second, label, place)}${form.note?.(row)}</td></tr>`,
        ),
      ),
    );
    isDrawing = false;
    if (at) {
      const sameCell = [...body.querySelectorAll("[data-cell]")].find((other) => other.dataset.cell === at);
      if (sameCell) sameCell.focus();
      if (sameCell && typed !== null) {
        sameCell.value = typed;
        sameCell.setSelectionRange(before.selectionStart, before.selectionEnd);
        sameCell.addEventListener(
          "blur",
          () => isTyped(sameCell) && sameCell.dispatchEvent(new Event("change")),
        );
      }
    }
  };

  // A cell that is being typed in counts for the document that the grid shows until now.
  const finishCell = () => {
    const cell = body.contains(document.activeElement) ? document.activeElement : null;
    if (cell && isTyped(cell)) cell.dispatchEvent(new Event("change"));
  };

  const hide = (/** @type {boolean} */ isHidden) => (table.hidden = add.hidden = isHidden);

  follow((value) => {
    if (!value) return hide(true);
    // The field shows a newer text, for which a newer value comes.
    if (value.text !== textOf(place)) return;
    const isOther = idNow(spec) !== idOf(place);
    if (!isOther && isOlder(value.text)) return;
    if (isOther) {
      finishCell();
      added.clear();
    }
    spec = idOf(place);
    base = value.text;
    hide(!value.is_object);
    const json = JSON.stringify(value.rows);
    if (!value.is_object || json === shown) return;
    shown = json;
    rows = [...value.rows.map((row) => ({ ...row })), ...rows.filter((row) => added.has(row))];
    draw();
  });
};
