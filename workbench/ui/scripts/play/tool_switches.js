// A switch for each tool of the setup. Event: `switch_tool`, after which the component's value has the tools that are off.
//
// The switches belong to the browser: events read them as they are when they are sent. The server says which tools there
// are, and sets switches only when it fills in a setup or other tools.
import { html, live, render, repeat } from "../shared/lit_html.js";

/** @param {Part<ToolSwitchesView, ToolSwitchesEvents>} part */
export const mount = ({ element, props, follow, triggerLatest }) => {
  /** @type {string[]} */
  let names = [];
  let off = new Set();

  const isOff = (/** @type {string} */ name) => off.has(name);
  const keep = () => {
    props.value = { names, disabled: names.filter(isOff) };
  };

  const turn = (/** @type {string} */ name, /** @type {boolean} */ isOn) => {
    if (isOn) off.delete(name);
    else off.add(name);
    keep();
    triggerLatest("switch_tool", {});
  };

  const box = (/** @type {string} */ name) =>
    html`<label class="hw-switch"><input
      type="checkbox" .checked=${live(!isOff(name))} @change=${(event) => turn(name, event.target.checked)}
    />${name}</label>`;

  follow((value) => {
    if (value?.names) names = [...value.names];
    const before = names.filter(isOff).join();
    if (value?.disabled) off = new Set(value.disabled);
    render(
      html`<div class="hw-tool-switches" role="group" aria-label="Enabled tools">${repeat(names, String, box)}</div>`,
      element,
    );
    keep();
    if (names.filter(isOff).join() !== before) triggerLatest("switch_tool", {});
  });
};
