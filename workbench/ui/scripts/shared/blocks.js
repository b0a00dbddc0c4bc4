// Draws a message block by block, for the transcript and the Label tab. The values are those of `present.blocks`.
import { node } from "./dom.js";
import { changeRows } from "./world_changes.js";

export const status = (card) => node("span", { class: "hw-status s-" + card.tone }, card.status);

export const result = (value) =>
  node(
    "div",
    { class: "hw-result" + (value.is_error ? " is-error" : "") },
    node("span", { class: "hw-word k-result" }, value.is_error ? "failed" : "result"),
    node("code", {}, value.text),
    node("span", { class: "hw-note" }, value.note),
  );

export const blocks = {
  prose: (block) => node("div", { class: "hw-prose" }, block.text),
  thought: (block) =>
    node(
      "details",
      { class: "hw-thought" },
      node("summary", {}, node("span", {}, "thought"), node("span", { class: "hw-note" }, block.note)),
      node("div", { class: "hw-prose" }, block.text),
    ),
  call: (block) =>
    node(
      "div",
      { class: "hw-call", "data-call": block.index },
      node(
        "div",
        { class: "hw-call-head" },
        node("span", { class: "hw-word k-call" }, "call"),
        node("strong", { class: "hw-mono" }, block.name),
        status(block),
      ),
      block.arguments.length === 0
        ? node("div", { class: "hw-note hw-arguments" }, "no arguments")
        : node(
            "table",
            { class: "hw-arguments" },
            node(
              "tbody",
              {},
              block.arguments.map((row) =>
                node("tr", {}, node("th", { scope: "row" }, row.name), node("td", {}, row.value)),
              ),
            ),
          ),
      block.notes.map((note) => node("div", { class: "hw-finding" }, note)),
      block.result ? [result(block.result), changeRows(block.result.changes)] : null,
    ),
  broken: (block) =>
    node(
      "div",
      { class: "hw-call is-broken" },
      node(
        "div",
        { class: "hw-call-head" },
        node("span", { class: "hw-word k-call" }, "call"),
        status(block),
      ),
      node("pre", {}, block.text),
      block.notes.map((note) => node("div", { class: "hw-finding" }, note)),
    ),
  stray: (block) =>
    node(
      "details",
      { class: "hw-thought" },
      node("summary", {}, node("span", {}, block.label)),
      node("pre", {}, block.text),
    ),
  result: (block) =>
    node("div", { class: "hw-call is-loose" }, result(block.result), changeRows(block.result.changes)),
  folded: (block) =>
    node(
      "details",
      { class: "hw-folded" },
      node("summary", {}, node("span", {}, block.summary)),
      node("pre", {}, block.text),
    ),
};
