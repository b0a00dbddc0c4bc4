// The texts that a person edits on the page: contracts, tools, suites, the message to send, and so on.
//
// A document has an id of a kind and a name, such as "contract:minimal" or "composer:SESSION", a saved text, at most one
// draft, and an undo history of its own. Fields of the page (`fields.js`) show documents. Two fields can show the same
// document, as Play and Contracts do, and then have the same draft and history.
//
// Drafts are in the browser's storage, one key for each account and document, written at every keystroke. All tabs
// of the browser share them. A tab whose own text is unchanged shows a newer draft of another tab; otherwise it keeps
// its own, says so, and offers the other one.
//
// The server sends changes (`EditorsView` in present/documents.py), which name the document, so that an answer that comes
// late never changes another document. Nothing else may set the text of a field that shows a document.
//
// In `document_changes.js`:
//   apply(change)            make a change that the server sent
//   show(place, id, text)    show a document in the field with this element id
//   beginSession()           show the texts of a new session in Play
// Here:
//   write(place, text)       replace the text of a field, as if a person had typed it; it can be undone
//   textOf(place)            the text of the field
//   textAt(id)               the text of a document that was shown, which its field shows or would show
//   idOf(place)              the id of the document that the field shows
//   idNow(id)                the id that a document has now, after it was saved or renamed
//   nameOf(place)            the name in that id
//   named(place, kind)       name and text as inputs of an event: [name, text]; null for another kind
//   hasDraft(id)             whether there is a draft
//   discard(id)              remove the draft
//   keep(id, text, saved)    store a draft that no field shows; one that equals `saved` is removed
//   kept(id)                 the text of the draft, or null
//   onShow(place, work)      call `work` with the id of each document that the field shows from now on
//   onDraw(work)             call `work` whenever a field may show another text or document
// In `draft_store.js`:
//   drafts(kind)             all drafts of a kind, newest first: [{ id, name, text, at }]
//   onChange(work)           call `work` whenever a draft appears or disappears, here or in another tab
//   isReady()                resolves once the account is known, without which no draft is read
//
// Python's `js=` calls those at the end of `document_changes.js` as `hermesWorkbench.documents`.
import {
  copyOf,
  followTabs,
  hasAccount,
  isOfThisTab,
  notify,
  readRecord,
  removeCopies,
  splitId,
  tellSaved,
  writeDraft,
} from "./draft_store.js";

// Typing without a pause of this length is undone at once.
const PAUSE_MS = 500;
const MOST_STEPS = 500;
const MOST_CHARS = 4e6;

/** @type {Map<string, EditedDocument>} */
const documents = new Map();
// New ids of documents whose answers can still name the previous one.
const moved = new Map();
/** @type {Map<string, DocumentField>} */
const fields = new Map();

export const documentOf = (/** @type {string} */ id) => {
  const known = documents.get(id);
  if (known) return known;
  const record = readRecord(id);
  /** @type {EditedDocument} */
  const created = {
    id,
    saved: undefined,
    draft: record ? record.text : null,
    revision: record ? record.revision : null,
    root: record ? record.revision : null,
    origin: undefined,
    done: [],
    undone: [],
    lastStep: { kind: "", at: 0 },
    note: "",
    other: copyOf(id, record ? record.text : null),
    isApart: false,
    isStored: true,
  };
  documents.set(id, created);
  return created;
};

export const textIn = (/** @type {OpenField} */ field) => field.document.draft ?? field.base ?? "";

/** @param {DocumentField | null | undefined} field @returns {field is OpenField} */
export const isOpen = (field) => Boolean(field?.document);

const fieldsOf = (/** @type {EditedDocument} */ document) =>
  [...fields.values()].filter(isOpen).filter((field) => field.document === document);

// Shows the document's text in its fields. `source` has it already.
export const draw = (
  /** @type {EditedDocument} */ document,
  /** @type {DocumentField | null} */ source = null,
) => {
  for (const field of fieldsOf(document)) {
    if (field !== source) field.write(textIn(field));
    field.drawBar();
  }
  for (const work of drawers) work();
};
/** @type {(() => void)[]} */
const drawers = [];
export const onDraw = (/** @type {() => void} */ work) => drawers.push(work);

// Writes the draft to the storage, or removes it.
export const persist = (/** @type {EditedDocument} */ document) => {
  const [revision, isStored] = writeDraft(document.id, document.draft, document.root, document.isApart);
  Object.assign(document, { revision, isStored });
  if (revision === null) document.root = null;
};

/** @param {EditedDocument} document @param {string} text @param {string | null} base */
export const setDraft = (document, text, base) => {
  const before = document.draft;
  if (before === null && text !== null) document.origin = base ?? undefined;
  document.draft =
    text === document.saved || text === document.origin || (document.saved === null && text === "")
      ? null
      : text;
  if (document.draft === null) document.origin = undefined;
  persist(document);
  if ((before === null) !== (document.draft === null)) notify();
};

/** @param {EditedDocument} document @param {string} text @param {string} kind */
export const remember = (document, text, kind) => {
  const now = Date.now();
  const isSameStep = kind !== "" && kind === document.lastStep.kind && now - document.lastStep.at < PAUSE_MS;
  document.lastStep = { kind, at: now };
  document.undone = [];
  if (isSameStep && document.done.length) return;
  document.done.push(text);
  let chars = document.done.reduce((sum, step) => sum + step.length, 0);
  while (document.done.length > MOST_STEPS || (chars > MOST_CHARS && document.done.length > 1))
    chars -= (document.done.shift() ?? "").length;
};

// Called by `fields.js` after a person has changed the text of a field. `kind` is "type", "delete" or "".
/** @param {OpenField} field @param {string} before @param {string} text @param {string} kind */
export const edited = (field, before, text, kind) => {
  // More than a key: a step of its own.
  const isTyping = Math.abs(text.length - before.length) <= 2;
  remember(field.document, before, isTyping ? kind : "");
  change(field, text, { source: field });
};

/** @type {(field: OpenField, text: string, more?: { note?: string; source?: DocumentField | null }) => void} */
const change = (field, text, { note = "", source = null } = {}) => {
  const { document } = field;
  document.note = note;
  setDraft(document, text, field.base);
  // The text can equal the newest saved text, and not the older one that this field began with.
  if (document.draft === null) field.base = text;
  draw(document, source);
};

export const rewrite = (/** @type {OpenField} */ field, /** @type {string} */ text, note = "") => {
  const before = textIn(field);
  const { document } = field;
  if (before === text) return;
  remember(document, before, "");
  change(field, text, { note });
};

// Undoes or repeats the last step in a field; `from` and `to` are the names of the stacks.
const step = (
  /** @type {OpenField} */ field,
  /** @type {"done" | "undone"} */ from,
  /** @type {"done" | "undone"} */ to,
) => {
  const { document } = field;
  const now = textIn(field);
  while (document[from].length) {
    const text = document[from].pop();
    if (text === undefined || text === now) continue;
    document[to].push(now);
    document.lastStep = { kind: "", at: 0 };
    return change(field, text);
  }
};

export const undo = (/** @type {OpenField} */ field) => step(field, "done", "undone");
export const redo = (/** @type {OpenField} */ field) => step(field, "undone", "done");

const discardIn = (/** @type {EditedDocument} */ document, /** @type {DocumentField | null} */ field) => {
  if (document.draft === null) return;
  remember(document, document.draft, "");
  document.draft = null;
  document.origin = undefined;
  document.note = field ? "Draft discarded." : "";
  persist(document);
  draw(document);
  notify();
};

// The draft of another tab becomes the text of this one. The own text can be brought back.
export const useOther = (/** @type {OpenField} */ field) => {
  const { document } = field;
  const { other } = document;
  if (!other) return;
  removeCopies(document.id, other);
  Object.assign(document, { other: null, isApart: false, root: other.revision });
  rewrite(field, other.text);
  persist(document);
  draw(document);
};

export const dropOther = (/** @type {OpenField} */ field) => {
  const { document } = field;
  removeCopies(document.id, document.other);
  document.other = null;
  persist(document);
  draw(document);
};

// Shows the text that this field's session was sent with in place of the draft.
export const useBase = (/** @type {OpenField} */ field) => rewrite(field, field.base ?? "");

// A message that was typed before the page was filled follows the draft.
const takeTyped = (/** @type {OpenField} */ field, /** @type {string} */ typed) => {
  const { id, draft } = field.document;
  if (!typed.trim() || typed === draft || splitId(id)[0] !== "composer") return;
  rewrite(field, draft?.trim() ? draft + "\n\n" + typed : typed);
};

/** @type {(at: string, id: string, base: string | null, saved?: string | null) => OpenField} */
export const bind = (at, id, base, saved = base) => {
  const found = fieldAt(at);
  const document = documentOf(id);
  const typed = found.document ? "" : (found.input?.typed?.() ?? "");
  moved.delete(id);
  const field = Object.assign(found, { document, base });
  document.saved = saved;
  document.note = "";
  document.lastStep = { kind: "", at: 0 };
  if (document.draft !== null && document.draft === saved) {
    document.draft = null;
    persist(document);
    notify();
  }
  takeTyped(field, typed);
  draw(document);
  for (const work of watchers.get(at) || []) work(id);
  return field;
};

// Calls `work` with the id of each document that the field shows from now on.
const watchers = new Map();
export const onShow = (/** @type {string} */ at, /** @type {(id: string) => void} */ work) =>
  watchers.set(at, [...(watchers.get(at) || []), work]);

export const idNow = (/** @type {string} */ id) => moved.get(id) ?? id;

// Returns the field of a change if it shows the change's document, otherwise null.
export const fieldOf = (/** @type {DocumentChange} */ { field: at, document: id }) => {
  const field = fields.get(at);
  return isOpen(field) && field.document.id === idNow(id) ? field : null;
};

// A text was saved. Fields that show it, or the saved text before it, show it without a draft from now on.
const setSaved = (/** @type {EditedDocument} */ document, /** @type {string} */ text) => {
  for (const field of fieldsOf(document)) {
    if (textIn(field) === text || field.base === document.saved || field.base === null) field.base = text;
  }
  document.saved = text;
  if (document.draft === text) Object.assign(document, { draft: null, origin: undefined });
  document.note = "";
};

/** @type {(document: EditedDocument, text: string, more?: { field?: OpenField | null; isHereOnly?: boolean }) => void} */
export const markSaved = (document, text, { field = null, isHereOnly = false } = {}) => {
  const shown = field && textIn(field);
  const isUnchanged = document.draft === null;
  setSaved(document, text);
  // What the field shows was chosen since, and stays.
  if (field && isUnchanged && shown !== text) document.draft = shown;
  persist(document);
  draw(document);
  notify();
  if (!isHereOnly) tellSaved(document.id, text);
};

// The draft and the history of a document go to another id, such as when a new session gets its id.
export const move = (/** @type {string} */ from, /** @type {string} */ to) => {
  const before = documentOf(from);
  const after = documentOf(to);
  for (const field of fieldsOf(before)) field.document = after;
  moved.set(from, to);
  // A document can go back to its previous id.
  moved.delete(to);
  if (after.draft === null) {
    Object.assign(after, {
      draft: before.draft,
      done: before.done,
      undone: before.undone,
      origin: before.origin,
      saved: before.saved,
    });
    persist(after);
  }
  Object.assign(before, { draft: null, done: [], undone: [], origin: undefined, note: "" });
  persist(before);
};

// The field of an element id, which may not be drawn yet. `fields.js` sets what it does.
/** @type {(place: string) => DocumentField} */
let makeField;
export const onField = (/** @type {typeof makeField} */ make) => (makeField = make);
const fieldAt = (/** @type {string} */ at) => {
  const field = fields.get(at) ?? makeField(at);
  fields.set(at, field);
  field.find();
  return field;
};
export const allFields = () => fields.values();
export const write = (/** @type {string} */ at, /** @type {string} */ text) => {
  const field = fields.get(at);
  if (isOpen(field)) rewrite(field, text);
};

export const textOf = (/** @type {string} */ at) => {
  const field = fields.get(at);
  return isOpen(field) ? textIn(field) : "";
};

export const textAt = (/** @type {string} */ id) => {
  const document = documentOf(idNow(id));
  const [field] = fieldsOf(document);
  return field ? textIn(field) : (document.draft ?? document.saved ?? "");
};

export const idOf = (/** @type {string} */ at) => fields.get(at)?.document?.id ?? "";
export const nameOf = (/** @type {string} */ at) => splitId(idOf(at))[1];
export const named = (/** @type {string} */ at, kind = "") =>
  kind && splitId(idOf(at))[0] !== kind ? null : [nameOf(at), textOf(at)];
export const hasDraft = (/** @type {string} */ id) => hasAccount() && documentOf(id).draft !== null;
export const discard = (/** @type {string} */ id, /** @type {DocumentField | null} */ field = null) =>
  discardIn(documentOf(id), field);

// Drafts that fields of other scripts show.
export const keep = (
  /** @type {string} */ id,
  /** @type {string} */ text,
  /** @type {string | null} */ saved = null,
) => {
  const document = documentOf(id);
  document.saved = saved;
  setDraft(document, text, saved);
};

export const kept = (/** @type {string} */ id) => (hasAccount() ? documentOf(id).draft : null);

// Another tab changed a draft. Its edits follow ours if they are based on our revision, or if ours came from it.
const follow = (
  /** @type {string} */ id,
  /** @type {DraftRecord | null} */ record,
  /** @type {DraftRecord | null} */ removed,
) => {
  const document = documents.get(id);
  if (!document) return notify();
  const isOwn = isOfThisTab(document.revision);
  const isNext =
    document.draft === null ||
    !isOwn ||
    (record ? record.root === document.revision || record.text === document.draft : false) ||
    (!record && removed?.revision === document.revision);
  if (!isNext) {
    // Both are edited. A removed draft of the other tab does not matter to this one.
    if (record) Object.assign(document, { other: record, isApart: true });
    persist(document);
    return draw(document);
  }
  const [field] = fieldsOf(document);
  if (field && textIn(field) !== (record ? record.text : (field.base ?? "")))
    remember(document, textIn(field), "");
  document.draft = record ? record.text : null;
  document.revision = document.root = record ? record.revision : null;
  if (!record) document.origin = undefined;
  document.note = "";
  draw(document);
  notify();
};

followTabs(follow, (id, text) => {
  const document = documents.get(id);
  if (!document) return;
  setSaved(document, text);
  draw(document);
});

// Asks only if something would be lost: a draft that the browser could not store.
window.addEventListener("beforeunload", (event) => {
  const isLost = [...documents.values()].some((document) => document.draft !== null && !document.isStored);
  if (isLost) event.preventDefault();
});
