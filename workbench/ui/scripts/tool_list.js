// All tools by toolset, with the reason if a tool is unavailable. Events: `open_tool`, `include_tool`.
import { node } from "./dom.js";
import { store, stored } from "./storage.js";

const OPEN = "hermes-workbench:tool";

export const mount = ({ element, follow, trigger, triggerLatest }) => {
  const { router } = window.hermesWorkbench;
  // The router's request that is being answered, and whether a tool was requested since the page was opened.
  let request = 0;
  let isRequested = false;
  const note = node("p", { class: "hw-line t-quiet", role: "status" });
  const list = node("div", {});

  element.replaceChildren(
    node("button", { type: "button", class: "hw-act", onclick: () => open("") }, "New tool"),
    note,
    list,
  );

  const open = (name, version) => {
    const draft = stored(OPEN + ":draft:" + name) || {};
    isRequested = true;
    triggerLatest("open_tool", {
      name,
      spec: draft.spec || "",
      rules: draft.rules || "",
      version: Number(version) || null,
    });
  };

  const include = (tool, toolset, act) => trigger("include_tool", { name: tool.name, toolset, act });

  // Adds the open tool to another toolset.
  const adding = (tool, names) => {
    const field = node("input", {
      type: "text",
      class: "hw-input",
      "aria-label": "Toolset to add " + tool.name + " to",
      placeholder: "Toolset",
      list: "tools-toolset-names",
      maxlength: 100,
    });
    const add = () => (field.value.trim() ? include(tool, field.value.trim(), "add") : field.focus());
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      add();
    });
    const options = names.map((name) => node("option", { value: name }));
    const form = node(
      "div",
      { class: "hw-tool-adding" },
      field,
      node("datalist", { id: "tools-toolset-names" }, options),
      node("button", { type: "button", class: "hw-act", onclick: add }, "Add"),
    );
    const open = node(
      "button",
      {
        type: "button",
        class: "hw-act",
        onclick: () => {
          open.replaceWith(form);
          field.focus();
        },
      },
      "Add to a toolset",
    );
    return open;
  };

  const line = (tool, group, names) =>
    node(
      "li",
      {},
      node(
        "button",
        {
          type: "button",
          class: "hw-session hw-tool",
          "data-tool": tool.name,
          title: tool.title,
          "aria-current": tool.is_open ? "true" : null,
          onclick: () => router.goTo("tools", { tool: tool.name }),
        },
        node("span", { class: "hw-title hw-mono" }, tool.name),
      ),
      tool.is_included
        ? node(
            "p",
            { class: "hw-line hw-reason" },
            node("span", { class: "hw-note" }, "from another toolset"),
            node(
              "button",
              {
                type: "button",
                class: "hw-act",
                "aria-label": "Remove " + tool.name + " from " + group.name,
                onclick: () => include(tool, group.name, "remove"),
              },
              "Remove",
            ),
          )
        : tool.is_open
          ? node(
              "p",
              { class: "hw-line hw-reason" },
              adding(
                tool,
                names.filter((name) => name !== group.name),
              ),
            )
          : null,
      tool.reason
        ? node(
            "p",
            { class: "hw-line hw-reason" },
            node("span", { class: "hw-word" }, "unavailable"),
            node("span", {}, tool.reason),
          )
        : null,
    );

  router.onPlace("tools", ({ tool, version }, number) => {
    if (!tool) return false;
    request = number;
    open(tool, version);
  });

  follow((value) => {
    if (!value) return list.replaceChildren();
    const names = value.groups.flatMap((group) => group.tools.map((tool) => tool.name));
    if (value.wants_open) {
      if (isRequested) return;
      const last = stored(OPEN + ":open");
      return open(
        last !== null && (names.includes(last) || stored(OPEN + ":draft:" + last)) ? last : value.open_name,
      );
    }
    if (value.opens) return router.goTo("tools", { tool: value.open_name });
    store(OPEN + ":open", value.open_name);
    const known = router.valuesOf("tools");
    router.here("tools", known.tool === value.open_name ? known : { tool: value.open_name }, { request });
    request = 0;
    note.textContent = value.note || (value.is_draft ? "The editors show your unsaved draft." : "");
    note.className = "hw-line " + (value.is_problem ? "t-error" : "t-quiet");
    const toolsets = value.groups.map((group) => group.name);
    list.replaceChildren(
      ...value.problems.map((problem) =>
        node(
          "p",
          { class: "hw-line t-error", role: "alert" },
          node("span", { class: "hw-word" }, "not loaded"),
          node("span", {}, problem),
        ),
      ),
      ...value.groups.flatMap((group) => [
        node("h2", { class: "hw-day" }, group.name),
        node(
          "ul",
          { class: "hw-sessions" },
          group.tools.map((tool) => line(tool, group, toolsets)),
        ),
      ]),
    );
  });
};
