// A completion as written, as fixed, or with its changes, and examples if there is no completion.
// Events: `example`, `open_kind`.
import { copyText, iconButton } from "../shared/dom.js";
import { emptyPlace } from "../shared/empty_place.js";
import { html, nothing, render } from "../shared/lit_html.js";

// Each way to show the text: its name, its label, and the changes that it leaves out.
/** @type {[name: string, label: string, leftOut: string][]} */
const WAYS = [
  ["written", "As written", "after"],
  ["changes", "Changes", "none"],
  ["fixed", "Fixed", "before"],
];

const drawPiece = (/** @type {ReadPiece} */ piece) => {
  if (piece.change === "")
    return piece.kind === "text" ? piece.text : html`<span class="k-${piece.kind}">${piece.text}</span>`;
  const title = piece.code + (piece.is_guess ? " (guess)" : "");
  const kind = piece.is_guess ? "is-guess" : "";
  return piece.change === "before"
    ? html`<del title=${title} class=${kind}>${piece.text}</del>`
    : html`<ins title=${title} class=${kind}>${piece.text}</ins>`;
};

const drawSection = (/** @type {ReadSection} */ part, /** @type {string} */ leftOut) => {
  const pieces = part.pieces.filter((piece) => piece.change !== leftOut);
  if (pieces.length === 0) return "";
  return html`<section class="hw-segment${part.label ? "" : " is-blank"}" aria-label=${part.label || nothing}><pre
    class="k-label-${part.kind}" data-label=${part.label}>${pieces.map(drawPiece)}</pre></section>`;
};

/** @param {Part<ReadTextView, ReadTextEvents>} part */
export const mount = ({ element, follow, trigger, triggerLatest }) => {
  let way = "changes"; // without fixes, all three are the same text

  const textOf = (/** @type {ReadTextView} */ value, /** @type {string} */ leftOut) =>
    value.sections
      .flatMap(({ pieces }) => pieces.filter((piece) => piece.change !== leftOut).map((piece) => piece.text))
      .join("");

  const wayButton = (
    /** @type {ReadTextView} */ value,
    /** @type {string} */ name,
    /** @type {string} */ label,
  ) =>
    html`<button type="button" class="hw-way" aria-pressed=${name === way} @click=${() => {
      way = name;
      draw(value);
    }}>${label}</button>`;

  const text = (/** @type {ReadTextView} */ value) => {
    const [, , leftOut] = WAYS.find(([name]) => name === way) ?? WAYS[1];
    const label = value.has_fixes ? "Copy the fixed text" : "Copy text";
    const copy = iconButton("copy", label, () => copyText(textOf(value, "before"), copy));
    return html`<div class="hw-bar">${
      value.has_fixes
        ? html`<div class="hw-ways" role="group" aria-label="Text view">${WAYS.map(([name, label]) =>
            wayButton(value, name, label),
          )}</div>`
        : ""
    }<span class="hw-note" role="status">${value.summary}</span><span class="hw-gap"></span><span class="hw-note"
      >${label}</span>${copy}</div>
      <div class="hw-read is-${way}">${value.sections.map((part) => drawSection(part, leftOut))}</div>`;
  };

  const examples = (/** @type {ExamplesView} */ view) =>
    emptyPlace(
      "inspect",
      () => trigger("example", { index: 1 }),
      html`<ul>${view.examples.map(
        (example, index) =>
          html`<li><button type="button" class="hw-example" @click=${() => trigger("example", { index })}><span
            >${example.title}</span><span class="hw-note">${example.lesson}</span></button></li>`,
      )}</ul>`,
    );

  const draw = (/** @type {ReadTextView | null} */ value) =>
    render(
      !value ? "" : value.sections.length ? text(value) : html`<div>${examples(value.empty)}</div>`,
      element,
    );

  window.hermesWorkbench.router.onPlace("inspect", (values) => {
    const { dialect = "", level = "", finish = "", toolset = "" } = values;
    triggerLatest("open_kind", { dialect, level, finish, toolset });
  });

  follow(draw);
};
