// The line above the transcript: title, tags and link. Events: `rename_session`, `tag_session`, `share_session`,
// `unshare_session`, `copy_session`.
import { editText, node, sharedLink } from "../shared/dom.js";

/** @param {Part<SessionBarView, SessionBarEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const bar = node("div", { class: "hw-session-bar" });
  element.replaceChildren(bar);
  let shown = "";

  const edit = (value) =>
    editText(
      bar,
      "Title of the session",
      value.title,
      (title) => trigger("rename_session", { title }),
      () => draw(value),
      { class: "hw-rename", maxlength: null },
    );

  const editTags = (value, place) => {
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

  const tags = (value) => {
    const place = node(
      "span",
      { class: "hw-tags" },
      value.tags.map((tag) => node("span", { class: "hw-tag" }, tag)),
    );
    if (!value.is_read_only)
      place.append(
        node(
          "button",
          {
            type: "button",
            class: "hw-act",
            "aria-label": "Edit tags",
            onclick: () => editTags(value, place),
          },
          value.tags.length ? "Edit" : "Add tags",
        ),
      );
    return place;
  };

  const link = (value) =>
    sharedLink("Link to this session", new URL(value.link, location.origin + location.pathname).href, () =>
      trigger("unshare_session", {}),
    );

  const act = (label, onclick) => node("button", { type: "button", class: "hw-act", onclick }, label);

  const askShare = (value) => {
    const create = act("Create link", () => trigger("share_session", {}));
    bar.replaceChildren(
      node(
        "span",
        { class: "hw-note" },
        "Anyone with the link can read and copy this session. Nobody can change it.",
      ),
      create,
      act("Cancel", () => draw(value)),
    );
    create.focus();
  };

  const draw = (value) => {
    bar.hidden = !value || !value.is_open;
    if (bar.hidden) return bar.replaceChildren();
    const title = value.is_read_only
      ? node("span", { class: "hw-title" }, value.title)
      : node(
          "button",
          {
            type: "button",
            class: "hw-title",
            title: "Rename",
            "aria-label": "Rename " + value.title,
            onclick: () => edit(value),
          },
          value.title,
        );
    const rest = value.is_read_only
      ? [
          node("span", { class: "hw-note" }, value.note),
          act("Copy to my sessions", () => trigger("copy_session", {})),
        ]
      : value.link
        ? link(value)
        : act("Share", () => askShare(value));
    bar.replaceChildren(title, tags(value), ...[rest].flat());
  };

  follow((value) => {
    // An unchanged value must not interrupt the editing of a title.
    const json = JSON.stringify(value);
    if (json === shown) return;
    shown = json;
    draw(value);
  });
};
