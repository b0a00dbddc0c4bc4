// Copies a text from the server to the clipboard and says so.
import { copyText, node } from "./dom.js";
import { followNew } from "./serial.js";

export const mount = ({ element, follow }) => {
  const said = node("span", { class: "hw-note", role: "status" });
  element.replaceChildren(said);

  followNew(follow, async (value) => {
    await copyText(value.text, node("span", {}, ""));
    said.textContent = "Copied.";
    setTimeout(() => {
      said.textContent = "";
    }, 2000);
  });
};
