// Drafts in the browser's storage: one key for each account and document, shared by all tabs.
//
// A record is { text, revision, root, at }: which tab wrote it and its number there, the revision of another tab that
// the edits are based on, and the time. The account is known once the server has said who uses the page; until then no
// draft is read.
import { stored, store } from "../shared/storage.js";

const PREFIX = "hermes-workbench:";
const TAB = Math.random().toString(36).slice(2, 10);

/** @type {string | null} */
let account = null;
let count = 0;
/** @type {(() => void)[]} */
const waiting = [];
const listeners = new Set();

const start = (/** @type {string} */ what) => PREFIX + what + ":" + encodeURIComponent(account ?? "") + ":";
const draftKey = (/** @type {string} */ id) => start("draft") + id;
const savedKey = () => start("saved");
// A tab whose draft differs from the stored one stores its own as a copy, so that neither is lost.
const copyStart = (/** @type {string} */ id) => start("copy") + id + "~";
const copyKey = (/** @type {string} */ id) => copyStart(id) + TAB;

export const splitId = (/** @type {string} */ id) => [
  id.slice(0, id.indexOf(":")),
  id.slice(id.indexOf(":") + 1),
];

export const hasAccount = () => account !== null;

export const setAccount = (/** @type {string} */ name) => {
  if (account !== null) return;
  account = name;
  for (const work of waiting.splice(0)) work();
  notify();
};

// Calls `work` once the account is known.
export const whenReady = (/** @type {() => void} */ work) => {
  if (account === null) waiting.push(work);
  else work();
};

export const isReady = () => /** @type {Promise<void>} */ (new Promise(whenReady));

// Calls `work` whenever a draft appears or disappears, here or in another tab.
export const onChange = (/** @type {() => void} */ work) => listeners.add(work);

export const notify = () => {
  for (const work of listeners) work();
};

const keys = () => {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
};

export const readRecord = (/** @type {string} */ id) => stored(draftKey(id));

// Stores the draft of a document; null removes it. Returns the revision, and whether it is stored.
/** @type {(id: string, text: string | null, root: string | null, isApart: boolean) => [string | null, boolean]} */
export const writeDraft = (id, text, root, isApart) => {
  const key = isApart ? copyKey(id) : draftKey(id);
  if (text === null) {
    store(key, null);
    return [null, true];
  }
  count += 1;
  const revision = TAB + ":" + count;
  return [revision, store(key, { text, revision, root, at: Date.now() })];
};

export const isOfThisTab = (/** @type {string | null} */ revision) =>
  revision !== null && revision.startsWith(TAB + ":");

// Returns a copy that another tab stored, or null. Copies that equal the draft are removed.
export const copyOf = (/** @type {string} */ id, /** @type {string | null} */ draft) => {
  for (const key of keys().filter((name) => name.startsWith(copyStart(id)) && name !== copyKey(id))) {
    const copy = stored(key);
    if (copy && copy.text !== draft) return { ...copy, key };
    store(key, null);
  }
  return null;
};

export const removeCopies = (/** @type {string} */ id, /** @type {DraftRecord | null} */ copy) => {
  if (copy?.key) store(copy.key, null);
  store(copyKey(id), null);
};

// All drafts of a kind, or of all kinds, newest first.
export const drafts = (kind = "") => {
  if (account === null) return [];
  const found = [];
  for (const key of keys().filter((name) => name.startsWith(draftKey(kind && kind + ":")))) {
    const record = stored(key);
    const id = key.slice(draftKey("").length);
    if (record) found.push({ id, name: splitId(id)[1], text: record.text, at: record.at });
  }
  return found.sort((left, right) => right.at - left.at);
};

// Says to the other tabs that a text was saved.
export const tellSaved = (/** @type {string} */ id, /** @type {string} */ text) => {
  count += 1;
  store(savedKey(), { id, text, revision: TAB + ":" + count });
};

const parsed = (/** @type {string | null} */ text) => {
  try {
    return JSON.parse(text || "null");
  } catch {
    return null;
  }
};

// Calls `onDraft(id, record, removed)` and `onSaved(id, text)` for what other tabs do.
/**
 * @param {(id: string, record: DraftRecord | null, removed: DraftRecord | null) => void} onDraft
 * @param {(id: string, text: string) => void} onSaved
 */
export const followTabs = (onDraft, onSaved) =>
  window.addEventListener("storage", ({ key, newValue, oldValue }) => {
    if (account === null || !key) return;
    const record = parsed(newValue);
    if (key === savedKey()) return void (record && onSaved(record.id, record.text));
    if (key.startsWith(draftKey(""))) onDraft(key.slice(draftKey("").length), record, parsed(oldValue));
  });
