// The parameters of a tool as editable rows. Event: `edit_grid`.
import { node } from "../shared/dom.js";
import { drawRows } from "./row_grid.js";

const TYPES = ["string", "integer", "number", "boolean", "array", "object"];

/** @param {Part<ToolGridView, ToolGridEvents>} part */
export const mount = (part) => {
  drawRows(part, {
    what: "parameter",
    field: "tools-spec",
    event: "edit_grid",
    columns: [
      ["name", "Name"],
      ["type", "Type"],
      ["is_required", "Required"],
      ["enum", "Allowed values"],
      ["default", "Default"],
    ],
    second: ["description", "Description"],
    hints: {
      type: { list: "tools-grid-types", title: "Choose a type, or write several, such as string, null" },
      enum: { placeholder: "any", title: 'Words or JSON values, such as red, "dark, blue", 3' },
      default: { placeholder: "none", title: "A word or a JSON value" },
      description: { placeholder: "Description for the model" },
    },
    blank: {
      name: "",
      type: "string",
      is_required: false,
      description: "",
      enum: "",
      default: "",
      was: "",
      nested: [],
    },
    note: ({ nested }) =>
      nested.length
        ? node("p", { class: "hw-note" }, "Edit its properties in the JSON: " + nested.join(", "))
        : null,
  });
  const values = TYPES.map((type) => node("option", { value: type }));
  part.element.append(node("datalist", { id: "tools-grid-types" }, values));
};
