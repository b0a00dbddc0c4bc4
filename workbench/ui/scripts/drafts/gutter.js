// Marks the lines of a code editor that have problems. CodeMirror's own marks need its modules, which Gradio bundles and
// does not offer. So the marks lie above its gutter, and move with its lines.
import { node } from "../shared/dom.js";

// The code editors, and the problems of their texts, by element id.
/** @type {Map<string, CodeEditor>} */
const views = new Map();
/** @type {Map<string, NoticeLine[]>} */
const problems = new Map();

const markOf = (
  /** @type {CodeEditor} */ view,
  /** @type {number} */ number,
  /** @type {NoticeLine[]} */ found,
) => {
  const { from } = view.state.doc.line(number);
  const text = found.map(({ code, text }) => (code ? `${code}: ${text}` : text)).join("\n");
  return node("button", {
    type: "button",
    class: "hw-mark t-" + (found.some((line) => line.tone === "error") ? "error" : "warning"),
    style: `top: ${view.lineBlockAt(from).top + view.documentPadding.top}px`,
    "aria-label": `Line ${number}: ${text}`,
    "data-text": text,
    onclick: () => {
      view.dispatch({ selection: { anchor: from } });
      view.focus();
    },
  });
};

const draw = (/** @type {string} */ place) => {
  const view = views.get(place);
  const gutter = view?.scrollDOM.querySelector(".cm-gutters");
  if (!view || !gutter) return;
  const byLine = Map.groupBy(
    (problems.get(place) || []).filter(({ line }) => line && line <= view.state.doc.lines),
    ({ line }) => line,
  );
  const marks = [...byLine].map(([number, found]) => markOf(view, number, found));
  const old = view.scrollDOM.querySelector(":scope > .hw-marks");
  const width = gutter.offsetWidth;
  const style = `width: ${width}px; --room: ${view.scrollDOM.clientWidth - width - 24}px`;
  const layer = node("div", { class: "hw-marks", style }, marks);
  if (old?.isEqualNode(layer)) return;
  old?.remove();
  if (marks.length) view.scrollDOM.append(layer);
};

export const markProblems = (/** @type {string} */ place, /** @type {CodeEditor} */ view) => {
  views.set(place, view);
  new ResizeObserver(() => draw(place)).observe(view.contentDOM);
};

window.addEventListener("hw:problems", (event) => {
  const { editor, lines } = /** @type {CustomEvent} */ (event).detail;
  problems.set(editor, lines);
  draw(editor);
});
