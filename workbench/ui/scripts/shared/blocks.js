// Draws a message block by block, for the transcript and the Label tab. The values are those of `present.blocks`.
import { html, nothing } from "./lit_html.js";
import { changeRows } from "./world_changes.js";

export const status = (/** @type {{ tone: string; status: string }} */ card) =>
  html`<span class="hw-status s-${card.tone}">${card.status}</span>`;

export const callHead = (
  /** @type {Drawable} */ name,
  /** @type {Drawable} */ state,
  /** @type {Drawable} */ sign = "",
) => html`<div class="hw-call-head">${sign}<span class="hw-word k-call">call</span>${name}${state}</div>`;

export const staleWord = () => html`<span class="hw-stale">stale</span>`;

/** @param {ResultRow} value @param {CallLabel["result"]} [label] */
export const result = (value, label) =>
  html`<div class="hw-result${value.is_error ? " is-error" : ""}${label?.isStale ? " is-stale" : ""}" data-key=${
    label?.key ?? nothing
  }><span class="hw-word k-result">${value.is_error ? "failed" : "result"}</span>${
    label?.isStale ? staleWord() : ""
  }<code>${value.text}</code><span class="hw-note">${value.note}</span></div>${label?.said ?? ""}`;

export const argumentTable = (/** @type {Drawable[]} */ rows) =>
  rows.length
    ? html`<table class="hw-arguments"><tbody>${rows}</tbody></table>`
    : html`<div class="hw-note hw-arguments">no arguments</div>`;

export const notes = (/** @type {string[]} */ texts) =>
  texts.map((text) => html`<div class="hw-finding">${text}</div>`);

const fold = (/** @type {string} */ kind, /** @type {Drawable} */ summary, /** @type {Drawable} */ body) =>
  html`<details class=${kind}><summary>${summary}</summary>${body}</details>`;

const prose = (/** @type {{ text: string }} */ { text }) => html`<div class="hw-prose">${text}</div>`;
const pre = (/** @type {string} */ text) => html`<pre>${text}</pre>`;

/** @param {CallCard} block @param {CallLabel} [label] */
export const drawCall = (block, label) =>
  html`<div class="hw-call${label?.kind ?? ""}" data-call=${block.index} data-key=${label?.key ?? nothing}>
    ${callHead(html`<strong class="hw-mono">${block.name}</strong>`, status(block))}${argumentTable(
      block.arguments.map((row) => html`<tr><th scope="row">${row.name}</th><td>${row.value}</td></tr>`),
    )}${notes(block.notes)}${label?.said ?? ""}${
      block.result ? [result(block.result, label?.result), changeRows(block.result.changes)] : ""
    }</div>`;

// The value of each kind has the type that `TranscriptEntry` names.
/** @type {Record<string, (block: any) => Template>} */
const KINDS = {
  prose,
  thought: (/** @type {ThoughtBlock} */ block) =>
    fold("hw-thought", html`<span>thought</span><span class="hw-note">${block.note}</span>`, prose(block)),
  call: (/** @type {CallCard} */ block) => drawCall(block),
  broken: (/** @type {BrokenCall} */ block) =>
    html`<div class="hw-call is-broken">${callHead("", status(block))}${pre(block.text)}${notes(block.notes)}</div>`,
  stray: (/** @type {TrailingBlock} */ block) =>
    fold("hw-thought", html`<span>${block.label}</span>`, pre(block.text)),
  result: (/** @type {LooseResult} */ block) =>
    html`<div class="hw-call is-loose">${result(block.result)}${changeRows(block.result.changes)}</div>`,
  folded: (/** @type {FoldedBlock} */ block) =>
    fold("hw-folded", html`<span>${block.summary}</span>`, pre(block.text)),
};

export const drawBlock = (/** @type {TranscriptEntry["blocks"][number]} */ block) => KINDS[block.kind](block);
