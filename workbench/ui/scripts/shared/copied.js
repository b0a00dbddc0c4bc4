// Copies a text from the server to the clipboard and confirms it.
import { copyText, node } from "./dom.js";
import { followNew } from "./serial.js";

/** @param {Part<ClipboardView>} part */
export const mount = ({ element, follow }) => {
  const confirmation = node("span", { class: "hw-note", role: "status" });
  element.replaceChildren(confirmation);

  followNew(follow, async (value) => {
    await copyText(value.text, node("span", {}, ""));
    confirmation.textContent = "Copied.";
    setTimeout(() => {
      confirmation.textContent = "";
    }, 2000);
  });
};
