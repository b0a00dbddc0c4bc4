// A form for a tool call, built from the tool's schema. `draft` is `{ name, texts }`. `tools` has the form fields
// of each tool.
import { stepOf } from "./page.js";
import { node } from "./dom.js";
import { html, render } from "./lit_html.js";

const isJson = (/** @type {string} */ value) => {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
};

// Text options are shown without quotes, so that typing their first letter finds them. Quotes stay where they tell
// two options apart, such as "1" and 1.
const optionTexts = (/** @type {string[]} */ choices) => {
  const bare = choices.map((choice) =>
    choice.startsWith('"') && isJson(choice) ? JSON.parse(choice) : choice,
  );
  return choices.map((choice, place) =>
    bare[place] === "" || bare.filter((text) => text === bare[place]).length > 1 ? choice : bare[place],
  );
};

/** @type {(field: FormField, value: string | undefined, onChange: (text: string) => void) => PageElement} */
const inputFor = (field, value, onChange) => {
  const attributes = {
    class: "hw-input",
    "data-field": "form " + field.name,
    "aria-label": field.name,
    oninput: (/** @type {PageEvent} */ event) => onChange(event.target.value),
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

const UNKNOWN = { kind: "json", type: "not in the schema", is_required: false, description: "", choices: [] };

/** @type {(tools: Record<string, FormField[]>, draft: CallDraft) => FormField[]} */
const formFields = (tools, draft) => {
  const known = tools[draft.name] || [];
  const names = new Set(known.map((field) => field.name));
  const others = Object.keys(draft.texts)
    .filter((name) => !names.has(name))
    .map((name) => ({ ...UNKNOWN, name }));
  return [...known, ...others];
};

/** @type {(draft: CallDraft, field: FormField, onChange: () => void) => Drawable} */
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
  return html`<div class="hw-form-row">${isSet}<span class="hw-form-name"><span class="hw-mono">${field.name}</span><span
    class="hw-note">${field.type}${field.is_required ? " · required" : ""}</span></span>${value}${
      field.description ? html`<span class="hw-note hw-form-about">${field.description}</span>` : ""
    }</div>`;
};

// The tools whose name contains what was typed; those that begin with it come first.
const matching = (/** @type {string[]} */ names, /** @type {string} */ typed) => {
  const words = typed.trim().toLowerCase();
  const found = names.filter((name) => name.toLowerCase().includes(words));
  const starts = (/** @type {string} */ name) => name.toLowerCase().startsWith(words);
  return [...found.filter(starts), ...found.filter((name) => !starts(name))];
};

// The name of the tool, completed from the list of tools. Enter and Tab take the marked one and go on to its fields.
/** @type {(tools: Record<string, FormField[]>, draft: CallDraft, onChange: () => void, redraw: () => void) => Drawable} */
const toolField = (tools, draft, onChange, redraw) => {
  const names = [...new Set([...Object.keys(tools), ...(draft.name ? [draft.name] : [])])];
  const list = node("ul", { class: "hw-completions", role: "listbox", "aria-label": "Tools", hidden: true });
  let shown = names;
  let at = 0;

  const field = node("input", {
    class: "hw-input hw-mono",
    role: "combobox",
    "aria-label": "Tool",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "Tool",
    "data-field": "tool",
    onfocus: () => field.select(),
    oninput: () => {
      open(matching(names, field.value));
      if (names.includes(field.value.trim())) name(field.value.trim());
    },
    onkeydown: (event) => onKey(event),
    // The form may be redrawn while somebody types, which is not the end of typing.
    onblur: () => setTimeout(() => field.isConnected && document.activeElement !== field && close()),
  });
  field.value = draft.name;
  const drawn = draft.name;

  const draw = () => {
    field.setAttribute("aria-expanded", String(!list.hidden));
    const take = (/** @type {PageEvent} */ event, /** @type {string} */ option) => {
      event.preventDefault();
      choose(option);
    };
    render(
      shown.map(
        (option, place) =>
          html`<li role="option" aria-selected=${String(place === at)} @pointerdown=${(event) => take(event, option)}
            >${option}</li>`,
      ),
      list,
    );
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };

  const open = (/** @type {string[]} */ found) => {
    shown = found;
    at = 0;
    list.hidden = !shown.length;
    draw();
  };

  const name = (/** @type {string} */ chosen) => {
    if (chosen === draft.name) return;
    draft.name = chosen;
    onChange();
  };

  // Focuses a field of the form, which may have been redrawn.
  const close = (next = document.activeElement?.dataset.field) => {
    const form = field.closest(".hw-label-panel, .hw-message-pane");
    list.hidden = true;
    field.value = draft.name;
    draw();
    if (draft.name !== drawn) redraw();
    const found = [...form.querySelectorAll("[data-field]")].find((other) => other.dataset.field === next);
    if (found && found !== document.activeElement) found.focus();
  };

  const choose = (/** @type {string} */ chosen) => {
    name(chosen);
    const [first] = tools[chosen] || [];
    close(first ? "form " + first.name : "result");
  };

  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const step = stepOf(event.key);
    const isTaking =
      event.key === "Enter" ? !event.ctrlKey && !event.metaKey : event.key === "Tab" && !event.shiftKey;
    if (step && list.hidden) open(matching(names, field.value === draft.name ? "" : field.value));
    else if (step) {
      at = (at + step + shown.length) % shown.length;
      draw();
    } else if (isTaking && !list.hidden) choose(shown[at]);
    else return;
    event.preventDefault();
  };

  return node("div", { class: "hw-completed" }, field, list);
};

/** @type {(tools: Record<string, FormField[]>, draft: CallDraft, onChange: () => void, redraw: () => void) => Drawable[]} */
export const drawCallForm = (tools, draft, onChange, redraw) => [
  toolField(tools, draft, onChange, redraw),
  ...formFields(tools, draft).map((field) => formRow(draft, field, onChange)),
];
