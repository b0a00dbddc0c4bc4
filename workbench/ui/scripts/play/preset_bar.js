// The line above the setup: choose, save, rename, share and delete presets, and reset the setup. Events: `preset_act`,
// and `setup_changed`, which passes the values of all fields to `keepSetup`.
import { copyText, node, sharedLink } from "../shared/dom.js";
import { menu } from "../shared/menu.js";

const UNDO_MS = 20000;
// Until all fields have the values of an applied preset.
const FILLED_MS = 1200;
const { hermesWorkbench } = window;

/** @param {Part<PresetBarView, PresetBarEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  let presets = [];
  let openId = hermesWorkbench.presetInUse();
  let isFirst = true;
  let hiding = 0;
  let filling = 0;
  // The setup and preset from before the last one was applied, and those to put back by the shown Undo.
  let before = null;

  // What is changed before the page is filled would be replaced by the answer that fills it.
  const column = element.closest(".hw-column") ?? element;
  column.inert = hermesWorkbench.router.afterOpening("play", "setup", () => (column.inert = false));

  const preset = () => presets.find((item) => item.id === openId);
  const byName = (name) => presets.find((item) => item.name === name.trim());
  const linkOf = (address) => new URL(address, location.origin + location.pathname).href;

  const act = (action, data) => {
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
  const askName = (value, label, submit) => {
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

  const rename = (item) => {
    delete confirm.dataset.saves;
    askName(item.name, "Rename preset", (name) => act("rename", { id: item.id, name }));
  };

  const items = () => {
    const item = preset();
    return [
      ["Save as preset…", saveAs],
      item && ["Save changes to " + item.name, () => act("replace", { name: item.name })],
      item && ["Apply " + item.name + " again", () => act("apply", { id: item.id })],
      item && ["Rename " + item.name + "…", () => rename(item)],
      item && ["Copy link for yourself", () => copyText(linkOf(item.link), copied)],
      item && !item.shared_link && ["Share " + item.name + " by a link", () => act("share", { id: item.id })],
      item && ["Delete " + item.name, () => act("delete", { id: item.id })],
      ["Reset to defaults", () => act("reset", {})],
    ];
  };

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
    select.replaceChildren(
      node("option", { value: "" }, presets.length ? "No preset" : "No presets yet"),
      ...presets.map((item) => node("option", { value: item.id, title: item.note }, item.name)),
    );
    select.value = preset() ? openId : "";
    const link = preset()?.shared_link;
    shared.hidden = !link;
    shared.replaceChildren(
      ...(link ? sharedLink("Link to this preset", linkOf(link), () => act("unshare", { id: openId })) : []),
    );
  };

  const drawLine = (value) => {
    clearTimeout(hiding);
    const undo = value.undo;
    const back = before;
    line.hidden = !undo && !value.problem;
    line.className = "hw-preset-note" + (value.problem ? " t-error" : "");
    line.replaceChildren(
      ...[
        node("span", {}, value.problem || (undo ? undo.text : "")),
        undo
          ? node(
              "button",
              {
                type: "button",
                class: "hw-act",
                onclick: (event) => {
                  event.currentTarget.disabled = true;
                  if (undo.action === "put_back") {
                    clearTimeout(filling);
                    hermesWorkbench.keepApplied(back.applied);
                    act("put_back", { setup: back.setup, open_id: back.open_id });
                  } else act("restore", { id: undo.id, in_place_of: undo.in_place_of });
                },
              },
              "Undo",
            )
          : "",
      ].filter(Boolean),
    );
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

  const onEvent = (name, work) => {
    const listener = (event) => {
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
