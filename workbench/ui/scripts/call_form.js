// A form for a tool call, built from the tool's schema. `draft` is `{ name, texts }`. `tools` has the form fields
// of each tool.
import { node } from "./dom.js";

const isJson = (value) => {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
};

// Text options are shown without quotes, so that typing their first letter finds them. Quotes stay where they tell
// two options apart, such as "1" and 1.
const optionTexts = (choices) => {
  const bare = choices.map((choice) =>
    choice.startsWith('"') && isJson(choice) ? JSON.parse(choice) : choice,
  );
  return choices.map((choice, place) =>
    bare[place] === "" || bare.filter((text) => text === bare[place]).length > 1 ? choice : bare[place],
  );
};

const inputFor = (field, value, onChange) => {
  const attributes = {
    class: "hw-input",
    "data-field": "form " + field.name,
    "aria-label": field.name,
    oninput: (event) => onChange(event.target.value),
  };
  if (field.kind === "choice") {
    const choices = [...new Set([...field.choices, ...(value === undefined ? [] : [value])])];
    const texts = optionTexts(choices);
    const select = node(
      "select",
      attributes,
      node("option", { value: "" }, "not set"),
      choices.map((choice, place) => node("option", { value: choice }, texts[place])),
    );
    select.value = value === undefined ? "" : value;
    return select;
  }
  const area = node("textarea", {
    ...attributes,
    rows: 1,
    spellcheck: "false",
    placeholder: field.kind === "json" ? "JSON" : "not set",
  });
  area.value = value === undefined ? "" : value;
  return area;
};

const formFields = (tools, draft) => {
  const known = tools[draft.name] || [];
  const names = new Set(known.map((field) => field.name));
  const others = Object.keys(draft.texts)
    .filter((name) => !names.has(name))
    .map((name) => ({
      name,
      kind: "json",
      type: "not in the schema",
      is_required: false,
      description: "",
      choices: [],
    }));
  return [...known, ...others];
};

const formRow = (draft, field, onChange) => {
  const isSet = node("input", {
    type: "checkbox",
    "aria-label": "Set " + field.name,
    "data-field": "given " + field.name,
  });
  isSet.checked = field.name in draft.texts;
  isSet.disabled = field.kind === "choice";
  const value = inputFor(field, draft.texts[field.name], (text) => {
    if (text === "" && field.kind !== "text") delete draft.texts[field.name];
    else draft.texts[field.name] = text;
    isSet.checked = field.name in draft.texts;
    onChange();
  });
  isSet.addEventListener("change", () => {
    if (isSet.checked) draft.texts[field.name] = value.value;
    else delete draft.texts[field.name];
    onChange();
  });
  return node(
    "div",
    { class: "hw-form-row" },
    isSet,
    node(
      "span",
      { class: "hw-form-name" },
      node("span", { class: "hw-mono" }, field.name),
      node("span", { class: "hw-note" }, field.type + (field.is_required ? " · required" : "")),
    ),
    value,
    field.description ? node("span", { class: "hw-note hw-form-about" }, field.description) : null,
  );
};

export const drawCallForm = (tools, draft, onChange, redraw) => {
  const tool = node(
    "select",
    {
      class: "hw-input",
      "aria-label": "Tool",
      "data-field": "tool",
      onchange: () => {
        draft.name = tool.value;
        onChange();
        redraw();
      },
    },
    [...new Set([...Object.keys(tools), draft.name])].map((name) => node("option", { value: name }, name)),
  );
  tool.value = draft.name;
  return [tool, ...formFields(tools, draft).map((field) => formRow(draft, field, onChange))];
};
