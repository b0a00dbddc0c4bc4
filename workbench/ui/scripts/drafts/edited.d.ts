// Documents and the fields that show them (`documents.js`), drafts (`draft_store.js`), and what the fields use of
// CodeMirror.

/** A draft as the browser stores it. */
interface DraftRecord {
  text: string;
  /** Which tab wrote it, and its number there. */
  revision: string;
  /** The revision of another tab that the edits are based on. */
  root: string | null;
  /** Milliseconds since 1970. */
  at: number;
  /** The key of a copy. */
  key?: string;
}

interface EditedDocument {
  /** Kind and name, such as `contract:minimal`. */
  id: string;
  /** The newest saved text; null if there is none, undefined if it is not known. */
  saved: string | null | undefined;
  draft: string | null;
  /** Which tab wrote the draft, and its number there. */
  revision: string | null;
  /** The revision of another tab that the edits of this tab are based on. */
  root: string | null;
  /** The text that the draft began with. Going back to it removes the draft. */
  origin: string | undefined;
  /** Texts that Undo and Redo bring back, the next one at the end. */
  done: string[];
  undone: string[];
  lastStep: { kind: string; at: number };
  /** A sentence about what has just happened, which can be undone. */
  note: string;
  /** A different draft of another tab, which is offered. */
  other: DraftRecord | null;
  /** Whether the storage has the draft of another tab in place of this one. */
  isApart: boolean;
  isStored: boolean;
}

/** What a field is typed in: a text field, a code editor, or both. */
interface FieldInput {
  set: (text: string) => void;
  isThere: () => boolean;
  typed?: () => string;
  release?: () => void;
  around?: HTMLElement;
}

interface DocumentField {
  /** Its element id. */
  place: string;
  document: EditedDocument | null;
  /** The text that it shows without a draft. */
  base: string | null;
  /** null until Gradio has drawn it. */
  input: FieldInput | null;
  bar: HTMLElement | null;
  write: (text: string) => void;
  drawBar: () => void;
  find: () => void;
}

/** A field that shows a document. */
type OpenField = DocumentField & { document: EditedDocument };

interface CodeTransaction {
  isUserEvent: (name: string) => boolean;
}

/** *Source:* @codemirror/view, `EditorView`. */
interface CodeEditor {
  state: {
    doc: { toString(): string; lines: number; line: (number: number) => { from: number } };
    selection: { main: { empty: boolean } };
  };
  dispatch: (transaction: object) => void;
  dispatchTransactions: (transactions: CodeTransaction[], view: CodeEditor) => void;
  dom: HTMLElement;
  contentDOM: HTMLElement;
  scrollDOM: HTMLElement;
  documentPadding: { top: number };
  hasFocus: boolean;
  focus: () => void;
  lineBlockAt: (position: number) => { top: number };
  lineBlockAtHeight: (height: number) => unknown;
}

/** A change of a document that a script or the server asks for. */
type ChangeRequest = Partial<DocumentChange> & Pick<DocumentChange, "how" | "field" | "document">;
