// Two versions of a text side by side; on a narrow page below each other. Event: `compare_version`.
import { iconButton } from "../shared/dom.js";
import { html, live, render } from "../shared/lit_html.js";

/** @param {number | null} number @param {DiffPiece[]} pieces @param {string} sign */
const line = (number, pieces, sign) =>
  html`<span class="hw-side-number" aria-hidden="true">${number}</span><span class="hw-sign">${sign}</span><span
    class="hw-side-text">${pieces.map((piece) => (piece.is_changed ? html`<mark>${piece.text}</mark>` : piece.text))}</span>`;

const row = (
  /** @type {SideRow} */ { kind, skipped, before, after, before_number: from, after_number: to },
) => {
  if (kind === "skip")
    return html`<div class="hw-side-skip">${skipped === 1 ? "1 unchanged line" : skipped + " unchanged lines"}</div>`;
  if (kind === "same")
    return html`<div class="hw-side-row is-same"><div class="hw-side is-before">${line(from, before, " ")}</div><div
      class="hw-side is-after">${line(to, after, " ")}</div></div>`;
  const empty = html`<div class="hw-side is-empty"></div>`;
  return html`<div class="hw-side-row">${
    from === null ? empty : html`<del class="hw-side is-before">${line(from, before, "−")}</del>`
  }${to === null ? empty : html`<ins class="hw-side is-after">${line(to, after, "+")}</ins>`}</div>`;
};

/** @param {Part<VersionDiffView, VersionDiffEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  // Compares the two chosen versions, the second one with the first if `isSwapped`.
  const compare = (isSwapped = false) => {
    const [before, after] = [...element.querySelectorAll("select")].map((field) => field.value);
    trigger("compare_version", isSwapped ? { id: after, after: before } : { id: before, after });
  };

  const comparison = (/** @type {VersionDiffView} */ value) => {
    const choice = (/** @type {string} */ label, /** @type {string} */ chosen) =>
      html`<select class="hw-input" aria-label=${label} @change=${() => compare()}>${value.choices.map(
        ([id, name]) => html`<option value=${id} .selected=${live(id === chosen)}>${name}</option>`,
      )}</select>`;
    return html`<div class="hw-diff-head">${choice("Compare from", value.before_id)}<span
      aria-hidden="true">→</span>${choice("Compare to", value.after_id)}${iconButton(
        "compare",
        "Swap versions",
        () => compare(true),
      )}<span class="hw-note" role="status">${value.summary}</span>${iconButton(
        "cross",
        "Close comparison",
        () => render("", element),
      )}</div>${
        value.rows.length
          ? html`<div class="hw-sides" tabindex="0" role="group" aria-label=${value.title}>${value.rows.map(row)}</div>`
          : ""
      }`;
  };

  follow((value) => {
    render(value && comparison(value), element);
    if (value) element.scrollIntoView({ block: "nearest" });
  });
};
