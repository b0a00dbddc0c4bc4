// Errors, warnings and notes, one line each.
import { node } from "./dom.js";

/** @param {Part<NoticeView>} part */
export const mount = ({ element, follow }) => {
  follow((value) => {
    element.replaceChildren(
      ...(value ? value.lines : []).map((line) =>
        node(
          "p",
          { class: "hw-line t-" + line.tone, role: line.tone === "error" ? "alert" : null },
          node("span", { class: "hw-word" }, line.word),
          node("span", {}, line.text),
        ),
      ),
    );
  });
};
