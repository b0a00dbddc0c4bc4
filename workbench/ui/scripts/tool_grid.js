// The parameters of a tool as editable rows. Event: `edit_grid`, with all rows as JSON.
import { iconButton, node } from "./dom.js";

const COLUMNS = [
  ["name", "Name"],
  ["type", "Type"],
  ["is_required", "Required"],
  ["description", "Description"],
  ["enum", "Allowed values"],
  ["default", "Default"],
];

export const mount = ({ element, follow, trigger }) => {
  const body = node("tbody", {});

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
        });
        draw();
        body.lastChild.querySelector("input").focus();
      },
    },
    "Add parameter",
  );

  element.replaceChildren(table, add);
  let rows = [];
  let shown = "";
  let isOpen = false;

  const send = () => {
    shown = JSON.stringify(rows);
    trigger("edit_grid", { rows: shown });
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
      class: "hw-input",
      spellcheck: "false",
      onchange: () => {
        row[name] = field.value;
        send();
      },
    });
    field.value = row[name];
    return field;
  };

  const draw = () => {
    const at = body.contains(document.activeElement) ? document.activeElement.dataset.cell : null;
    body.replaceChildren(
      ...rows.map((row, place) =>
        node(
          "tr",
          {},
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
      ),
    );
    if (at) {
      const sameCell = [...body.querySelectorAll("[data-cell]")].find((other) => other.dataset.cell === at);
      if (sameCell) sameCell.focus();
    }
  };

  follow((value) => {
    isOpen = Boolean(value && value.is_object);
    table.hidden = add.hidden = !isOpen;
    if (!isOpen) return;
    const json = JSON.stringify(value.rows);
    if (json === shown) return;
    shown = json;
    rows = value.rows.map((row) => ({ ...row }));
    draw();
  });
};
