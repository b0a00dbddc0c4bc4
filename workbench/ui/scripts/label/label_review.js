// Samples for review in the dialog of a labelling project: rows of each tool or finding, lots, gold rows, and models as
// annotators.
import { html } from "../shared/lit_html.js";

/** @type {Record<string, [label: string, value: string]>} */
const FIELDS = {
  per_tool: ["Rows for each tool", "0"],
  per_finding: ["Rows for each finding", "0"],
  seed: ["Seed", "0"],
  lot: ["Name of the lot", ""],
  good: ["Good lot: at most % bad", "1"],
  bad: ["Bad lot: at least % bad", "5"],
  model: ["Model", ""],
};

// The parts for somebody who may decide; an owner also draws samples.
/**
 * @param {Desk} desk
 * @param {(fields: ManageOrder) => void} manage
 * @param {(text: string, work: () => void) => Drawable} button
 * @param {boolean} isOwner
 * @param {(fields: ManageOrder) => void} letModelLabel
 */
export const reviewParts = (desk, manage, button, isOwner, letModelLabel) => {
  const { review } = desk.state;
  const filter = desk.filterText();

  /** @param {string} title @param {...Drawable} parts */
  const part = (title, ...parts) => html`<fieldset><legend>${title}</legend>${parts}</fieldset>`;

  const note = (/** @type {string} */ text) => (isOwner ? html`<p class="hw-note">${text}</p>` : "");

  const lines = (/** @type {Template[]} */ items) =>
    items.length ? html`<ul class="hw-review-lines">${items}</ul>` : "";
  const texts = (/** @type {string[]} */ list) => lines(list.map((text) => html`<li>${text}</li>`));

  const act = (/** @type {string} */ text, /** @type {string} */ what) =>
    isOwner ? button(text, () => manage({ what })) : "";

  // A form of an owner, whose button sends the values of its fields.
  /** @param {string} what @param {string} text @param {string[]} names */
  const form = (what, text, names, sendTo = manage) => {
    if (!isOwner) return "";
    const values = Object.fromEntries(names.map((name) => [name, FIELDS[name][1]]));
    const field = (/** @type {string} */ name) =>
      html`<label class="hw-question"><span>${FIELDS[name][0]}</span><input class="hw-input" data-review=${name}
        .value=${FIELDS[name][1]} @input=${(event) => (values[name] = event.target.value)}></label>`;
    return [names.map(field), button(text, () => sendTo({ what, shown: filter, ...values }))];
  };

  const lot = (/** @type {LotView} */ each) =>
    html`<li><strong>${each.name}</strong>: ${each.state}. <span class="hw-note">${each.plan}</span>${
      each.can_record ? button("Record verdict", () => manage({ what: "record", lot: each.name })) : ""
    }</li>`;

  const chosen = filter || "no filter";
  return [
    isOwner
      ? part(
          "Sample for review",
          note(`The rows are chosen from all of yours that match the filter: ${chosen}.`),
          form("sample", "Assign sample", ["per_tool", "per_finding", "seed"]),
        )
      : "",
    part(
      "Lots",
      lines(review.lots.map(lot)),
      note(`All rows that match the filter are accepted or rejected by a sample of them: ${chosen}.`),
      form("lot", "Draw lot", ["lot", "good", "bad", "seed"]),
    ),
    part(
      "Gold rows",
      texts(review.accuracies),
      note(
        "Label rows in the queue of all sessions first. All annotators get them and cannot recognize them.",
      ),
      act("Make these gold rows", "gold"),
      act("Make these ordinary rows", "no-gold"),
    ),
    part(
      "Models as annotators",
      texts(review.models),
      note(
        "A model labels all assigned rows that it has not labelled yet. Its labels count in no figure of people.",
      ),
      form("judge", "Label with this model", ["model"], letModelLabel),
    ),
  ];
};
