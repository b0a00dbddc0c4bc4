// The schemas of the offered tools, beside the call: one line for each parameter.
import { html } from "../shared/lit_html.js";
import { store, stored } from "../shared/storage.js";

const FOLDS = "hermes-workbench:label:folds";

const optionText = (/** @type {string} */ choice) => (choice.startsWith('"') ? JSON.parse(choice) : choice);

const about = (/** @type {string} */ text) => (text ? html`<span class="hw-about">${text}</span>` : "");

const parameter = (/** @type {FormField} */ field) =>
  html`<li><code>${field.name}</code><span class="hw-note">${field.type}${
    field.is_required ? " · required" : ""
  }</span>${
    field.choices.length && field.kind === "choice" && field.type !== "boolean"
      ? html`<span class="hw-note hw-options">${field.choices.map(optionText).join(" | ")}</span>`
      : ""
  }${about(field.description)}</li>`;

// A fold that stays as the annotator left it.
/**
 * @param {string} name
 * @param {boolean} isOpenAtFirst
 * @param {Template} summary
 * @param {Template | Template[]} parts
 */
const fold = (name, isOpenAtFirst, summary, parts) => {
  const open = { [name]: isOpenAtFirst, ...stored(FOLDS) }[name];
  const keep = (/** @type {PageEvent} */ event) =>
    store(FOLDS, { ...stored(FOLDS), [name]: !event.currentTarget.parentElement.open });
  return html`<details class="hw-schema" ?open=${open}><summary @click=${keep}>${summary}</summary>${parts}</details>`;
};

const schema = (/** @type {ConversationView} */ conversation, /** @type {string} */ name) =>
  html`${conversation.descriptions[name] ? html`<p class="hw-about">${conversation.descriptions[name]}</p>` : ""}${
    conversation.tools[name].length
      ? html`<ul>${conversation.tools[name].map(parameter)}</ul>`
      : html`<p class="hw-note">no parameters</p>`
  }`;

const calledTool = (/** @type {ConversationView} */ conversation, /** @type {string} */ name) =>
  conversation.tools[name]
    ? fold("called", true, html`<span>Schema of </span><code>${name}</code>`, schema(conversation, name))
    : html`<p class="hw-line t-warning">The tool ${name} is not offered.</p>`;

// Draws the schema of the called tool, and those of the other tools folded.
/** @param {ConversationView} conversation @param {string} called */
export const drawSchemas = (conversation, called) => {
  const others = Object.keys(conversation.tools).filter((name) => name !== called);
  const summary = html`<span>${called ? "Other tools" : "Offered tools"} (${others.length})</span>`;
  const schemas = others.map((name) => html`<h4><code>${name}</code></h4>${schema(conversation, name)}`);
  return [
    called ? calledTool(conversation, called) : "",
    others.length ? fold("others", false, summary, schemas) : "",
  ];
};
