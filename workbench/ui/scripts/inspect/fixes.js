// The fixes of a completion with their edits, and its findings.
import { hint, node, term } from "../shared/dom.js";

const findingRow = (finding) =>
  node(
    "li",
    { class: "hw-fix" },
    node(
      "div",
      { class: "hw-fix-head" },
      node("code", { class: "t-" + finding.severity }, finding.code),
      node("span", { class: "hw-note" }, finding.severity),
      node("span", { class: "hw-gap" }),
      node("span", { class: "hw-note" }, finding.place),
    ),
    node("div", {}, finding.message),
  );

const foreignRow = (form) =>
  node(
    "li",
    { class: "hw-fix" },
    node(
      "div",
      { class: "hw-fix-head" },
      node("code", { class: "t-warning" }, form.dialect),
      node("span", { class: "hw-gap" }),
      node("span", { class: "hw-note" }, form.place),
    ),
    node("div", {}, form.sentence),
    form.parsers ? node("div", {}, "Server: ", node("code", {}, form.parsers)) : null,
    node("div", {}, "Contract: " + form.contract),
  );

const fixRow = (fix) =>
  node(
    "li",
    { class: "hw-fix" + (fix.is_picked ? " is-selected" : "") },
    node(
      "div",
      { class: "hw-fix-head" },
      node("code", { class: fix.is_guess ? "k-guess" : "k-fix" }, fix.code),
      node("span", { class: "hw-note" }, fix.is_guess ? "guess" : "safe"),
      node("span", { class: "hw-gap" }),
      node("span", { class: "hw-note" }, fix.place),
    ),
    node("div", {}, fix.meaning),
    fix.edits.map((edit) =>
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

/** @param {Part<FixesView>} part */
export const mount = ({ element, follow }) => {
  follow((value) => {
    if (!value || value.hint) {
      element.replaceChildren(hint(value ? value.hint : ""));
      return;
    }
    const parts = [];
    if (value.calm) parts.push(node("p", { class: "hw-calm" }, value.calm));
    if (value.fixes.length)
      parts.push(node("h3", {}, term("fix", "Fixes")), node("ul", {}, value.fixes.map(fixRow)));
    if (value.foreign.length)
      parts.push(node("h3", {}, "Other formats"), node("ul", {}, value.foreign.map(foreignRow)));
    if (value.findings.length)
      parts.push(node("h3", {}, term("finding", "Findings")), node("ul", {}, value.findings.map(findingRow)));
    element.replaceChildren(...parts);
    const picked = element.querySelector(".is-selected");
    if (picked) picked.scrollIntoView({ block: "nearest" });
  });
};
