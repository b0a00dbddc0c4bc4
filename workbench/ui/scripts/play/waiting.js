// The call that waits for a person. In step mode, the field below it is for the person's own result, a document of the
// session: it stays when the page is loaded again, and when the call is answered in another tab.
import { show } from "../drafts/document_changes.js";
import { write } from "../drafts/documents.js";
import { node } from "../shared/dom.js";

/** @param {Part<WaitingView>} part */
export const mount = ({ element, follow }) => {
  follow((value) => {
    if (!value) return element.replaceChildren();
    show("play-step-result", value.document, "");
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
      value.reasons
        ? ""
        : node(
            "button",
            { type: "button", class: "hw-act", onclick: () => write("play-step-result", value.arguments) },
            "Edit arguments",
          ),
    );
  });
};
