// The fields of the page that show documents: Gradio's code editors (CodeMirror 6) and text fields, by element id.
//
// A field is found as soon as Gradio draws it, and again if Gradio draws it again. A lazy editor is a plain text field
// until it gets the focus, since a code editor takes a fifth of the work of opening the page. An editor's text is set
// directly, so that it never shows one document while its edits count for another. Gradio notices, and its value is the
// same.
import { node } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { markProblems } from "./gutter.js";
import {
  allFields,
  discard,
  dropOther,
  edited,
  isOpen,
  onField,
  redo,
  textIn,
  undo,
  useBase,
  useOther,
} from "./documents.js";

// Documents whose drafts are as plain as the text itself, such as a message that is being written.
const PLAIN = new Set([
  "composer",
  "ephemeral",
  "variables",
  "inspect",
  "arguments",
  "toolset",
  "edit",
  "result",
]);

const kindOf = (/** @type {EditedDocument} */ document) => document.id.slice(0, document.id.indexOf(":"));

// The part of a text that differs from another: [start, end in `before`, end in `after`].
const difference = (/** @type {string} */ before, /** @type {string} */ after) => {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return [start, before.length - end, after.length - end];
};

// CodeMirror's own undo would mix documents, and its events come late. So the field listens to its transactions.
// *Source:* @codemirror/view, EditorView.dispatch.
/** @type {(field: DocumentField, view: CodeEditor, onEdit?: (text: string) => void) => FieldInput} */
const codeEditor = (field, view, onEdit = () => {}) => {
  const dispatch = view.dispatchTransactions;
  let isOurs = false;
  // CodeMirror has only \n.
  const plain = (/** @type {string} */ text) => text.replace(/\r\n?/g, "\n");

  const set = (/** @type {string} */ text) => {
    const now = view.state.doc.toString();
    if (now === plain(text)) return;
    const [from, to, end] = difference(now, plain(text));
    isOurs = true;
    try {
      view.dispatch({
        changes: { from, to, insert: plain(text).slice(from, end) },
        selection: { anchor: end },
        scrollIntoView: view.hasFocus,
      });
    } finally {
      isOurs = false;
    }
  };

  view.dispatchTransactions = (transactions, target) => {
    const { doc } = view.state;
    dispatch.call(view, transactions, target);
    if (isOurs || !isOpen(field) || view.state.doc === doc) return;
    const before = doc.toString();
    const text = view.state.doc.toString();
    if (text === before) return;
    const isByPerson = transactions.some((transaction) =>
      ["input", "delete", "move", "undo", "redo"].some((name) => transaction.isUserEvent(name)),
    );
    // An answer that set the editor's value without naming a document. Only `EditorsView` changes documents.
    if (!isByPerson) return set(textIn(field));
    const is = (/** @type {string} */ name) =>
      transactions.some((transaction) => transaction.isUserEvent(name));
    edited(field, before, text, is("input.type") ? "type" : is("delete") ? "delete" : "");
    onEdit(text);
  };
  return { set, isThere: () => view.dom.isConnected };
};

/** @param {DocumentField} field @param {PageElement} input */
const textField = (field, input, onEdit = (/** @type {string} */ _text) => {}) => {
  let text = input.value;
  let isOurs = false;

  const set = (/** @type {string} */ wanted) => {
    text = wanted;
    if (input.value === wanted) return;
    const [, , end] = difference(input.value, wanted);
    isOurs = true;
    input.value = wanted;
    if (document.activeElement === input) input.setSelectionRange(end, end);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    isOurs = false;
  };

  const onInput = (/** @type {any} */ event) => {
    if (isOurs || !isOpen(field)) return;
    const before = text;
    text = input.value;
    if (text === before) return;
    const type = event.inputType || "";
    edited(field, before, text, type === "insertText" ? "type" : type.startsWith("delete") ? "delete" : "");
    onEdit(text);
  };
  input.addEventListener("input", onInput);
  return {
    set,
    typed: () => input.value,
    isThere: () => input.isConnected,
    release: () => input.removeEventListener("input", onInput),
  };
};

// What makes the code editor of a field visible, by element id.
const openers = new Map();
export const onOpenEditor = (/** @type {string} */ place, /** @type {() => void} */ open) =>
  openers.set(place, open);

// The text field that a person edits until the code editor is there. A character that is being composed, and a selection
// with the pointer, end in the field where they began.
/** @type {(field: DocumentField, element: HTMLElement, onEdit: (text: string) => void) => FieldInput} */
const plainField = (field, element, onEdit) => {
  const begin = () => area.classList.add("is-busy");
  const end = () => {
    area.classList.remove("is-busy");
    // Browsers differ in whether the input follows the end of its composition.
    setTimeout(field.find);
  };
  const area = node("textarea", {
    class: "hw-plain-editor",
    spellcheck: "false",
    autocapitalize: "off",
    onfocus: () => openers.get(field.place)?.(),
    onblur: end,
    oncompositionstart: begin,
    oncompositionend: end,
    onpointerdown: ({ offsetX, offsetY }) => {
      // The release of a scroll bar is not reported.
      if (offsetX > area.clientWidth || offsetY > area.clientHeight) return;
      begin();
      window.addEventListener("pointerup", end, { once: true });
      window.addEventListener("pointercancel", end, { once: true });
    },
  });
  element.append(area);
  const { set, release } = textField(field, area, onEdit);
  const isBusy = () => area.classList.contains("is-busy");
  const isThere = () => area.isConnected && (isBusy() || !element.querySelector(".cm-content"));
  return { set, isThere, release, around: area };
};

// The code editor continues where the person is in the plain field: the keys that follow go to it.
/** @param {CodeEditor} view @param {FieldInput} editor @param {HTMLTextAreaElement} area */
const takeOver = (view, editor, area) => {
  editor.set(area.value);
  const [start, end] = [area.selectionStart, area.selectionEnd];
  const isBackward = area.selectionDirection === "backward";
  view.dispatch({ selection: isBackward ? { anchor: end, head: start } : { anchor: start, head: end } });
  view.contentDOM.setAttribute("aria-label", area.getAttribute("aria-label") ?? "");
  view.contentDOM.setAttribute("tabindex", "0");
  const { scrollTop, scrollLeft } = area;
  if (document.activeElement === area) view.focus();
  area.remove();
  // Measures the lines, so that the editor has its height before it is scrolled.
  view.lineBlockAtHeight(0);
  view.scrollDOM.scrollTo(scrollLeft, scrollTop);
};

// Gradio's text field holds the text, which events read; a plain field and then the code editor show it.
/** @type {(field: DocumentField, element: PageElement, view: CodeEditor | null) => FieldInput} */
const lazyEditor = (field, element, view) => {
  const held = textField(field, element.querySelector("textarea"));
  const editor = view ? codeEditor(field, view, held.set) : plainField(field, element, held.set);
  const area = element.querySelector(".hw-plain-editor");
  if (view && area) takeOver(view, editor, area);
  return {
    ...editor,
    set: (text) => {
      held.set(text);
      editor.set(text);
    },
    release: () => {
      held.release();
      editor.release?.();
    },
  };
};

const act = (/** @type {string} */ label, /** @type {() => void} */ work) =>
  html`<button type="button" class="hw-act" @click=${work}>${label}</button>`;

// What a person should know about the draft, and can do with it.
const barOf = (/** @type {OpenField} */ field) => {
  const { document } = field;
  const isDraft = document.draft !== null;
  const isPlain = PLAIN.has(kindOf(document));
  const isApart =
    isDraft && field.base !== null && field.base !== document.saved && field.base !== document.draft;
  const note = (/** @type {string} */ text) => html`<span class="hw-note">${text}</span>`;
  const lost = "The browser cannot store this draft. It is lost when the page closes.";
  return [
    isDraft && !isPlain
      ? [note("Unsaved draft"), act("Discard draft", () => discard(document.id, field))]
      : "",
    document.note ? [note(document.note), act("Undo", () => undo(field))] : "",
    document.other
      ? [
          note("Another tab has a different draft."),
          act("Use it", () => useOther(field)),
          act("Ignore it", () => dropOther(field)),
        ]
      : "",
    isApart && !isPlain ? [note("This session used another text."), act("Use it", () => useBase(field))] : "",
    isDraft && !document.isStored ? html`<span class="hw-note t-error">${lost}</span>` : "",
  ];
};

const onKeyDown = (/** @type {DocumentField} */ field, /** @type {KeyboardEvent} */ event) => {
  if (!isOpen(field) || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && (key !== "y" || event.shiftKey)) return;
  event.preventDefault();
  event.stopPropagation();
  if (key === "z" && !event.shiftKey) undo(field);
  else redo(field);
};

// The browser's own menu can undo, too.
const onBeforeInput = (/** @type {DocumentField} */ field, /** @type {InputEvent} */ event) => {
  if (!isOpen(field) || !event.inputType?.startsWith("history")) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.inputType === "historyUndo") undo(field);
  else redo(field);
};

const find = (/** @type {DocumentField} */ field, element = document.getElementById(field.place)) => {
  if (!element) return;
  const content = element.querySelector(".cm-content");
  const view = content && window.hermesWorkbench.codeViewOf(content);
  const input = element.matches("textarea, input") ? element : element.querySelector("textarea, input");
  if (!view && !input) return;
  const isLazy = element.classList.contains("hw-lazy-editor");
  field.input = isLazy
    ? lazyEditor(field, element, view)
    : view
      ? codeEditor(field, view)
      : textField(field, input);
  if (view) markProblems(field.place, view);
  const around = view ? view.dom : field.input.around || input;
  around.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => onKeyDown(field, event), true);
  around.addEventListener(
    "beforeinput",
    (/** @type {InputEvent} */ event) => onBeforeInput(field, event),
    true,
  );
  field.bar = node("div", { class: "hw-draft", role: "status" });
  if (view || isLazy) element.after(field.bar);
  else input.parentNode.append(field.bar);
  if (!isOpen(field)) return;
  field.drawBar();
  field.input.set(textIn(field));
  // Svelte puts its own value into a field that it has just drawn, after this.
  setTimeout(() => field.input?.set(textIn(field)));
};

const fieldAt = (/** @type {string} */ place) => {
  /** @type {DocumentField} */
  const field = {
    place,
    document: null,
    base: null,
    input: null,
    bar: null,
    write: (text) => field.input?.set(text),
    drawBar: () => field.bar && isOpen(field) && render(barOf(field), field.bar),
    find: () => {
      if (field.input && !field.input.isThere()) {
        // The text field below a lazy editor stays when the code editor is drawn. Two listeners would take what
        // one sets for the edit of a person.
        field.input.release?.();
        field.bar?.remove();
        field.input = field.bar = null;
      }
      if (!field.input) find(field);
    },
  };
  return field;
};

export const showFields = () => {
  onField(fieldAt);
  // Gradio draws the fields of a tab when it is opened, and can draw them again.
  new MutationObserver(() => {
    for (const field of allFields()) field.find();
  }).observe(document.documentElement, { childList: true, subtree: true });
};
