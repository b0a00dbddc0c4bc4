// Shows who is logged in, with a button to log out.
import { setAccount } from "../drafts/draft_store.js";
import { html, render } from "../shared/lit_html.js";

/** @param {Part<AccountView>} part */
export const mount = ({ element, follow }) =>
  follow((value) => {
    if (value) setAccount(value.name);
    render(
      html`<div class="hw-account">${
        value?.name
          ? html`<span>${value.name}</span><form method="post" action="logout"><button>Log out</button></form>`
          : ""
      }</div>`,
      element,
    );
  });
