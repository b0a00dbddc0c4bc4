// The list of contracts or suites, with those that are only drafts. Event: `open_text`.
import { hasDraft, kept, nameOf } from "../drafts/documents.js";
import { drafts, isReady, onChange } from "../drafts/draft_store.js";
import { node } from "../shared/dom.js";
import { html, nothing, render, repeat } from "../shared/lit_html.js";
import { storedText, storeText } from "../shared/storage.js";

// The tab of each kind of text.
/** @type {Record<string, string>} */
const TABS = { contract: "contracts", suite: "suites" };

/** @param {Part<TextListView, TextListEvents>} part */
export const mount = ({ element, follow, triggerLatest }) => {
  const { router } = window.hermesWorkbench;
  let kind = "";
  // The router's request that is being answered.
  let request = 0;
  // The text in the editor, and whether a text was requested and has not arrived yet.
  let current = "";
  let isRequested = false;
  /** @type {TextListView | null} */
  let shown = null;
  const list = node("ul", { class: "hw-sessions" });

  // A field whose Enter calls `work`.
  const textField = (/** @type {() => void} */ work, /** @type {Attributes} */ attributes) => {
    const onkeydown = (/** @type {PageEvent} */ event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      work();
    };
    return node("input", { class: "hw-input", spellcheck: "false", onkeydown, ...attributes });
  };
  const button = (/** @type {string} */ text, /** @type {() => void} */ work) =>
    html`<button type="button" class="hw-act" @click=${work}>${text}</button>`;

  const make = () => {
    if (field.value.trim()) open(field.value.trim(), { isNew: true });
    field.value = "";
  };

  const storedPlace = () => "hermes-workbench:" + kind + ":open";
  const documentId = (/** @type {string} */ name) => kind + ":" + name;

  // The suite is named in the other field, or else by the tag.
  const makeFromSessions = () => {
    const chosen = tag.value.trim();
    if (!chosen) return tag.focus();
    open(field.value.trim() || chosen, { isNew: true, tag: chosen });
    field.value = "";
  };

  const field = textField(make, { placeholder: "New name" });
  const tag = textField(makeFromSessions, {
    placeholder: "Tag",
    "aria-label": "Tag of the sessions for a new suite",
    title: "The turns of the sessions with this tag become cases. A label decides what is expected.",
  });
  const fromSessions = node(
    "div",
    { class: "hw-save", hidden: true },
    tag,
    button("From sessions", makeFromSessions),
  );
  element.replaceChildren(list, node("div", { class: "hw-save" }, field, button("New", make)), fromSessions);

  // Drafts are known once the account is. A new text is opened by the same event, so that an answer to an earlier
  // request never takes its place.
  const open = async (
    /** @type {string} */ name,
    { version = "", isNew = false, tag: sessions = "" } = {},
  ) => {
    isRequested = true;
    await isReady();
    triggerLatest("open_text", {
      name,
      is_new: isNew,
      tag: sessions,
      is_draft: hasDraft(documentId(name)),
      version: Number(version) || null,
      draft: (version && kept(documentId(name))) || "",
    });
  };

  // A version that the address names stays there as long as its text is open.
  const report = () => {
    if (element.offsetParent === null) return;
    const known = router.valuesOf(TABS[kind]);
    router.here(TABS[kind], known[kind] === current ? known : { [kind]: current }, { request });
  };

  const openPlace = (/** @type {PlaceValues} */ values, /** @type {number} */ number) => {
    if (!values[kind]) return false;
    request = number;
    open(values[kind], { version: values.version });
  };

  const first = async (/** @type {string[]} */ names) => {
    isRequested = true;
    await isReady();
    // The contract of Play, unless another one was open here.
    const last = storedText(storedPlace()) || (kind === "contract" ? nameOf("play-contract-text") : "");
    open(names.includes(last) || (last && hasDraft(documentId(last))) ? last : names[0] || "");
  };

  const opened = (/** @type {TextListView} */ value) => {
    current = value.open_name;
    isRequested = false;
    if (current) storeText(storedPlace(), current);
    report();
    request = 0;
  };

  const row = (/** @type {TextRow} */ { name, note }) =>
    html`<li><button type="button" class="hw-session" data-contract=${kind === "contract" ? name : nothing}
      data-suite=${kind === "suite" ? name : nothing} aria-current=${name === current ? "true" : nothing}
      @click=${() => router.goTo(TABS[kind], { [kind]: name })}><span class="hw-title hw-mono">${name}</span><span
      class="hw-note">${[note, hasDraft(documentId(name)) ? "draft" : ""].filter(Boolean).join(" · ")}</span></button></li>`;

  const draw = () => {
    if (!shown) return;
    const names = new Set(shown.rows.map((line) => line.name));
    const unsaved = drafts(kind).filter((draft) => !names.has(draft.name));
    const rows = [...shown.rows, ...unsaved.map((draft) => ({ name: draft.name, note: "not saved" }))];
    rows.sort((left, right) => (left.name < right.name ? -1 : 1));
    render(
      repeat(rows, ({ name }) => name, row),
      list,
    );
  };

  onChange(draw);

  follow((value) => {
    if (!value) return;
    if (!kind) {
      kind = value.kind;
      fromSessions.hidden = kind !== "suite";
      router.onPlace(TABS[kind], openPlace);
      new ResizeObserver(() => current && report()).observe(element);
    }
    list.setAttribute("aria-label", kind[0].toUpperCase() + kind.slice(1) + "s");
    field.setAttribute("aria-label", "Name of a new " + kind);
    if (value.is_look && !current && !value.open_name)
      return void (isRequested || first(value.rows.map((line) => line.name)));
    if (value.is_look) current ||= value.open_name;
    else opened(value);
    shown = value;
    draw();
  });
};
