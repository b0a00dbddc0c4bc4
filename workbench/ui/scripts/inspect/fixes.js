// The fixes of a completion with their edits, and its findings.
import { codeLink, hint, term } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";

/** @param {string} kind @param {string} code @param {string} note @param {string} place */
const head = (kind, code, note, place, isForeign = false) =>
  html`<div class="hw-fix-head">
    ${isForeign ? html`<code class=${kind}>${code}</code>` : codeLink(code, kind)}${note ? html`<span class="hw-note">${note}</span>` : ""}
    <span class="hw-gap"></span><span class="hw-note">${place}</span>
  </div>`;

const findingRow = (/** @type {FindingRow} */ { severity, code, place, message }) =>
  html`<li class="hw-fix">${head("t-" + severity, code, severity, place)}<div>${message}</div></li>`;

const foreignRow = (/** @type {ForeignRow} */ form) =>
  html`<li class="hw-fix">
    ${head("t-warning", form.dialect, "", form.place, true)}
    <div>${form.sentence}</div>
    ${form.parsers ? html`<div>Server: <code>${form.parsers}</code></div>` : ""}
    <div>Contract: ${form.contract}</div>
  </li>`;

const fixRow = (/** @type {FixRow} */ fix) =>
  html`<li class="hw-fix${fix.is_picked ? " is-selected" : ""}">
    ${head(fix.is_guess ? "k-guess" : "k-fix", fix.code, fix.is_guess ? "guess" : "safe", fix.place)}
    <div>${fix.meaning}</div>
    ${fix.edits.map(
      (edit) =>
        html`<div class="hw-edit"><del aria-label="before">${edit.before}</del><span
          class="hw-note" aria-hidden="true">→</span><ins aria-label="after">${edit.after}</ins><span
          class="hw-note">${edit.times}</span></div>`,
    )}
  </li>`;

/** @type {<Row>(title: Drawable, rows: Row[], draw: (row: Row) => Template) => Drawable} */
const section = (title, rows, draw) => (rows.length ? html`<h3>${title}</h3><ul>${rows.map(draw)}</ul>` : "");

/** @param {Part<FixesView>} part */
export const mount = ({ element, follow }) => {
  follow((value) => {
    render(
      !value || value.hint
        ? hint(value ? value.hint : "")
        : html`${value.calm ? html`<p class="hw-calm">${value.calm}</p>` : ""}
            ${section(term("fix", "Fixes"), value.fixes, fixRow)}
            ${section("Other formats", value.foreign, foreignRow)}
            ${section(term("finding", "Findings"), value.findings, findingRow)}`,
      element,
    );
    element.querySelector(".is-selected")?.scrollIntoView({ block: "nearest" });
  });
};
