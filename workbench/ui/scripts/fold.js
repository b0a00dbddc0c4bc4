// A button that shows and hides the components of an element, which `page.css` hides until it is open.
import { node } from "./dom.js";

export const mount = ({ element, follow }) => {
  const button = node("button", { type: "button", class: "hw-fold-button", "aria-expanded": "false" });
  element.replaceChildren(button);

  follow((value) => {
    if (!value) return;
    button.textContent = value.label;
    button.setAttribute("aria-controls", value.content);
    button.onclick = () => {
      const isOpen = button.getAttribute("aria-expanded") !== "true";
      button.setAttribute("aria-expanded", String(isOpen));
      document.getElementById(value.content)?.toggleAttribute("data-open", isOpen);
    };
  });
};
