// The line above the transcript: title, tags and link. Events: `rename_session`, `tag_session`, `share_session`,
// `unshare_session`, `copy_session`.
import { copyText, iconButton, node } from "./dom.js";

export const mount = ({ element, follow, trigger }) => {
  const bar = node("div", { class: "hw-session-bar" });
  element.replaceChildren(bar);
  let shown = "";

  // Shows `field` in `place`. Enter or leaving the field saves, Escape discards.
  const editInPlace = (value, field, place, save) => {
    const before = field.value;
    let isOver = false;
    const end = (isSaved) => {
      if (isOver) return;
      isOver = true;
      if (isSaved && field.value.trim() !== before) save();
      draw(value);
    };
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") end(true);
      if (event.key === "Escape") end(false);
    });
    field.addEventListener("blur", () => end(true));
    place.replaceChildren(field);
    field.focus();
  };

  const edit = (value) => {
    const field = node("input", {
      class: "hw-rename",
      "aria-label": "Title of the session",
      value: value.title,
    });
    editInPlace(value, field, bar, () => trigger("rename_session", { title: field.value }));
    field.select();
  };

  const editTags = (value, place) => {
    const field = node("input", {
      class: "hw-tag-field",
      "aria-label": "Tags, separated by commas",
      placeholder: "tag, another",
      value: value.tags.join(", "),
    });
    editInPlace(value, field, place, () => trigger("tag_session", { tags: field.value }));
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

  const link = (value) => {
    const address = new URL(value.link, location.origin + location.pathname).href;
    const field = node("input", {
      class: "hw-link",
      readonly: true,
      "aria-label": "Link to this session",
      value: address,
    });
    field.addEventListener("focus", () => field.select());
    return [
      field,
      iconButton("copy", "Copy link", (event) => copyText(address, event.currentTarget)),
      node(
        "button",
        { type: "button", class: "hw-act", onclick: () => trigger("unshare_session", {}) },
        "Stop sharing",
      ),
    ];
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
          node(
            "button",
            { type: "button", class: "hw-act", onclick: () => trigger("copy_session", {}) },
            "Copy to my sessions",
          ),
        ]
      : value.link
        ? link(value)
        : [
            node(
              "button",
              { type: "button", class: "hw-act", onclick: () => trigger("share_session", {}) },
              "Share",
            ),
          ];
    bar.replaceChildren(title, tags(value), ...rest);
  };

  follow((value) => {
    // An unchanged value must not interrupt the editing of a title.
    const json = JSON.stringify(value);
    if (json === shown) return;
    shown = json;
    draw(value);
  });
};
