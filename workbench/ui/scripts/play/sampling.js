// The numbers below the model: sampling, the maximum number of rounds, and the switch for token probabilities. The page
// declares them as `hermesWorkbench.samplingFields`; the component's value has what each field shows, and events read it.
import { node } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { foldButton } from "../shared/fold.js";

const MOST_LINES = 6;

// For each kind of field its element, and how to show and read a value.
/** @type {Record<string, (declared: SamplingField) => SamplingControl>} */
const CONTROLS = {
  number: ({ least, most, step }) => {
    const element = node("input", { type: "number", class: "hw-input", min: least, max: most, step });
    return {
      element,
      read: () => (element.value === "" ? null : Number(element.value)),
      show: (value) => (element.value = value ?? ""),
    };
  },

  choice: ({ options = [] }) => {
    const choices = options.map(([text, value]) => node("option", { value }, text));
    const element = node("select", { class: "hw-input" }, choices);
    return { element, read: () => Number(element.value), show: (value) => (element.value = value) };
  },

  lines: ({ placeholder }) => {
    const grow = () => (element.rows = Math.min(MOST_LINES, element.value.split("\n").length));
    const element = node("textarea", { class: "hw-input", rows: 1, placeholder, oninput: grow });
    return {
      element,
      read: () => element.value,
      show: (value) => {
        element.value = value ?? "";
        grow();
      },
    };
  },

  switch: () => {
    const element = node("input", { type: "checkbox" });
    return { element, read: () => element.checked, show: (value) => (element.checked = Boolean(value)) };
  },
};

/** @param {Part<SamplingView>} part */
export const mount = ({ element, props, follow }) => {
  const change = () => {
    props.value = { values: Object.fromEntries(fields.map(({ name, read }) => [name, read()])) };
  };

  const fields = window.hermesWorkbench.samplingFields.map((declared) => {
    const control = CONTROLS[declared.kind](declared);
    control.element.addEventListener("input", change);
    control.element.id = declared.id + "-field";
    const label = node("label", { class: "hw-setting-name", for: control.element.id }, declared.label);
    const isSwitch = declared.kind === "switch";
    const parts = isSwitch ? [control.element, label] : [label, control.element];
    const root = node("div", { id: declared.id, class: isSwitch ? "hw-switch" : "hw-setting" }, parts);
    return { ...control, name: declared.name, row: declared.row, root };
  });
  const inRow = (/** @type {(row: number) => boolean} */ is) =>
    fields.filter(({ row }) => is(row)).map(({ root }) => root);

  const more = node(
    "div",
    { id: "play-more-sampling", class: "hw-more-sampling", hidden: true },
    html`<div class="hw-settings">${inRow((row) => row === 1)}</div>${inRow((row) => row > 1)}`,
  );
  const button = foldButton("More sampling", more.id, (isOpen) => (more.hidden = !isOpen));
  render([html`<div class="hw-settings">${inRow((row) => row === 0)}</div>`, button, more], element);

  follow((value) => {
    for (const { name, read, show } of fields)
      if (value && value.values[name] !== read()) show(value.values[name]);
  });
};
