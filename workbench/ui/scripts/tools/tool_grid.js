// The parameters of a tool as editable rows. Event: `edit_grid`, with all rows as JSON, and the document and the text of
// the spec that they are an edit of.
//
// The grid follows the spec by way of the server, so the two can differ for a moment. Rows that were edited stay until
// the spec has their edit, and they always count for the tool that they were drawn for.
import { idNow, idOf, textAt, textOf } from "../drafts/documents.js";
import { iconButton, node } from "../shared/dom.js";
import { ask, editOf } from "../drafts/server_edits.js";

const SPEC = "tools-spec";
const COLUMNS = [
  ["name", "Name"],
  ["type", "Type"],
  ["is_required", "Required"],
  ["enum", "Allowed values"],
  ["default", "Default"],
];
const TYPES = ["string", "integer", "number", "boolean", "array", "object"];
const HINTS = {
  type: { list: "tools-grid-types", title: "Choose a type, or write several, such as string, null" },
  enum: { placeholder: "any", title: 'Words or JSON values, such as red, "dark, blue", 3' },
  default: { placeholder: "none", title: "A word or a JSON value" },
  description: { placeholder: "Description for the model" },
};

// Whether a cell has text that was typed and does not count yet.
const isTyped = (field) => field.type === "text" && field.value !== field.defaultValue;

/** @param {Part<ToolGridView, ToolGridEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const body = node("tbody", {});
  const types = node(
    "datalist",
    { id: "tools-grid-types" },
    TYPES.map((type) => node("option", { value: type })),
  );

  const table = node(
    "table",
    { class: "hw-table hw-grid" },
    node(
      "thead",
      {},
      node(
        "tr",
        {},
        COLUMNS.map(([, label]) => node("th", { scope: "col" }, label)),
        node("td", {}),
      ),
    ),
    body,
  );

  const add = node(
    "button",
    {
      type: "button",
      class: "hw-act",
      onclick: () => {
        rows.push({
          name: "",
          type: "string",
          is_required: false,
          description: "",
          enum: "",
          default: "",
          was: "",
          nested: [],
        });
        draw();
        body.lastChild.previousSibling.querySelector("input").focus();
      },
    },
    "Add parameter",
  );

  element.replaceChildren(table, types, add);
  let rows = [];
  let shown = "";
  let isDrawing = false;
  // The document of the rows, and its text that they are an edit of.
  let spec = "";
  let base = "";

  const send = () => {
    shown = JSON.stringify(rows);
    const now = textAt(spec);
    // The result of the edit before this one has renamed parameters already, while the rows still have the names of
    // the text before it.
    if (now !== editOf(spec).text) base = now;
    trigger("edit_grid", { rows: shown, text: base, document: spec, number: ask(spec) });
  };

  // Whether the rows are newer than a text that the field shows: the edits since were asked for, and are not made yet.
  const isOlder = (text) => {
    const { asked, made, text: last } = editOf(spec);
    return asked > made && (text === base || text === last);
  };

  const cell = (row, name, label, place) => {
    const attributes = {
      "aria-label": label + " of parameter " + (place + 1),
      "data-cell": place + " " + name,
    };
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
    const field = node("input", {
      ...attributes,
      ...HINTS[name],
      class: "hw-input",
      spellcheck: "false",
      onchange: () => {
        // A browser says that a cell has changed when it is removed, too.
        if (isDrawing) return;
        row[name] = field.defaultValue = field.value;
        send();
      },
    });
    field.value = field.defaultValue = row[name];
    return field;
  };

  // Draws the rows. What is being typed in a cell stays there, and counts when the cell is left.
  const draw = () => {
    const before = body.contains(document.activeElement) ? document.activeElement : null;
    const at = before && before.dataset.cell;
    const typed = before && isTyped(before) ? before.value : null;
    isDrawing = true;
    body.replaceChildren(
      ...rows.flatMap((row, place) => [
        node(
          "tr",
          { class: "g-main" },
          COLUMNS.map(([name, label]) => node("td", { class: "g-" + name }, cell(row, name, label, place))),
          node(
            "td",
            {},
            iconButton("cross", "Remove parameter " + row.name, () => {
              rows.splice(place, 1);
              draw();
              send();
            }),
          ),
        ),
        node(
          "tr",
          { class: "g-more" },
          node(
            "td",
            { class: "g-description", colspan: COLUMNS.length + 1 },
            cell(row, "description", "Description", place),
            row.nested.length
              ? node("p", { class: "hw-note" }, "Edit its properties in the JSON: " + row.nested.join(", "))
              : null,
          ),
        ),
      ]),
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

  const hide = (isHidden) => (table.hidden = add.hidden = isHidden);

  follow((value) => {
    if (!value) return hide(true);
    // The field shows a newer text, for which a newer value comes.
    if (value.text !== textOf(SPEC)) return;
    const isOther = idNow(spec) !== idOf(SPEC);
    if (!isOther && isOlder(value.text)) return;
    if (isOther) finishCell();
    spec = idOf(SPEC);
    base = value.text;
    hide(!value.is_object);
    const json = JSON.stringify(value.rows);
    if (!value.is_object || json === shown) return;
    shown = json;
    rows = value.rows.map((row) => ({ ...row }));
    draw();
  });
};
