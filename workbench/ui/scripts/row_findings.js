// Findings about training rows, each with a link to its message.
import { node, term } from "./dom.js";

const line = (one) =>
  node(
    "li",
    { class: "hw-finding t-" + one.tone },
    node("span", { class: "hw-word" }, one.word),
    node(
      "span",
      { class: "hw-finding-text" },
      one.code ? node("code", {}, one.code) : null,
      one.code ? " " : null,
      one.text,
      one.pointer ? node("code", { class: "hw-pointer" }, " " + one.pointer) : null,
    ),
    one.link
      ? node(
          "a",
          {
            href: one.link,
            target: "_blank",
            rel: "noopener",
            class: "hw-jump",
            title: "Open in Play in a new tab",
          },
          one.place,
        )
      : node("span", { class: "hw-jump" }, one.place),
  );

export const mount = ({ element, follow }) => {
  follow((value) => {
    if (!value || !value.heading) {
      element.replaceChildren();
      return;
    }
    element.replaceChildren(
      node("h3", {}, value.heading === "Findings" ? term("finding", value.heading) : value.heading),
      value.lines.length
        ? node("ul", {}, value.lines.map(line))
        : node("p", { class: "hw-note" }, value.hint),
      ...(value.more ? [node("p", { class: "hw-note" }, value.more.toLocaleString("en") + " more")] : []),
    );
  });
};
