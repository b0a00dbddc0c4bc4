// The MCP servers: state, cause and standard error of each. Events: `retry_server`, `edit_server`, `remove_server`,
// `restore_server`.
import { html, render, repeat } from "../shared/lit_html.js";

/** @param {Part<McpServersView, McpServersEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  /** @type {Pick<McpServersView, "servers" | "problems"> & Partial<McpServersView>} */
  let shown = { servers: [], problems: [] };
  // The server whose form is open, with what was typed, and the one that is being worked on.
  /** @type {{ name: string; new_name: string; text: string } | null} */
  let form = null;
  let busy = "";
  let isSaving = false;

  /** @param {string} word @param {RemovedServer} server @param {() => void} onclick */
  const button = (word, server, onclick) =>
    html`<button type="button" class="hw-act" aria-label="${word} ${server.name}" ?disabled=${Boolean(busy)}
      @click=${onclick}>${word}</button>`;

  /** @param {McpServersEvents} event @param {RemovedServer} server @param {object} [data] */
  const act = (event, server, data) => {
    busy = server.name;
    draw();
    trigger(event, { name: server.name, ...data });
  };

  const edit = (/** @type {McpServerLine} */ server) => {
    form = { name: server.name, new_name: server.name, text: server.text };
    draw();
    element.querySelector(".hw-mcp-form input").focus();
  };

  const close = () => {
    form = null;
    draw();
  };

  /** @param {McpServerLine} server @param {{ new_name: string; text: string }} typed */
  const editing = (server, typed) => {
    const save = (/** @type {PageEvent} */ event) => {
      event.preventDefault();
      isSaving = true;
      act("edit_server", server, { new_name: typed.new_name, text: typed.text });
    };
    const onKey = (/** @type {PageEvent} */ event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close();
    };
    return html`<form class="hw-mcp-form" @submit=${save} @keydown=${onKey}>
      <input type="text" class="hw-input" aria-label="Name of ${server.name}" maxlength="100"
        .value=${typed.new_name} @input=${(event) => (typed.new_name = event.target.value)}>
      <textarea class="hw-input hw-mono" aria-label="Configuration of ${server.name}" rows="6" spellcheck="false"
        .value=${typed.text} @input=${(event) => (typed.text = event.target.value)}></textarea>
      <p class="hw-line"><button type="submit" class="hw-act" ?disabled=${Boolean(busy)}>Save server</button><button
        type="button" class="hw-act" @click=${close}>Cancel</button></p>
    </form>`;
  };

  const buttons = (/** @type {McpServerLine} */ server) =>
    html`<p class="hw-line">
      ${server.is_off ? "" : button("Retry", server, () => act("retry_server", server))}
      ${button("Edit", server, () => edit(server))}
      ${button("Remove", server, () => act("remove_server", server))}
    </p>`;

  const item = (/** @type {McpServerLine} */ server) => {
    const state =
      busy === server.name ? "connecting…" : [server.status, server.meaning].filter(Boolean).join(", ");
    return html`<li data-server=${server.name}>
      <p class="hw-line"><span class="hw-title hw-mono" title=${server.place}>${server.name}</span><span
        class="hw-note" role="status">${state}</span></p>
      ${server.cause ? html`<p class="hw-line t-error"><span>${server.cause}</span></p>` : ""}
      ${
        server.stderr.length
          ? html`<details>
              <summary>Standard error</summary>
              <pre class="hw-mono" tabindex="0">${server.stderr.join("\n")}</pre>
            </details>`
          : ""
      }
      ${form?.name === server.name ? editing(server, form) : buttons(server)}
    </li>`;
  };

  const undo = (/** @type {RemovedServer} */ removed) =>
    html`<p class="hw-line hw-undo" role="status"><span class="hw-title">Removed: ${removed.name}</span>${button(
      "Undo",
      removed,
      () => act("restore_server", removed, { text: removed.text }),
    )}</p>`;

  const draw = () =>
    render(
      html`${shown.problems.map(
        (problem) => html`<p class="hw-line t-error" role="alert"><span>${problem}</span></p>`,
      )}
        ${shown.removed ? undo(shown.removed) : ""}
        ${
          shown.servers.length
            ? html`<ul class="hw-mcp-servers">${repeat(shown.servers, (server) => server.name, item)}</ul>`
            : html`<p class="hw-line t-quiet">No servers yet.</p>`
        }`,
      element,
    );

  follow((value) => {
    shown = value || { servers: [], problems: [] };
    busy = "";
    // The form stays open if its changes could not be saved.
    if (isSaving && shown.editing !== form?.name) form = null;
    isSaving = false;
    draw();
  });
};
