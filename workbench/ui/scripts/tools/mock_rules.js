// The mock rules of a tool as editable rows. Event: `edit_rules`.
import { drawRows } from "./row_grid.js";

/** @param {Part<MockRulesView, MockRulesEvents>} part */
export const mount = (part) =>
  drawRows(part, {
    what: "rule",
    field: "tools-rules",
    event: "edit_rules",
    columns: [
      ["when", "When"],
      ["kind", "Answers with"],
      ["answer", "Answer"],
    ],
    second: ["effects", "Effects"],
    choices: { kind: ["result", "template", "error", "sequence"] },
    hints: {
      when: { placeholder: "any call", title: "Conditions, such as city: Oslo, days: {any_of: [1, 2]}" },
      answer: { placeholder: "{celsius: 4}", title: "A value, a template, a message, or a list of answers" },
      effects: {
        placeholder: "No effects on the world",
        title: "Such as [{set: '/orders/{{ order_id }}/status', value: sent}]",
      },
    },
    blank: { when: "", kind: "result", answer: "", effects: "", was: null },
  });
