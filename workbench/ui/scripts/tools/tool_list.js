// All tools by toolset, with the reason if a tool is unavailable, and those that are only drafts. Events: `open_tool`,
// `include_tool`.
import { hasDraft, kept } from "../drafts/documents.js";
import { drafts, isReady, onChange } from "../drafts/draft_store.js";
import { html, nothing, render } from "../shared/lit_html.js";
import { store, stored } from "../shared/storage.js";

const OPEN = "hermes-workbench:tool:open";

/** @param {Part<ToolListView, ToolListEvents>} part */
export const mount = ({ element, follow, trigger, triggerLatest }) => {
  const { router } = window.hermesWorkbench;
  // The router's request that is being answered, and whether a tool was requested since the page was opened.
  let request = 0;
  let isRequested = false;
  /** @type {ToolListView | null} */
  let shown = null;
  // The tool whose form to add it to a toolset is open.
  let added = "";

  // Drafts are known once the account is.
  const open = async (/** @type {string} */ name, version = "") => {
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

  const include = (/** @type {ToolLine} */ tool, /** @type {string} */ toolset, /** @type {string} */ act) =>
    trigger("include_tool", { name: tool.name, toolset, act });

  // Adds the open tool to another toolset.
  const adding = (/** @type {ToolLine} */ tool, /** @type {string[]} */ names) => {
    const fieldOf = () => element.querySelector(".hw-tool-adding input");
    const unfold = () => {
      added = tool.name;
      draw();
      fieldOf().focus();
    };
    if (added !== tool.name)
      return html`<button type="button" class="hw-act" @click=${unfold}>Add to a toolset</button>`;
    const add = () => {
      const toolset = fieldOf().value.trim();
      return toolset ? include(tool, toolset, "add") : fieldOf().focus();
    };
    const onKey = (/** @type {PageEvent} */ event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      add();
    };
    return html`<div class="hw-tool-adding"><input type="text" class="hw-input" placeholder="Toolset" maxlength="100"
        aria-label="Toolset to add ${tool.name} to" list="tools-toolset-names" @keydown=${onKey}><datalist
        id="tools-toolset-names">${names.map((name) => html`<option value=${name}></option>`)}</datalist><button
        type="button" class="hw-act" @click=${add}>Add</button></div>`;
  };

  // A tool has a draft if its spec or its mock rules have.
  const isDraft = (/** @type {string} */ key) => hasDraft("tool:" + key) || hasDraft("mocks:" + key);

  // The name of a tool's documents, with the toolset that declares it; others can include it. Empty if none does.
  const keyOf = (/** @type {string} */ name) => {
    const home = shown?.groups.find((group) =>
      group.tools.some((tool) => tool.name === name && !tool.is_included),
    );
    return home ? home.name + "/" + name : "";
  };

  // The toolset and the tool in the name of a document.
  const partsOf = (/** @type {string} */ key) => [
    key.slice(0, key.indexOf("/")),
    key.slice(key.indexOf("/") + 1),
  ];

  const membership = (
    /** @type {ToolLine} */ tool,
    /** @type {{ name: string }} */ group,
    /** @type {string[]} */ names,
  ) => {
    const remove = () => include(tool, group.name, "remove");
    if (tool.is_included)
      return html`<p class="hw-line hw-reason"><span class="hw-note">from another toolset</span><button type="button"
        class="hw-act" aria-label="Remove ${tool.name} from ${group.name}" @click=${remove}>Remove</button></p>`;
    const others = names.filter((name) => name !== group.name);
    return tool.is_open ? html`<p class="hw-line hw-reason">${adding(tool, others)}</p>` : "";
  };

  const reason = (/** @type {string} */ word, /** @type {string} */ text) =>
    html`<span class="hw-word">${word}</span><span>${text}</span>`;

  const line = (
    /** @type {ToolLine} */ tool,
    /** @type {{ name: string }} */ group,
    /** @type {string[]} */ names,
    isCurrent = tool.is_open,
  ) => {
    const hasDraft = isDraft(tool.is_included ? keyOf(tool.name) : group.name + "/" + tool.name);
    return html`<li>
      <button type="button" class="hw-session hw-tool" data-tool=${tool.name} title=${tool.title}
        aria-current=${isCurrent ? "true" : nothing}
        @click=${() => router.goTo("tools", { tool: tool.name })}
      ><span class="hw-title hw-mono">${tool.name}</span>${
        hasDraft ? html`<span class="hw-note">draft</span>` : ""
      }</button>
      ${membership(tool, group, names)}
      ${tool.reason ? html`<p class="hw-line hw-reason">${reason("unavailable", tool.reason)}</p>` : ""}
    </li>`;
  };

  // The names of the documents of tools that have a draft and are not in the list.
  const unsavedKeys = () => {
    if (!shown) return [];
    const known = new Set(
      shown.groups.flatMap((group) => group.tools.map((tool) => group.name + "/" + tool.name)),
    );
    const keys = [...drafts("tool"), ...drafts("mocks")].map((draft) => draft.name);
    return [...new Set(keys)].filter((key) => key.includes("/") && !known.has(key)).sort();
  };

  const section = (/** @type {string} */ title, /** @type {Template[]} */ lines) =>
    html`<h2 class="hw-day">${title}</h2><ul class="hw-sessions">${lines}</ul>`;

  const parts = (/** @type {ToolListView} */ view) => {
    const unsaved = unsavedKeys();
    const unsavedLine = (/** @type {string} */ key) => {
      const [toolset, name] = partsOf(key);
      const item = { name, title: "", reason: "", is_open: false, is_included: false };
      return line(item, { name: toolset }, [], view.open_name === name);
    };
    const toolsets = view.groups.map((group) => group.name);
    const lines = (/** @type {ToolGroup} */ group) => group.tools.map((tool) => line(tool, group, toolsets));
    return html`${view.problems.map(
      (problem) => html`<p class="hw-line t-error" role="alert">${reason("not loaded", problem)}</p>`,
    )}
      ${unsaved.length ? section("Not saved", unsaved.map(unsavedLine)) : ""}
      ${view.groups.map((group) => section(group.name, lines(group)))}`;
  };

  const draw = () =>
    render(
      html`<button type="button" class="hw-act" @click=${() => open("")}>New tool</button><span class="hw-note">${
        isDraft("new") ? " draft" : ""
      }</span>
        <p class="hw-line ${shown?.is_problem ? "t-error" : "t-quiet"}" role="status">${shown?.note || ""}</p>
        <div>${shown ? parts(shown) : ""}</div>`,
      element,
    );

  draw();
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
    added = "";
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
