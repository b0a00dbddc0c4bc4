// Shows who is logged in, with a button to log out.
import { setAccount } from "../drafts/draft_store.js";
import { node } from "../shared/dom.js";

/** @param {Part<AccountView>} part */
export const mount = ({ element, follow }) => {
  const line = node("div", { class: "hw-account" });
  element.replaceChildren(line);

  follow((value) => {
    if (value) setAccount(value.name);
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
