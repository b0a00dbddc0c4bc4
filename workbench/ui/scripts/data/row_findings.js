// Findings about training rows, each with a link to its message.
import { node, term } from "../shared/dom.js";

export const findingLine = (finding) =>
  node(
    "li",
    { class: "hw-finding t-" + finding.tone },
    node("span", { class: "hw-word" }, finding.word),
    node(
      "span",
      { class: "hw-finding-text" },
      finding.code ? node("code", {}, finding.code) : null,
      finding.code ? " " : null,
      finding.text,
      finding.pointer ? node("code", { class: "hw-pointer" }, " " + finding.pointer) : null,
    ),
    finding.link
      ? node(
          "a",
          {
            href: finding.link,
            target: "_blank",
            rel: "noopener",
            class: "hw-jump",
            title: "Open in Play in a new tab",
          },
          finding.place,
        )
      : node("span", { class: "hw-jump" }, finding.place),
  );

/** @param {Part<FindingsView>} part */
export const mount = ({ element, follow }) => {
  follow((value) => {
    if (!value || !value.heading) {
      element.replaceChildren();
      return;
    }
    element.replaceChildren(
      node("h3", {}, value.heading === "Findings" ? term("finding", value.heading) : value.heading),
      value.lines.length
        ? node("ul", {}, value.lines.map(findingLine))
        : node("p", { class: "hw-note" }, value.hint),
      ...(value.more ? [node("p", { class: "hw-note" }, value.more.toLocaleString("en") + " more")] : []),
    );
  });
};
