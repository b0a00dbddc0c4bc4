// A field for each variable of a contract. They write into the hidden text field before them, one `name = value` per
// line, which holds the value. A value that does not fit on a line is written as a JSON string, as in `contract.py`.
import { node } from "./dom.js";

// Characters that end a line in Python.
// eslint-disable-next-line no-control-regex
const LINE_END = /[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

const lineValue = (value) =>
  LINE_END.test(value) || /^[\s"]|\s$/.test(value)
    ? JSON.stringify(value).replace(
        /[\u007f-\uffff]/g,
        (sign) => "\\u" + sign.charCodeAt(0).toString(16).padStart(4, "0"),
      )
    : value;

export const mount = ({ element, follow }) => {
  const id = element.closest("[id$='-variable-fields']")?.id || "variable-fields";
  const target = () =>
    document.querySelector("#" + id.replace("-variable-fields", "-variables") + " textarea");
  const rows = new Map();
  const list = node("div", { class: "hw-variables" });
  element.replaceChildren(list);

  const write = () => {
    const area = target();
    if (!area) return;
    const lines = [...rows.values()].filter(({ input }) => input.value !== "");
    const text = lines.map(({ name, input }) => name + " = " + lineValue(input.value)).join("\n");
    if (area.value === text) return;
    area.value = text;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  };

  const rowOf = (field) => {
    const input = node("textarea", {
      class: "hw-input",
      rows: 1,
      id: id + "-" + field.name,
      "aria-label": field.name,
      spellcheck: "false",
      oninput: () => {
        grow(input);
        write();
      },
    });
    const problem = node("p", { class: "hw-line t-warning", id: id + "-" + field.name + "-problem" });
    const remove = node(
      "button",
      {
        type: "button",
        class: "hw-act",
        "aria-label": "Remove " + field.name,
        onclick: () => {
          input.value = "";
          write();
        },
      },
      "Remove",
    );
    const head = node("span", { class: "hw-variable-name hw-mono" }, field.name);
    const root = node("div", { class: "hw-variable" }, node("label", {}, head, input), remove, problem);
    return { name: field.name, root, input, problem, remove };
  };

  const grow = (input) => {
    input.rows = Math.min(6, input.value.split("\n").length);
  };

  follow((value) => {
    const fields = value ? value.fields : [];
    const names = fields.map((field) => field.name);
    for (const [name, row] of rows)
      if (!names.includes(name)) {
        row.root.remove();
        rows.delete(name);
      }
    fields.forEach((field, index) => {
      if (!rows.has(field.name)) rows.set(field.name, rowOf(field));
      const row = rows.get(field.name);
      // What is being typed is newer than the server's answer.
      if (document.activeElement !== row.input) row.input.value = field.value;
      row.input.placeholder = field.default;
      row.input.disabled = !field.is_declared && !field.value;
      row.input.setAttribute("aria-invalid", String(!field.is_declared));
      row.problem.textContent = field.problem;
      row.problem.hidden = !field.problem;
      row.input.setAttribute("aria-describedby", field.problem ? row.problem.id : "");
      row.remove.hidden = field.is_declared || !field.value;
      grow(row.input);
      if (list.children[index] !== row.root) list.insertBefore(row.root, list.children[index] || null);
    });
    element.hidden = !fields.length;
  });
};
