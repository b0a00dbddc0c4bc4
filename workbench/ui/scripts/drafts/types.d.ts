// Written by `python -m tests.ui.script_types` from the views and events of the page.

/** One change of a document. It has no effect on other documents, even if its field shows another one by now. */
interface DocumentChange {
  /** `documents.js` explains each way. */
  how: "open" | "create" | "saved" | "moved" | "restored" | "choose" | "edit" | "replace" | "keep" | "sent" | "unsent";
  /** Element id of the field that shows the document. */
  field: string;
  /** Kind and name, such as `contract:minimal`. */
  document: string;
  text: string;
  /** With `open`: the newest saved text, if it is not `text`. */
  saved: string | null;
  /** With `open`: whether nothing is saved, so that a draft that equals `text` stays a draft. */
  is_unsaved: boolean;
  /** With `edit`: the text that was edited. */
  before: string;
  /** With `edit`: the number of the edit, of several that each have all changes so far. 0 for one of its own. */
  number: number;
  /** With `saved` and `moved`: the document's previous id, if it got another one. */
  was: string;
  /** A sentence to show, with an Undo button, if the change replaces a draft. */
  note: string;
}

/** The editors of one tab: their names, the tooltips of its fields, and changes of its documents. */
interface EditorsView {
  /** Element id and name of each code editor, for screen readers. */
  names: ([string, string])[];
  /** Element id of each field whose label has a tooltip, and the glossary term that it explains. */
  tooltips: ([string, string])[];
  /** Element ids of the fields whose texts the browser reports as one event, `change_texts`. */
  watched: string[];
  /** The changes to make now, in order. */
  changes: DocumentChange[];
  /** A new number for every answer of the server, so that equal answers can be distinguished. */
  serial: number;
}

type EditorsEvents = "change_texts" | "open_editors";
