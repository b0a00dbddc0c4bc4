// Edits of a document's text that the server makes, such as those of the grid of a tool's parameters.
//
// Answers can come late, or in another order than they were asked for. An edit that is asked for again and again, each
// time with all changes so far, is numbered: once a newer one was made, an older one is out of date. An edit counts for
// its document, also if the field shows another one by now.
//
//   ask(id)        the number of a new edit of a document
//   editOf(id)     { asked, made, text }: the numbers of the newest edit that was asked for and of the newest that was
//                  made, and the text that the latter gave
//   make(change)   make the edit that the server sent, as `DocumentChange` in present/documents.py
import { documentOf, draw, fieldOf, idNow, remember, rewrite, setDraft, textAt } from "./documents.js";

const edits = new Map();

export const editOf = (/** @type {string} */ id) => {
  const now = idNow(id);
  if (!edits.has(now)) edits.set(now, { asked: 0, made: 0, text: null });
  return edits.get(now);
};

export const ask = (/** @type {string} */ id) => (editOf(id).asked += 1);

export const make = (/** @type {DocumentChange} */ change) => {
  const { document: id, number, before, note } = change;
  const edit = editOf(id);
  if (number && number < edit.made) return;
  const now = textAt(id);
  // The edit before this one was of the same text.
  const isExpected = now === before || now === edit.text;
  // What was typed at the end since stays.
  const rest = !isExpected && now.startsWith(before) ? now.slice(before.length) : "";
  const text = change.text + rest;
  if (number) Object.assign(edit, { made: number, text });
  const field = fieldOf(change);
  if (field) rewrite(field, text, isExpected || rest ? "" : note);
  else if (isExpected && now !== text) {
    const document = documentOf(idNow(id));
    remember(document, now, "");
    setDraft(document, text, now);
    draw(document);
  }
};
