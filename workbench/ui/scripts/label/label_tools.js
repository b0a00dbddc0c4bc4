// The schemas of the offered tools, beside the call: one line for each parameter.
import { node } from "../shared/dom.js";
import { store, stored } from "../shared/storage.js";

const FOLDS = "hermes-workbench:label:folds";

const optionText = (choice) => (choice.startsWith('"') ? JSON.parse(choice) : choice);

const parameter = (field) =>
  node(
    "li",
    {},
    node("code", {}, field.name),
    node("span", { class: "hw-note" }, field.type + (field.is_required ? " · required" : "")),
    field.choices.length && field.kind === "choice" && field.type !== "boolean"
      ? node("span", { class: "hw-note hw-options" }, field.choices.map(optionText).join(" | "))
      : null,
    field.description ? node("span", { class: "hw-about" }, field.description) : null,
  );

// A fold that stays as the labeller left it.
const fold = (name, isOpenAtFirst, summary, ...parts) => {
  const open = { [name]: isOpenAtFirst, ...stored(FOLDS) }[name];
  const details = node(
    "details",
    { class: "hw-schema", open: Boolean(open) },
    node("summary", { onclick: () => store(FOLDS, { ...stored(FOLDS), [name]: !details.open }) }, summary),
    parts,
  );
  return details;
};

const schema = (talk, name) => [
  talk.descriptions[name] ? node("p", { class: "hw-about" }, talk.descriptions[name]) : null,
  talk.tools[name].length
    ? node("ul", {}, talk.tools[name].map(parameter))
    : node("p", { class: "hw-note" }, "no parameters"),
];

// Draws the schema of the called tool, and those of the other tools folded.
export const drawSchemas = (talk, called) => {
  const others = Object.keys(talk.tools).filter((name) => name !== called);
  const parts = [];
  if (called && talk.tools[called])
    parts.push(
      fold("called", true, [node("span", {}, "Schema of "), node("code", {}, called)], schema(talk, called)),
    );
  else if (called)
    parts.push(node("p", { class: "hw-line t-warning" }, "The tool " + called + " is not offered."));
  if (others.length)
    parts.push(
      fold(
        "others",
        false,
        node("span", {}, (called ? "Other tools" : "Offered tools") + " (" + others.length + ")"),
        others.map((name) => [node("h4", {}, node("code", {}, name)), schema(talk, name)]),
      ),
    );
  return parts;
};
