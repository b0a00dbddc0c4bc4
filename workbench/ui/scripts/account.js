// Shows who is logged in, with a button to log out.
import { node } from "./dom.js";

export const mount = ({ element, follow }) => {
  const line = node("div", { class: "hw-account" });
  element.replaceChildren(line);

  follow((value) => {
    line.replaceChildren(
      ...(value && value.name
        ? [
            node("span", {}, value.name),
            node("form", { method: "post", action: "logout" }, node("button", {}, "Log out")),
          ]
        : []),
    );
  });
};
