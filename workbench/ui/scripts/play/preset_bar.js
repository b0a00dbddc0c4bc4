// The line above the setup: choose, save, rename, share and delete presets, and reset the setup. Events: `preset_act`,
// and `setup_changed`, which passes the values of all fields to `keepSetup`.
import { copyText, node, sharedLink } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { menu } from "../shared/menu.js";

const UNDO_MS = 20000;
// Until all fields have the values of an applied preset.
const FILLED_MS = 1200;
const { hermesWorkbench } = window;

/** @param {Part<PresetBarView, PresetBarEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  /** @type {PresetLine[]} */
  let presets = [];
  let openId = hermesWorkbench.presetInUse();
  let isFirst = true;
  let hiding = 0;
  let filling = 0;
  // The setup and preset from before the last one was applied, and those to put back by the shown Undo.
  /** @type {{ setup: object; open_id: string; applied: string } | null} */
  let before = null;

  // What is changed before the page is filled would be replaced by the answer that fills it.
  const show = () => element.closest(".hw-column")?.classList.remove("is-opening");
  if (!hermesWorkbench.router.afterOpening("play", "setup", show)) show();

  const preset = () => presets.find((item) => item.id === openId);
  const byName = (/** @type {string} */ name) => presets.find((item) => item.name === name.trim());
  const linkOf = (/** @type {string} */ address) =>
    new URL(address, location.origin + location.pathname).href;

  const act = (/** @type {string} */ action, /** @type {object} */ data) => {
    if (action === "apply" || action === "reset")
      before = {
        setup: hermesWorkbench.setupInUse() || {},
        open_id: openId,
        applied: hermesWorkbench.appliedSetup(),
      };
    trigger("preset_act", { action, ...data });
  };

  const select = node("select", {
    class: "hw-input",
    "aria-label": "Preset",
    onchange: () => {
      if (select.value) act("apply", { id: select.value });
      else {
        openId = "";
        hermesWorkbench.keepSetupOrigin(defaults, "");
      }
    },
  });
  let defaults = "";

  const field = node("input", {
    type: "text",
    class: "hw-input",
    maxlength: 100,
    "aria-label": "Preset name",
  });
  const confirm = node("button", { type: "button", class: "hw-act" });
  const naming = node("div", { class: "hw-preset-naming", hidden: true }, field, confirm);
  let save = () => {};

  const nameDone = () => {
    naming.hidden = true;
    select.focus();
  };

  // Asks for a name. `submit` gets it.
  const askName = (
    /** @type {string} */ value,
    /** @type {string} */ label,
    /** @type {(name: string) => void} */ submit,
  ) => {
    field.value = value;
    confirm.textContent = label;
    save = () => {
      if (!field.value.trim()) return field.focus();
      submit(field.value);
      nameDone();
    };
    naming.hidden = false;
    field.focus();
    field.select();
  };

  confirm.addEventListener("click", () => save());
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      save();
    }
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      nameDone();
    }
  });
  // A name that exists already: replacing it can be undone.
  field.addEventListener("input", () => {
    if (confirm.dataset.saves) confirm.textContent = byName(field.value) ? "Replace preset" : "Save preset";
  });

  const saveAs = () => {
    confirm.dataset.saves = "1";
    askName("", "Save preset", (name) => act(byName(name) ? "replace" : "save", { name }));
  };

  const rename = (/** @type {PresetLine} */ item) => {
    delete confirm.dataset.saves;
    askName(item.name, "Rename preset", (name) => act("rename", { id: item.id, name }));
  };

  /** @type {() => MenuItem[]} */
  const items = () => {
    const item = preset();
    return [
      ["Save as preset…", saveAs],
      ...(item ? itemsOf(item) : []),
      ["Reset to defaults", () => act("reset", {})],
    ];
  };

  /** @type {(item: PresetLine) => MenuItem[]} */
  const itemsOf = (item) => [
    ["Save changes to " + item.name, () => act("replace", { name: item.name })],
    ["Apply " + item.name + " again", () => act("apply", { id: item.id })],
    ["Rename " + item.name + "…", () => rename(item)],
    ["Copy link for yourself", () => copyText(linkOf(item.link), copied)],
    item.shared_link ? null : ["Share " + item.name + " by a link", () => act("share", { id: item.id })],
    ["Delete " + item.name, () => act("delete", { id: item.id })],
  ];

  const drawChanged = () => {
    changed.textContent = preset() && hermesWorkbench.isPresetChanged() ? "changed" : "";
  };

  const changed = node("span", { class: "hw-note hw-changed" });
  // Shows the check mark after a link was copied.
  const copied = node("span", { class: "hw-note", role: "status" }, node("span", {}));
  const shared = node("div", { class: "hw-preset-link", hidden: true });
  const line = node("p", { class: "hw-preset-note", role: "status", hidden: true });
  const bar = node("div", { class: "hw-preset-bar" }, select, changed, copied, menu("Preset actions", items));
  element.replaceChildren(bar, naming, shared, line);

  const drawChoices = () => {
    render(
      [
        html`<option value="">${presets.length ? "No preset" : "No presets yet"}</option>`,
        presets.map((item) => html`<option value=${item.id} title=${item.note}>${item.name}</option>`),
      ],
      select,
    );
    select.value = preset() ? openId : "";
    const link = preset()?.shared_link;
    shared.hidden = !link;
    render(
      link ? sharedLink("Link to this preset", linkOf(link), () => act("unshare", { id: openId })) : "",
      shared,
    );
  };

  const drawLine = (/** @type {PresetBarView} */ { undo, problem }) => {
    clearTimeout(hiding);
    const back = before;
    const putBack = (
      /** @type {PresetUndo} */ undone,
      /** @type {PageEvent} */ { currentTarget: button },
    ) => {
      button.disabled = true;
      if (undone.action === "put_back" && back) {
        clearTimeout(filling);
        hermesWorkbench.keepApplied(back.applied);
        act("put_back", { setup: back.setup, open_id: back.open_id });
      } else act("restore", { id: undone.id, in_place_of: undone.in_place_of });
    };
    line.hidden = !undo && !problem;
    line.className = "hw-preset-note" + (problem ? " t-error" : "");
    // Each Undo can be pressed once.
    const button =
      undo &&
      node("button", { type: "button", class: "hw-act", onclick: (event) => putBack(undo, event) }, "Undo");
    render(html`<span>${problem || undo?.text}</span>${button}`, line);
    if (undo) hiding = setTimeout(() => (line.hidden = true), UNDO_MS);
  };

  follow((value) => {
    if (!value) return;
    ({ presets, defaults } = value);
    if (value.open_id !== null) openId = value.open_id;
    else if (isFirst && hermesWorkbench.router.session()) openId = "";
    isFirst = false;
    if (value.is_filled) {
      clearTimeout(filling);
      filling = setTimeout(() => hermesWorkbench.keepApplied(), FILLED_MS);
    }
    hermesWorkbench.keepSetupOrigin(defaults, openId);
    drawChoices();
    drawLine(value);
    drawChanged();
  });

  const onEvent = (/** @type {string} */ name, /** @type {(event: any) => void} */ work) => {
    const listener = (/** @type {Event} */ event) => {
      if (element.isConnected) work(event);
      else window.removeEventListener(name, listener);
    };
    window.addEventListener(name, listener);
  };

  onEvent("hw:collect-setup", () => trigger("setup_changed", {}));
  onEvent("hw:setup", drawChanged);
  onEvent("hw:preset", (event) => act("apply", { id: event.detail }));
  onEvent("hw:reset-setup", () => act("reset", {}));
  onEvent("hw:save-preset", () => setTimeout(saveAs, 150));
};
