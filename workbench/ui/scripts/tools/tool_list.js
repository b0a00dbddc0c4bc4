// All tools by toolset, with the reason if a tool is unavailable, and those that are only drafts. Events: `open_tool`,
// `include_tool`.
import { hasDraft, kept } from "../drafts/documents.js";
import { drafts, isReady, onChange } from "../drafts/draft_store.js";
import { node } from "../shared/dom.js";
import { store, stored } from "../shared/storage.js";

const OPEN = "hermes-workbench:tool:open";

/** @param {Part<ToolListView, ToolListEvents>} part */
export const mount = ({ element, follow, trigger, triggerLatest }) => {
  const { router } = window.hermesWorkbench;
  // The router's request that is being answered, and whether a tool was requested since the page was opened.
  let request = 0;
  let isRequested = false;
  let shown = null;
  const note = node("p", { class: "hw-line t-quiet", role: "status" });
  const list = node("div", {});

  const newDraft = node("span", { class: "hw-note" });
  element.replaceChildren(
    node("button", { type: "button", class: "hw-act", onclick: () => open("") }, "New tool"),
    newDraft,
    note,
    list,
  );

  // Drafts are known once the account is.
  const open = async (name, version) => {
    isRequested = true;
    await isReady();
    const unsaved = unsavedKeys().find((key) => partsOf(key)[1] === name);
    const key = unsaved || keyOf(name);
    triggerLatest("open_tool", {
      name,
      toolset: unsaved ? partsOf(unsaved)[0] : "",
      version: Number(version) || null,
      spec: (version && kept("tool:" + key)) || "",
      rules: (version && kept("mocks:" + key)) || "",
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

  // A tool has a draft if its spec or its mock rules have.
  const isDraft = (key) => hasDraft("tool:" + key) || hasDraft("mocks:" + key);

  // The name of a tool's documents, with the toolset that declares it; others can include it. Empty if none does.
  const keyOf = (name) => {
    const home = shown?.groups.find((group) =>
      group.tools.some((tool) => tool.name === name && !tool.is_included),
    );
    return home ? home.name + "/" + name : "";
  };

  // The toolset and the tool in the name of a document.
  const partsOf = (key) => [key.slice(0, key.indexOf("/")), key.slice(key.indexOf("/") + 1)];

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
          "aria-current": tool.is_open || tool.is_current ? "true" : null,
          onclick: () => router.goTo("tools", { tool: tool.name }),
        },
        node("span", { class: "hw-title hw-mono" }, tool.name),
        isDraft(tool.is_included ? keyOf(tool.name) : group.name + "/" + tool.name)
          ? node("span", { class: "hw-note" }, "draft")
          : null,
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

  // The names of the documents of tools that have a draft and are not in the list.
  const unsavedKeys = () => {
    if (!shown) return [];
    const known = new Set(
      shown.groups.flatMap((group) => group.tools.map((tool) => group.name + "/" + tool.name)),
    );
    const keys = [...drafts("tool"), ...drafts("mocks")].map((draft) => draft.name);
    return [...new Set(keys)].filter((key) => key.includes("/") && !known.has(key)).sort();
  };

  const draw = () => {
    newDraft.textContent = isDraft("new") ? " draft" : "";
    if (!shown) return list.replaceChildren();
    const unsaved = unsavedKeys();
    const unsavedLine = (key) => {
      const [toolset, name] = partsOf(key);
      const item = { name, title: "", reason: "", is_open: false };
      return line({ ...item, is_current: shown.open_name === name }, { name: toolset }, []);
    };
    const toolsets = shown.groups.map((group) => group.name);
    note.textContent = shown.note || "";
    note.className = "hw-line " + (shown.is_problem ? "t-error" : "t-quiet");
    list.replaceChildren(
      ...shown.problems.map((problem) =>
        node(
          "p",
          { class: "hw-line t-error", role: "alert" },
          node("span", { class: "hw-word" }, "not loaded"),
          node("span", {}, problem),
        ),
      ),
      ...(unsaved.length
        ? [
            node("h2", { class: "hw-day" }, "Not saved"),
            node("ul", { class: "hw-sessions" }, unsaved.map(unsavedLine)),
          ]
        : []),
      ...shown.groups.flatMap((group) => [
        node("h2", { class: "hw-day" }, group.name),
        node(
          "ul",
          { class: "hw-sessions" },
          group.tools.map((tool) => line(tool, group, toolsets)),
        ),
      ]),
    );
  };

  onChange(draw);

  router.onPlace("tools", ({ tool, version }, number) => {
    if (!tool) return false;
    request = number;
    open(tool, version);
  });

  follow(async (value) => {
    if (value?.wants_open) {
      if (isRequested) return;
      await isReady();
      const names = value.groups.flatMap((group) => group.tools.map((tool) => tool.name));
      const last = stored(OPEN);
      return open(last === "" || names.includes(last) ? last : value.open_name);
    }
    if (value?.opens) return router.goTo("tools", { tool: value.open_name });
    shown = value;
    if (value) {
      store(OPEN, value.open_name);
      const known = router.valuesOf("tools");
      const here = known.tool === value.open_name ? known : { tool: value.open_name };
      router.here("tools", here, { request });
      request = 0;
    }
    draw();
  });
};
