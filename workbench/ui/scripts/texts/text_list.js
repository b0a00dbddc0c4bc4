// The list of contracts or suites, with those that are only drafts. Event: `open_text`.
import { hasDraft, kept, nameOf } from "../drafts/documents.js";
import { drafts, isReady, onChange } from "../drafts/draft_store.js";
import { node } from "../shared/dom.js";
import { storedText, storeText } from "../shared/storage.js";

// The tab of each kind of text.
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
  let shown = null;
  const list = node("ul", { class: "hw-sessions" });

  const field = node("input", {
    class: "hw-input",
    placeholder: "New name",
    spellcheck: "false",
    onkeydown: (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        make();
      }
    },
  });

  const make = () => {
    if (field.value.trim()) open(field.value.trim(), { isNew: true });
    field.value = "";
  };

  const storedPlace = () => "hermes-workbench:" + kind + ":open";
  const documentId = (name) => kind + ":" + name;

  const tag = node("input", {
    class: "hw-input",
    placeholder: "Tag",
    "aria-label": "Tag of the sessions for a new suite",
    title: "The turns of the sessions with this tag become cases. A label decides what is expected.",
    spellcheck: "false",
    onkeydown: (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        makeFromSessions();
      }
    },
  });

  // The suite is named in the other field, or else by the tag.
  const makeFromSessions = () => {
    const chosen = tag.value.trim();
    if (!chosen) return tag.focus();
    open(field.value.trim() || chosen, { isNew: true, tag: chosen });
    field.value = "";
  };

  const fromSessions = node(
    "div",
    { class: "hw-save", hidden: true },
    tag,
    node("button", { type: "button", class: "hw-act", onclick: makeFromSessions }, "From sessions"),
  );

  element.replaceChildren(
    list,
    node(
      "div",
      { class: "hw-save" },
      field,
      node("button", { type: "button", class: "hw-act", onclick: make }, "New"),
    ),
    fromSessions,
  );

  // Drafts are known once the account is. A new text is opened by the same event, so that an answer to an earlier
  // request never takes its place.
  const open = async (name, { version = null, isNew = false, tag: sessions = "" } = {}) => {
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

  const openPlace = (values, number) => {
    if (!values[kind]) return false;
    request = number;
    open(values[kind], { version: values.version });
  };

  const first = async (names) => {
    isRequested = true;
    await isReady();
    // The contract of Play, unless another one was open here.
    const last = storedText(storedPlace()) || (kind === "contract" && nameOf("play-contract-text"));
    open(names.includes(last) || (last && hasDraft(documentId(last))) ? last : names[0] || "");
  };

  const opened = (value) => {
    current = value.open_name;
    isRequested = false;
    if (current) storeText(storedPlace(), current);
    report();
    request = 0;
  };

  const row = ({ name, note }) =>
    node(
      "li",
      {},
      node(
        "button",
        {
          type: "button",
          class: "hw-session",
          ["data-" + kind]: name,
          "aria-current": name === current ? "true" : null,
          onclick: () => router.goTo(TABS[kind], { [kind]: name }),
        },
        node("span", { class: "hw-title hw-mono" }, name),
        node(
          "span",
          { class: "hw-note" },
          [note, hasDraft(documentId(name)) ? "draft" : ""].filter(Boolean).join(" · "),
        ),
      ),
    );

  const draw = () => {
    if (!shown) return;
    const names = new Set(shown.rows.map((line) => line.name));
    const unsaved = drafts(kind).filter((draft) => !names.has(draft.name));
    const rows = [...shown.rows, ...unsaved.map((draft) => ({ name: draft.name, note: "not saved" }))];
    rows.sort((left, right) => (left.name < right.name ? -1 : 1));
    list.replaceChildren(...rows.map(row));
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
