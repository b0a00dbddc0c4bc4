// The command palette, opened with Ctrl+K. Event: `find_any`.
import { idOf, textOf, write } from "../drafts/documents.js";
import { drafts, splitId } from "../drafts/draft_store.js";
import { node } from "../shared/dom.js";
import { html, render, repeat } from "../shared/lit_html.js";
import { onKeys, pressUnseen, switchTheme } from "../shared/page.js";

const WAIT_MS = 120;
const TRIES = 30;
const press = (/** @type {string} */ id) => () => pressUnseen(id);
const dispatch = (/** @type {string} */ name) => () => window.dispatchEvent(new Event(name));

const tabButtons = () => [...document.querySelectorAll("#page-tabs > .tab-wrapper [role='tab']")];

const toTab = (/** @type {string} */ name) => {
  const tab = tabButtons().find((button) => button.textContent.trim() === name);
  if (tab) tab.click();
};

const firstField = (/** @type {string} */ id) => () => {
  toTab("Play");
  setTimeout(() => {
    const field = document.querySelector(id);
    if (field) field.focus();
  }, WAIT_MS);
};

const inPlay = (/** @type {() => void} */ work) => () => {
  toTab("Play");
  work();
};

// Drafts that have a place on the page to open, and how a person would name them.
/** @type {Record<string, string>} */
const DRAFTS = {
  contract: "contract",
  suite: "suite",
  tool: "tool",
  mocks: "mock rules",
  inspect: "completion",
  composer: "message",
  tools: "tools of a session",
  variables: "variables of a session",
  ephemeral: "ephemeral part of a session",
};

const nameOfDraft = (/** @type {{ id: string; name: string; text: string }} */ { id, name, text }) => {
  const kind = splitId(id)[0];
  if (["contract", "suite"].includes(kind)) return name;
  if (["tool", "mocks"].includes(kind))
    return name === "new" ? "New tool" : name.slice(name.indexOf("/") + 1);
  return text.trim().split("\n")[0].slice(0, 80) || "(empty)";
};

const draftItems = () =>
  drafts()
    .filter(({ id }) => DRAFTS[splitId(id)[0]])
    .map((draft) => ({
      kind: "draft",
      id: draft.id,
      name: nameOfDraft(draft),
      note: DRAFTS[splitId(draft.id)[0]],
      text: draft.text,
    }));

// Clicks a button that a tab draws only when it is opened: tries until it is there.
const pressLater = (/** @type {string} */ selector, tries = TRIES) => {
  const button = document.querySelector(selector);
  if (button && button.offsetParent !== null) button.click();
  else if (tries > 0) setTimeout(() => pressLater(selector, tries - 1), WAIT_MS);
};

// A message of a session that no longer exists goes into the composer.
const rescue = (/** @type {FoundItem} */ item, tries = TRIES) => {
  if (idOf("play-composer") === item.id) return;
  if (tries > 0) return void setTimeout(() => rescue(item, tries - 1), WAIT_MS);
  const typed = textOf("play-composer");
  const { text = "" } = item;
  if (!typed.includes(text)) write("play-composer", [typed, text].filter(Boolean).join("\n\n"));
};

const keyOf = (/** @type {FoundItem} */ item) => item.kind + " " + (item.id || item.name);

/** @param {Part<PaletteView, PaletteEvents>} part */
export const mount = ({ element, follow, props, triggerLatest }) => {
  /** @type {[name: string, note: string, work: () => void][]} */
  const COMMANDS = [
    ["New session", "starts an empty session", inPlay(press("play-new"))],
    ["Choose a model", "on this machine or on a server", dispatch("hw:models")],
    ["Reset the setup to defaults", "contract, tools, model, sampling", inPlay(dispatch("hw:reset-setup"))],
    ["Save the setup as a preset", "", inPlay(dispatch("hw:save-preset"))],
    ["Write a message", "moves to the composer", firstField("#play-composer textarea")],
    ["Stop the model", "", press("play-stop")],
    ["Export this session", "as ShareGPT", inPlay(press("play-export-open"))],
    ["Export all sessions", "as ShareGPT", inPlay(press("play-export-all"))],
    ["Load or remove the demo dataset", "sessions with defects", inPlay(press("play-demo"))],
    ["Switch light and dark", "", switchTheme],
    ["Show keyboard shortcuts", "?", dispatch("hw:keys")],
    ["Show the tour", "four steps", inPlay(dispatch("hw:tour"))],
  ];

  const { router } = window.hermesWorkbench;
  /** @type {Record<string, (item: FoundItem) => void>} */
  const GOES = {
    session: (item) => router.goTo("play", { session: item.id ?? "" }),
    contract: (item) => router.goTo("contracts", { contract: item.id ?? "" }),
    tool: (item) => router.goTo("tools", { tool: item.id ?? "" }),
    suite: (item) => router.goTo("suites", { suite: item.id ?? "" }),
    preset: (item) => {
      toTab("Play");
      window.dispatchEvent(new CustomEvent("hw:preset", { detail: item.id }));
    },
    draft: (item) => {
      const [kind, name] = splitId(item.id ?? "");
      if (kind === "contract") router.goTo("contracts", { contract: name });
      else if (kind === "suite") router.goTo("suites", { suite: name });
      else if (["tool", "mocks"].includes(kind) && name !== "new")
        router.goTo("tools", { tool: name.slice(name.indexOf("/") + 1) });
      else if (["tool", "mocks"].includes(kind)) {
        toTab("Tools");
        pressLater("#tools-tools .hw-act");
      } else if (kind === "inspect") toTab("Inspect");
      else if (name === "new") inPlay(press("play-new"))();
      else {
        router.goTo("play", { session: name });
        if (kind === "composer") rescue(item);
      }
    },
    tab: (item) => toTab(item.name),
    command: (item) => item.work?.(),
  };

  const field = node("input", {
    type: "text",
    class: "hw-input",
    role: "combobox",
    "aria-label": "Find anything",
    "aria-expanded": "true",
    "aria-autocomplete": "list",
    "aria-controls": "page-palette-list",
    placeholder: "Find a session, contract, tool, suite, preset, tab or command",
    autocomplete: "off",
    spellcheck: "false",
  });

  const list = node("ul", {
    id: "page-palette-list",
    role: "listbox",
    "aria-label": "Found",
    class: "hw-found",
  });

  const hint = node("p", { class: "hw-hint", role: "status" });

  const dialog = node(
    "dialog",
    { class: "hw-dialog hw-palette", "aria-label": "Find anything" },
    field,
    list,
    hint,
    node("footer", { class: "hw-note" }, "↑ ↓ to move · Enter to open · Esc to close"),
  );

  element.replaceChildren(dialog);
  /** @type {FoundItem[]} */
  let shown = [];
  let at = 0;
  let typed = 0;

  const hasWords = (/** @type {string} */ text) =>
    field.value
      .toLowerCase()
      .split(/\s+/)
      .every((/** @type {string} */ word) => text.toLowerCase().includes(word));

  const ownItems = () =>
    [
      ...tabButtons().map((button) => ({ kind: "tab", name: button.textContent.trim(), note: "" })),
      ...COMMANDS.map(([name, note, work]) => ({ kind: "command", name, note, work })),
      ...draftItems(),
    ].filter((item) => hasWords(item.kind + " " + item.name + " " + item.note));

  const choose = (/** @type {number} */ to) => {
    at = shown.length ? (to + shown.length) % shown.length : 0;
    drawRows();
    const row = list.children[at];
    if (!row) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", row.id);
    row.scrollIntoView({ block: "nearest" });
  };

  const go = (/** @type {FoundItem | undefined} */ item) => {
    dialog.close();
    if (item) GOES[item.kind](item);
  };

  const row = (/** @type {FoundItem} */ item, /** @type {number} */ index) =>
    html`<li role="option" id="page-palette-${index}" aria-selected=${String(index === at)} @click=${() => go(item)}
      @mousemove=${() => index !== at && choose(index)}><span class="hw-note">${item.kind}</span><span
      class="hw-title">${item.name}</span><span class="hw-note">${item.note}</span></li>`;

  // Rows that are still found keep their elements: a click is lost if its element is replaced before the button is up.
  const drawRows = () =>
    render(
      repeat(shown, (item) => keyOf(item) + item.name, row),
      list,
    );

  // Results that arrive later do not move the selection.
  const draw = () => {
    const value = props.value;
    const chosen = at > 0 && shown[at] ? keyOf(shown[at]) : null;
    const found = value && value.query === field.value ? value.items : [];
    shown = field.value.trim() ? [...found, ...ownItems()] : [...ownItems(), ...found];
    hint.textContent = shown.length
      ? ""
      : value && value.query === field.value
        ? "No results. Try fewer words."
        : "Searching…";
    hint.hidden = shown.length > 0;
    choose(Math.max(0, chosen ? shown.findIndex((item) => keyOf(item) === chosen) : 0));
  };

  const ask = () => triggerLatest("find_any", { query: field.value });

  field.addEventListener("input", () => {
    at = 0;
    draw();
    clearTimeout(typed);
    typed = setTimeout(ask, 150);
  });

  const open = () => {
    field.value = "";
    at = 0;
    dialog.showModal();
    draw();
    ask();
  };

  /** @type {Record<string, () => void>} */
  const KEYS = {
    ArrowDown: () => choose(at + 1),
    ArrowUp: () => choose(at - 1),
    Enter: () => go(shown[at]),
    Escape: () => dialog.close(),
  };

  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const isOurs =
      event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (isOurs) {
      event.preventDefault();
      event.stopPropagation();
      if (dialog.open) dialog.close();
      else if (!document.querySelector("dialog[open]")) open();
    } else if (dialog.open) {
      // No other shortcut of the page works while the palette is open.
      event.stopPropagation();
      if (event.isComposing || !KEYS[event.key]) return;
      event.preventDefault();
      KEYS[event.key]();
    }
  };

  onKeys(element, window, onKey);

  window.addEventListener("hw:palette", () => {
    if (element.isConnected && !dialog.open) open();
  });

  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });

  follow(() => {
    if (dialog.open) draw();
  });
};
