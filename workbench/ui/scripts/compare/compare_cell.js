// One answer of the Compare tab: its calls, text, fixes and figures, with the differences from column A.
import { html, nothing } from "../shared/lit_html.js";
import { argumentTable, callHead, drawBlock, notes, result, status } from "../shared/blocks.js";
import { words } from "../shared/words.js";

// How a cell differs from column A, by its sign.
/** @type {Record<string, string>} */
const WORDS = { "=": "same as in A", "≠": "different from A", "+": "not in A", "−": "only in A" };
/** @type {Record<string, string>} */
const TONES = { "=": "same", "≠": "other", "+": "add", "−": "drop" };

const tone = (/** @type {string} */ mark) => (mark ? "d-" + TONES[mark] : nothing);

const sign = (/** @type {string} */ mark) =>
  mark
    ? html`<span class="hw-sign d-${TONES[mark]}" role="img" aria-label=${WORDS[mark]} title=${WORDS[mark]}>${mark}</span>`
    : "";

const argument = (/** @type {ArgumentView} */ row) =>
  html`<tr class=${tone(row.sign)}><th scope="row">${sign(row.sign)}${row.name}</th><td>${
    row.was ? html`<del aria-label="in A">${row.was}</del>` : ""
  }${row.was && row.value ? " → " : ""}${row.value}</td></tr>`;

const call = (/** @type {CallView} */ { sign: mark, card, arguments: rows }) => {
  const isGone = mark === "−";
  const name = isGone
    ? html`<del class="hw-mono">${card.name}</del>`
    : html`<strong class="hw-mono">${card.name}</strong>`;
  const state = isGone ? html`<span class="hw-note">only in A</span>` : status(card);
  return html`<div class="hw-call${mark ? " d-" + TONES[mark] : ""}">${callHead(name, state, sign(mark))}${
    isGone
      ? ""
      : [argumentTable(rows.map(argument)), notes(card.notes), card.result ? result(card.result) : ""]
  }</div>`;
};

const fix = (/** @type {FixLine} */ line) => {
  const code = line.code + (line.is_guess ? "?" : "");
  const kind = line.is_guess ? "k-guess" : "k-fix";
  return html`<li class=${tone(line.sign)}>${sign(line.sign)}${
    line.sign === "−" ? html`<del class=${kind}>${code}</del>` : html`<code class=${kind}>${code}</code>`
  } <span class="hw-note">${line.note}</span></li>`;
};

const figure = (/** @type {FigureView} */ { name, value, against }) =>
  html`<div><dt>${name}</dt><dd>${value}${
    against ? html`<span class="hw-note" title="compared with A"> ${against}</span>` : ""
  }</dd></div>`;

// Returns an answer without what reveals its column: its letter, its figures and its differences from A.
export const blinded = (/** @type {CellView} */ answer, /** @type {string} */ letter) => ({
  ...answer,
  letter,
  summary: "",
  differs: false,
  message: "",
  fixes: [],
  figures: [],
  calls: answer.calls
    .filter((view) => view.sign !== "−")
    .map((view) => ({
      ...view,
      sign: "",
      arguments: view.arguments
        .filter((row) => row.sign !== "−")
        .map((row) => ({ ...row, sign: "", was: "" })),
    })),
});

// The text alone, or with the words that column A has instead, if the two are alike enough.
const answerText = (
  /** @type {CellView} */ { text, is_alike: isAlike },
  /** @type {boolean} */ hasDifferences,
) =>
  hasDifferences && isAlike ? words(text) : text.map((piece) => (piece.kind === "drop" ? "" : piece.text));

/** @param {CellView} answer @param {string} session @param {boolean} hasDifferences */
export const drawCell = (answer, session, hasDifferences) => {
  const calm = (/** @type {string} */ text) => html`<p class="hw-note hw-calm-line">${text}</p>`;
  const { link } = window.hermesWorkbench.router;
  return html`<section class="hw-compare-cell is-${answer.state}" aria-label="Column ${answer.letter}">
    <div class="hw-compare-head"><span class="hw-letter">${answer.letter}</span><span
      class=${answer.differs ? "hw-differs" : "hw-note"}>${answer.summary}</span><span class="hw-gap"></span>${
        answer.message
          ? html`<a class="hw-note" href=${link("play", { session, message: answer.message })}>Open in Play</a>`
          : ""
      }</div>
    ${
      answer.problem
        ? html`<p class="hw-line t-error"><span class="hw-word">incomplete</span><span>${answer.problem}</span></p>`
        : ""
    }${answer.thoughts.map(drawBlock)}${answer.calls.map(call)}${answer.broken.map(drawBlock)}${
      answer.text.length
        ? html`<div class="hw-prose hw-compare-text" tabindex="0" role="group" aria-label="Answer ${answer.letter}"
            >${answerText(answer, hasDifferences)}</div>`
        : ""
    }${hasDifferences && !answer.is_alike ? calm("The texts differ too much to mark words.") : ""}${answer.notes.map(
      (note) => html`<div class="hw-note hw-end">${note}</div>`,
    )}${
      answer.fixes.length
        ? html`<ul class="hw-compare-fixes" aria-label="Fixes">${answer.fixes.map(fix)}</ul>`
        : answer.message
          ? calm("no fixes")
          : ""
    }${answer.figures.length ? html`<dl class="hw-figures">${answer.figures.map(figure)}</dl>` : ""}</section>`;
};
