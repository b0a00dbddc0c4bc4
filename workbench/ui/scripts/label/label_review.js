// Samples for review in the dialog of a labelling project: rows of each tool or finding, lots, gold rows, and models as
// annotators.
import { node } from "../shared/dom.js";

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
export const reviewParts = (desk, manage, button, isOwner, letModelLabel) => {
  const { review } = desk.state;
  const filter = desk.filterText();

  const part = (title, ...parts) => node("fieldset", {}, node("legend", {}, title), ...parts.filter(Boolean));

  const note = (text) => node("p", { class: "hw-note" }, text);

  const lines = (texts) =>
    texts.length
      ? node(
          "ul",
          { class: "hw-review-lines" },
          texts.map((text) => node("li", {}, text)),
        )
      : null;

  // A form whose button sends the values of its fields.
  const form = (what, text, names, sendTo = manage) => {
    const inputs = names.map((name) => {
      const input = node("input", { class: "hw-input", "data-review": name });
      input.value = FIELDS[name][1];
      return input;
    });
    const send = () =>
      sendTo({
        what,
        shown: filter,
        ...Object.fromEntries(inputs.map((input) => [input.dataset.review, input.value])),
      });
    return [
      ...inputs.map((input) =>
        node("label", { class: "hw-question" }, node("span", {}, FIELDS[input.dataset.review][0]), input),
      ),
      button(text, send),
    ];
  };

  const lot = (each) =>
    node(
      "li",
      {},
      node("strong", {}, each.name),
      ": " + each.state + ". ",
      node("span", { class: "hw-note" }, each.plan),
      each.can_record ? button("Record verdict", () => manage({ what: "record", lot: each.name })) : null,
    );

  const chosen =
    "The rows are chosen from all of yours that match the filter: " + (filter || "no filter") + ".";

  return [
    isOwner
      ? part(
          "Sample for review",
          note(chosen),
          ...form("sample", "Assign sample", ["per_tool", "per_finding", "seed"]),
        )
      : null,
    part(
      "Lots",
      review.lots.length ? node("ul", { class: "hw-review-lines" }, review.lots.map(lot)) : null,
      isOwner
        ? note(
            "All rows that match the filter are accepted or rejected by a sample of them: " +
              (filter || "no filter") +
              ".",
          )
        : null,
      ...(isOwner ? form("lot", "Draw lot", ["lot", "good", "bad", "seed"]) : []),
    ),
    part(
      "Gold rows",
      lines(review.accuracies),
      isOwner
        ? note(
            "Label rows in the queue of all sessions first. All annotators get them and cannot recognize them.",
          )
        : null,
      isOwner ? button("Make these gold rows", () => manage({ what: "gold" })) : null,
      isOwner ? button("Make these ordinary rows", () => manage({ what: "no-gold" })) : null,
    ),
    part(
      "Models as annotators",
      lines(review.models),
      isOwner
        ? note(
            "A model labels all assigned rows that it has not labelled yet. Its labels count in no figure of people.",
          )
        : null,
      ...(isOwner ? form("judge", "Label with this model", ["model"], letModelLabel) : []),
    ),
  ].filter(Boolean);
};
