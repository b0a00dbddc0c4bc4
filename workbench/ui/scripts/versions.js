// The versions of a text. Events: `save_version`, `restore_version`, `compare_version`, `mark_version`.
import { node } from "./dom.js";

const chips = (names) => names.map((name) => node("span", { class: "hw-tag" }, name));

export const mount = ({ element, follow, trigger }) => {
  let base = "";
  const label = node("span", { class: "hw-mono" });
  const changed = node("span", { class: "hw-note hw-changed" });
  const tags = node("span", { class: "hw-tags" });

  const open = node(
    "button",
    { type: "button", class: "hw-act", "aria-expanded": "false", onclick: () => showField(field.hidden) },
    "Save version",
  );

  const list = node("ul", { class: "hw-versions" });
  // The comparison with a version has an address, where the tab has one for versions.
  list.addEventListener("click", (event) => {
    const { router } = window.hermesWorkbench;
    const tab = element.closest("[id^=page-tab-]")?.id.slice("page-tab-".length);
    const version = event.target.closest("[aria-label^='Compare with ']")?.closest("[data-version]")
      .dataset.version;
    if (version && tab !== "play")
      router.here(tab, { ...router.valuesOf(tab), version: version.replace(/^v/, "") });
  });
  const summary = node("summary", { "aria-label": "Versions" }, node("span", {}, label, changed, tags));
  const fold = node("details", { class: "hw-history" }, summary, list);

  const message = node("input", {
    type: "text",
    class: "hw-input",
    placeholder: "What changed?",
    "aria-label": "What changed",
    maxlength: 500,
    onkeydown: (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        save();
      }
      if (event.key === "Escape") {
        event.stopPropagation();
        showField(false);
        open.focus();
      }
    },
  });

  const field = node(
    "div",
    { class: "hw-save", hidden: true },
    message,
    node("button", { type: "button", class: "hw-act", onclick: () => save() }, "Save"),
  );

  // Shows or hides the field for the message of a new version.
  const showField = (isShown) => {
    field.hidden = !isShown;
    open.setAttribute("aria-expanded", String(isShown));
    if (isShown) message.focus();
  };

  const save = () => {
    trigger("save_version", { message: message.value, base });
    message.value = "";
    showField(false);
  };

  element.replaceChildren(node("div", { class: "hw-version" }, fold, open, field));

  follow((value) => {
    element.hidden = !value;
    if (!value) return;
    base = value.base_id;
    label.textContent = value.label || "no version yet";
    changed.hidden = !value.is_changed || !value.label;
    changed.textContent = changed.hidden ? "" : "changed";
    open.hidden = !value.is_changed;
    if (!value.is_changed) showField(false);
    tags.replaceChildren(...chips(value.tags));
    list.replaceChildren(
      ...value.rows.map((row) =>
        node(
          "li",
          { class: "hw-v" + (row.is_open ? " is-open" : ""), "data-version": row.label },
          node(
            "span",
            { class: "hw-v-head" },
            node("span", { class: "hw-mono" }, row.label),
            chips(row.tags),
            node("span", { class: "hw-gap" }),
            node("span", { class: "hw-note" }, row.note),
          ),
          node("span", { class: "hw-v-said" }, row.message),
          node(
            "span",
            { class: "hw-v-acts" },
            row.is_open && !value.is_changed
              ? null
              : node(
                  "button",
                  {
                    type: "button",
                    class: "hw-act",
                    "aria-label": "Restore " + row.label,
                    onclick: () => trigger("restore_version", { id: row.id }),
                  },
                  "Restore",
                ),
            value.can_compare
              ? node(
                  "button",
                  {
                    type: "button",
                    class: "hw-act",
                    "aria-label": "Compare with " + row.label,
                    onclick: () => trigger("compare_version", { id: row.id }),
                  },
                  "Compare",
                )
              : null,
            row.marks.map((mark) =>
              node(
                "button",
                {
                  type: "button",
                  class: "hw-act",
                  "aria-label": "Mark " + row.label + " as " + mark,
                  onclick: () => trigger("mark_version", { id: row.id, mark }),
                },
                "Mark as " + mark,
              ),
            ),
          ),
        ),
      ),
    );
  });
};
