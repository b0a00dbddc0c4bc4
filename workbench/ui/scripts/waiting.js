// The call that waits for a person's approval.
import { node } from "./dom.js";

export const mount = ({ element, follow }) => {
  follow((value) => {
    if (!value) return element.replaceChildren();
    element.replaceChildren(
      node(
        "p",
        { class: "hw-line", role: "status" },
        node("span", { class: "hw-word" }, value.title),
        value.reasons ? node("span", { class: "t-error" }, value.reasons) : null,
      ),
      node(
        "pre",
        { class: "hw-tried", tabindex: 0, role: "group", "aria-label": "Call waiting for approval" },
        node("strong", { class: "k-call" }, value.name),
        " " + value.arguments,
      ),
    );
  });
};
