// A field for each variable of a contract. The values are in the hidden text field before them, one `name = value` per
// line; a value that does not fit on a line is a JSON string, as in `contract.py`. The server says which fields there are
// and what is wrong with them. It can answer late, so it never sets a value.
import { node } from "../shared/dom.js";

// Characters that end a line in Python.
// eslint-disable-next-line no-control-regex
const LINE_END = /[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

const lineValue = (/** @type {string} */ value) =>
  LINE_END.test(value) || /^[\s"]|\s$/.test(value)
    ? JSON.stringify(value).replace(
        /[\u007f-\uffff]/g,
        (sign) => "\\u" + sign.charCodeAt(0).toString(16).padStart(4, "0"),
      )
    : value;

// The lines of the text, by variable.
const linesOf = (/** @type {string} */ text) =>
  new Map(
    text
      .split("\n")
      .filter((line) => line.includes("="))
      .map((line) => [line.split("=")[0].trim(), line]),
  );

const valueOf = (line = "=") => {
  const value = line.slice(line.indexOf("=") + 1).trim();
  if (!value.startsWith('"')) return value;
  try {
    const text = JSON.parse(value);
    return typeof text === "string" ? text : value;
  } catch {
    return value;
  }
};

/** @param {Part<VariablesView>} part */
export const mount = ({ element, follow }) => {
  const id = element.closest("[id$='-variable-fields']")?.id || "variable-fields";
  const target = () =>
    document.querySelector("#" + id.replace("-variable-fields", "-variables") + " textarea");
  const rows = new Map();
  const list = node("div", { class: "hw-variables" });
  element.replaceChildren(list);

  // Only the variable itself: the fields of a text that was opened a moment ago can still be those of the one before.
  const write = (/** @type {string} */ name, /** @type {string} */ value) => {
    const area = target();
    if (!area) return;
    const lines = linesOf(area.value);
    if (value === "") lines.delete(name);
    else lines.set(name, name + " = " + lineValue(value));
    const names = new Set([...rows.keys(), ...lines.keys()]);
    const text = [...names].flatMap((each) => lines.get(each) ?? []).join("\n");
    if (area.value === text) return;
    area.value = text;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  };

  const rowOf = (/** @type {VariableField} */ { name }) => {
    const input = node("textarea", {
      class: "hw-input",
      rows: 1,
      id: id + "-" + name,
      "aria-label": name,
      spellcheck: "false",
      oninput: () => {
        write(name, input.value);
        grow(input);
      },
    });
    const problem = node("p", { class: "hw-line t-warning", id: id + "-" + name + "-problem" });
    const remove = node(
      "button",
      { type: "button", class: "hw-act", "aria-label": "Remove " + name, onclick: () => write(name, "") },
      "Remove",
    );
    const head = node("span", { class: "hw-variable-name hw-mono" }, name);
    const root = node("div", { class: "hw-variable" }, node("label", {}, head, input), remove, problem);
    return { root, input, problem, remove, isDeclared: true };
  };

  const grow = (/** @type {PageElement} */ input) => {
    input.rows = Math.min(6, input.value.split("\n").length);
  };

  const showValues = () => {
    const lines = linesOf(target()?.value ?? "");
    for (const [name, { input, remove, isDeclared }] of rows) {
      const value = valueOf(lines.get(name));
      if (input.value !== value) input.value = value;
      input.disabled = !isDeclared && !value;
      remove.hidden = isDeclared || !value;
      grow(input);
    }
  };

  // Gradio can draw the text field again.
  /** @type {PageElement | null} */
  let followed = null;
  const followText = () => {
    const area = target();
    if (area === followed) return;
    followed?.removeEventListener("input", showValues);
    followed = area;
    area?.addEventListener("input", showValues);
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
      row.isDeclared = field.is_declared;
      row.input.placeholder = field.default;
      row.input.setAttribute("aria-invalid", String(!field.is_declared));
      row.problem.textContent = field.problem;
      row.problem.hidden = !field.problem;
      row.input.setAttribute("aria-describedby", field.problem ? row.problem.id : "");
      if (list.children[index] !== row.root) list.insertBefore(row.root, list.children[index] || null);
    });
    element.hidden = !fields.length;
    followText();
    showValues();
  });
};
