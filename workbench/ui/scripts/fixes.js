// The fixes of a completion, each with its edits, and the findings.
import { hint, node, term } from "./dom.js";

const finding = (found) =>
  node(
    "li",
    { class: "hw-fix" },
    node(
      "div",
      { class: "hw-fix-head" },
      node("code", { class: "t-" + found.severity }, found.code),
      node("span", { class: "hw-note" }, found.severity),
      node("span", { class: "hw-gap" }),
      node("span", { class: "hw-note" }, found.place),
    ),
    node("div", {}, found.message),
  );

const fix = (made) =>
  node(
    "li",
    { class: "hw-fix" + (made.is_picked ? " is-selected" : "") },
    node(
      "div",
      { class: "hw-fix-head" },
      node("code", { class: made.is_guess ? "k-guess" : "k-fix" }, made.code),
      node("span", { class: "hw-note" }, made.is_guess ? "guess" : "safe"),
      node("span", { class: "hw-gap" }),
      node("span", { class: "hw-note" }, made.place),
    ),
    node("div", {}, made.meaning),
    made.edits.map((edit) =>
      node(
        "div",
        { class: "hw-edit" },
        node("del", { "aria-label": "before" }, edit.before),
        node("span", { class: "hw-note", "aria-hidden": "true" }, "→"),
        node("ins", { "aria-label": "after" }, edit.after),
        node("span", { class: "hw-note" }, edit.times),
      ),
    ),
  );

export const mount = ({ element, follow }) => {
  follow((value) => {
    if (!value || value.hint) {
      element.replaceChildren(hint(value ? value.hint : ""));
      return;
    }
    const parts = [];
    if (value.calm) parts.push(node("p", { class: "hw-calm" }, value.calm));
    if (value.fixes.length)
      parts.push(node("h3", {}, term("fix", "Fixes")), node("ul", {}, value.fixes.map(fix)));
    if (value.findings.length)
      parts.push(node("h3", {}, term("finding", "Findings")), node("ul", {}, value.findings.map(finding)));
    element.replaceChildren(...parts);
    const picked = element.querySelector(".is-selected");
    if (picked) picked.scrollIntoView({ block: "nearest" });
  });
};
