// A switch for each tool of the setup. Event: `switch_tool`, after which the component's value has the tools that are off.
//
// The switches belong to the browser: events read them as they are when they are sent. The server says which tools there
// are, and sets switches only when it fills in a setup or other tools.
import { node } from "../shared/dom.js";

/** @param {Part<ToolSwitchesView, ToolSwitchesEvents>} part */
export const mount = ({ element, props, follow, triggerLatest }) => {
  const list = node("div", { class: "hw-tool-switches", role: "group", "aria-label": "Enabled tools" });
  element.replaceChildren(list);
  const boxes = new Map();
  let off = new Set();

  const isOff = (name) => off.has(name);
  const keep = () => {
    const names = [...boxes.keys()];
    props.value = { names, disabled: names.filter(isOff) };
  };

  const boxOf = (name) => {
    const box = node("input", {
      type: "checkbox",
      onchange: () => {
        if (box.checked) off.delete(name);
        else off.add(name);
        keep();
        triggerLatest("switch_tool", {});
      },
    });
    return { box, root: node("label", { class: "hw-switch" }, box, name) };
  };

  const drawNames = (names) => {
    for (const name of [...boxes.keys()].filter((name) => !names.includes(name))) {
      boxes.get(name).root.remove();
      boxes.delete(name);
    }
    const before = new Map(boxes);
    boxes.clear();
    names.forEach((name, place) => {
      boxes.set(name, before.get(name) || boxOf(name));
      const { root } = boxes.get(name);
      if (list.children[place] !== root) list.insertBefore(root, list.children[place] || null);
    });
  };

  follow((value) => {
    if (value?.names) drawNames(value.names);
    const before = [...boxes.keys()].filter(isOff).join();
    if (value?.disabled) off = new Set(value.disabled);
    for (const [name, { box }] of boxes) box.checked = !isOff(name);
    keep();
    if ([...boxes.keys()].filter(isOff).join() !== before) triggerLatest("switch_tool", {});
  });
};
