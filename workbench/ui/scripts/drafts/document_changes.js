// The changes of documents that the server sends, as `DocumentChange` in present/documents.py. Each names its document
// and has no effect if its field shows another one by now.
import {
  bind,
  documentOf,
  draw,
  fieldOf,
  hasDraft,
  idOf,
  keep,
  kept,
  markSaved,
  move,
  named,
  nameOf,
  remember,
  rewrite,
  setDraft,
  textIn,
  textOf,
  write,
} from "./documents.js";
import { drafts, hasAccount, isReady, whenReady } from "./draft_store.js";
import { make } from "./server_edits.js";

const restored = (/** @type {DocumentChange} */ change, /** @type {boolean} */ isHereOnly) => {
  const field = fieldOf(change);
  if (isHereOnly && !field) return;
  const document = field ? field.document : documentOf(change.document);
  const shown = field ? textIn(field) : document.draft;
  if (shown !== null && shown !== change.text) remember(document, shown, "");
  const isDraft = document.draft !== null;
  if (field) field.base = change.text;
  document.draft = null;
  document.origin = undefined;
  markSaved(document, change.text, { isHereOnly });
  document.note = isDraft ? change.note : "";
  draw(document);
};

/** @type {Record<string, (change: DocumentChange) => void>} */
const CHANGES = {
  // Shows a document with its draft, if it has one. `text` is shown otherwise; `saved` is its newest saved text.
  open: ({ field, document: id, text, saved: newest, is_unsaved: isUnsaved }) => {
    const saved = isUnsaved ? null : (newest ?? text);
    // A session that was sent with the draft: discarding the draft shows the saved text.
    const isDraft = saved !== null && kept(id) === text;
    bind(field, id, isDraft ? saved : text, saved);
  },

  // A new document, which has no saved text. It begins with `text`, unless there is a draft.
  create: (change) => {
    const field = bind(change.field, change.document, null);
    if (field.document.draft === null) setDraft(field.document, change.text, null);
    draw(field.document);
  },

  // The text was saved. What was typed since stays a draft.
  saved: (change) => {
    if (change.was && change.was !== change.document) move(change.was, change.document);
    markSaved(documentOf(change.document), change.text, { field: fieldOf(change) });
  },

  // The document got another id.
  moved: (change) => {
    if (change.was !== change.document) move(change.was, change.document);
  },

  // The saved text changed, and the field shows it. A draft that it replaces can be brought back.
  restored: (change) => restored(change, false),

  // The same for a text that was chosen, such as the tools of a toolset. It is not saved, so other tabs keep theirs.
  choose: (change) => restored(change, true),

  // An edit that the server made of the text `before`.
  edit: make,

  // Replaces the text of the field, such as with another message. A draft that it replaces can be brought back.
  replace: (change) => {
    const field = fieldOf(change);
    if (!field) return;
    const isDraft = field.document.draft !== null && field.document.draft !== "";
    rewrite(field, change.text, isDraft ? change.note : "");
  },

  // Shows another document that begins with the text that the field shows now, unless it has a draft.
  keep: (change) => {
    if (idOf(change.field) !== change.document)
      bind(change.field, change.document, textOf(change.field), null);
  },

  // A message was sent. What was typed since stays.
  sent: (sent) => {
    const field = fieldOf(sent);
    const now = field ? textIn(field) : kept(sent.document) || "";
    const rest = now.startsWith(sent.text) ? now.slice(sent.text.length).trimStart() : now;
    if (!field) {
      if (now) keep(sent.document, rest, "");
      return;
    }
    const { document } = field;
    remember(document, now, "");
    field.base = document.saved = "";
    document.origin = undefined;
    setDraft(document, rest, "");
    draw(document);
  },

  // A message could not be sent and comes back, before what was typed since.
  unsent: (change) => {
    const field = fieldOf(change);
    const now = field ? textIn(field) : kept(change.document) || "";
    if (now === change.text) return;
    const text = now.trim() ? change.text + "\n\n" + now : change.text;
    if (field) rewrite(field, text);
    else keep(change.document, text, "");
  },
};

// Fields have no other line breaks.
const plain = (/** @type {string | null | undefined} */ text) =>
  text === null || text === undefined ? null : text.replace(/\r\n?/g, "\n");

export const apply = (/** @type {ChangeRequest} */ change) => {
  const { text, saved, before } = change;
  whenReady(() =>
    CHANGES[change.how](
      /** @type {DocumentChange} */ ({
        ...change,
        text: plain(text),
        saved: plain(saved),
        before: plain(before),
      }),
    ),
  );
};

export const show = (/** @type {string} */ at, /** @type {string} */ id, /** @type {string} */ text) =>
  apply({ how: "open", field: at, document: id, text });

// Shows the texts of a new session at once, so that what is typed before the server answers is typed there. The answer
// makes the same changes (`kept_changes` in present/documents.py).
const beginSession = () => {
  const fields = { tools: "play-tools-text", ephemeral: "play-ephemeral", variables: "play-variables" };
  for (const [kind, field] of Object.entries(fields)) apply({ how: "keep", field, document: kind + ":new" });
  show("play-composer", "composer:new", documentOf("composer:new").saved ?? "");
};

// A form of several fields has one draft, its values as JSON.
const keepForm = (/** @type {string} */ name, /** @type {unknown[]} */ values) => {
  if (hasAccount()) keep("form:" + name, JSON.stringify(values));
  return [];
};

const keptForm = async (/** @type {string} */ name) => {
  await isReady();
  return kept("form:" + name) || "";
};

// Puts the drafts of contracts into the second input of an event.
const withDrafts = async (/** @type {unknown[]} */ [state, , ...values]) => {
  await isReady();
  const texts = drafts("contract").map(({ name, text }) => [name, text]);
  return [state, JSON.stringify(Object.fromEntries(texts)), ...values];
};

window.hermesWorkbench.documents = {
  show,
  write,
  beginSession,
  idOf,
  named,
  nameOf,
  textOf,
  hasDraft,
  drafts,
  keepForm,
  keptForm,
  withDrafts,
};
