// The suite in the editor: its problems and its cases.
import { hint } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { wideTable } from "../shared/tables.js";

const HINT =
  "Open a suite from the list, or create a new one. Its problems and cases appear here as you type.";

const problemRow = (/** @type {FaultView} */ { line, place, text }) =>
  html`<li class="hw-line t-error"><span class="hw-word">${line ? "line " + line : "suite"}</span><span>${
    place ? html`<code>${place}</code> ` : ""
  }${text}</span></li>`;

const caseRow = (/** @type {CaseLine} */ line) =>
  html`<tr><th scope="row">${line.id}</th><td>${line.user_text}</td><td class="hw-mono">${line.expectations}</td><td
    class="hw-note">${line.note}</td></tr>`;

const suite = (/** @type {SuiteTextView} */ { faults, note, cases }) =>
  html`${
    faults.length
      ? html`<ul class="hw-faults" aria-live="polite">${faults.map(problemRow)}</ul>`
      : html`<p class="hw-line t-quiet" role="status">No problems found.</p>`
  }<p class="hw-note">${note}</p>${
    cases.length
      ? wideTable("Cases of the suite", ["case", "user message", "expectations", "notes"], cases.map(caseRow))
      : ""
  }`;

/** @param {Part<SuiteTextView>} part */
export const mount = ({ element, follow }) =>
  follow((value) => render(value ? suite(value) : hint(HINT), element));
