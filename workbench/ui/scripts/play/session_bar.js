// The line above the transcript: title, tags and link. Events: `rename_session`, `tag_session`, `share_session`,
// `unshare_session`, `copy_session`.
import { editText, node, once, sharedLink } from "../shared/dom.js";
import { html } from "../shared/lit_html.js";

/** @param {Part<SessionBarView, SessionBarEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const bar = node("div", { class: "hw-session-bar" });
  element.replaceChildren(bar);
  let shown = "";

  const edit = (/** @type {SessionBarView} */ value) =>
    editText(
      bar,
      "Title of the session",
      value.title,
      (title) => trigger("rename_session", { title }),
      () => draw(value),
      { class: "hw-rename", maxlength: null },
    );

  const editTags = (/** @type {SessionBarView} */ value, /** @type {PageElement} */ place) => {
    const field = editText(
      place,
      "Tags, separated by commas",
      value.tags.join(", "),
      (text) => trigger("tag_session", { tags: text }),
      () => draw(value),
      { class: "hw-tag-field", placeholder: "tag, another", maxlength: null },
    );
    // Typing adds a tag.
    field.setSelectionRange(field.value.length, field.value.length);
  };

  const act = (/** @type {string} */ label, /** @type {() => void} */ work) =>
    html`<button type="button" class="hw-act" @click=${work}>${label}</button>`;

  const tags = (/** @type {SessionBarView} */ value) => {
    const edit = (/** @type {PageEvent} */ event) => editTags(value, event.target.parentElement);
    return html`<span class="hw-tags">${value.tags.map((tag) => html`<span class="hw-tag">${tag}</span>`)}${
      value.is_read_only
        ? ""
        : html`<button type="button" class="hw-act" aria-label="Edit tags" @click=${edit}>${
            value.tags.length ? "Edit" : "Add tags"
          }</button>`
    }</span>`;
  };

  const show = (/** @type {Drawable} */ parts) => bar.replaceChildren(once(parts));

  const askShare = (/** @type {SessionBarView} */ value) => {
    show([
      html`<span class="hw-note">Anyone with the link can read and copy this session. Nobody can change it.</span>`,
      act("Create link", () => trigger("share_session", {})),
      act("Cancel", () => draw(value)),
    ]);
    bar.querySelector("button").focus();
  };

  const draw = (/** @type {SessionBarView} */ value) => {
    const address = new URL(value.link, location.origin + location.pathname).href;
    if (value.is_read_only)
      return show([
        html`<span class="hw-title">${value.title}</span>`,
        tags(value),
        html`<span class="hw-note">${value.note}</span>`,
        act("Copy to my sessions", () => trigger("copy_session", {})),
      ]);
    return show([
      html`<button type="button" class="hw-title" title="Rename" aria-label="Rename ${value.title}"
        @click=${() => edit(value)}>${value.title}</button>`,
      tags(value),
      value.link
        ? sharedLink("Link to this session", address, () => trigger("unshare_session", {}))
        : act("Share", () => askShare(value)),
    ]);
  };

  follow((value) => {
    // An unchanged value must not interrupt the editing of a title.
    const json = JSON.stringify(value);
    if (json === shown) return;
    shown = json;
    bar.hidden = !value?.is_open;
    if (value?.is_open) draw(value);
    else bar.replaceChildren();
  });
};
