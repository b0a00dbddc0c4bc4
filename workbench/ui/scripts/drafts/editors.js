// Names Gradio's code editors for screen readers, adds tooltips to the labels of fields, and passes the server's changes
// of documents on to `documents.js`; draws nothing. Events: `open_editors`, and `change_texts` once the texts of the watched
// fields differ from those it last reported.
import { apply } from "./document_changes.js";
import { idOf, onDraw, textOf } from "./documents.js";
import { splitId } from "./draft_store.js";
import { onOpenEditor, showFields } from "./fields.js";

const EVERYWHERE = { childList: true, subtree: true };

showFields();

// CodeMirror indents the line at each Tab, so that nobody could leave an editor by keyboard. Here, Tab leaves it unless
// text is selected. With a selection, Esc and then Tab leaves it, which is CodeMirror's own way.
document.addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Tab" || event.ctrlKey || event.metaKey || event.altKey) return;
    const content = event.target instanceof Element && event.target.closest(".cm-content");
    if (content && window.hermesWorkbench.codeViewOf(content)?.state.selection.main.empty)
      event.stopPropagation();
  },
  true,
);

const contractOf = (/** @type {string} */ place) =>
  splitId(idOf(place))[0] === "contract" ? idOf(place) : "";

/** @param {Part<EditorsView, EditorsEvents>} part */
export const mount = ({ props, trigger, triggerLatest, follow }) => {
  const { names: editors = [], watched = [] } = props.value ?? {};
  for (const [id] of editors) onOpenEditor(id, () => trigger("open_editors", {}));

  // Two contracts can have the same text.
  const shownNow = () => JSON.stringify(watched.map((place) => [textOf(place), contractOf(place)]));
  let reported = shownNow();
  let reporting = 0;
  const report = () => {
    reporting = 0;
    const shown = shownNow();
    if (shown === reported) return;
    reported = shown;
    triggerLatest("change_texts", {});
  };
  // The fields of an answer change one after the other.
  if (watched.length) onDraw(() => (reporting ||= setTimeout(report)));

  // Returns whether all editors and labels were found. Gradio draws those of a tab when the tab is opened.
  const addNames = () => {
    const { names, tooltips } = props.value;
    let isDone = true;
    for (const [id, label] of names) {
      const editor = document.querySelector(`#${id} :is(.cm-content, .hw-plain-editor)`);
      // The tab stop makes an editor that scrolls reachable by keyboard.
      if (editor) {
        editor.setAttribute("aria-label", label);
        editor.setAttribute("tabindex", "0");
      } else isDone = false;
    }
    for (const [id, term] of tooltips) {
      const label = document.querySelector("#" + id + ' [data-testid="block-info"]');
      if (label) label.title = window.hermesWorkbench.terms[term];
      else isDone = false;
    }
    return isDone;
  };

  let last = "";
  follow((value) => {
    // Gradio can report a value again, when another property has changed.
    const json = JSON.stringify([value?.serial, value?.changes]);
    if (json === last) return;
    last = json;
    for (const change of value?.changes || []) apply(change);
  });
  if (!props.value || addNames()) return;
  const watcher = new MutationObserver(() => {
    if (addNames()) watcher.disconnect();
  });
  watcher.observe(document.body, EVERYWHERE);
};
