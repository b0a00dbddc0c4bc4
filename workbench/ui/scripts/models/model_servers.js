// Servers with models: state, test, and the form to add or edit one. Events: `save_server`, `remove_server`,
// `retry_server`, `test_server`, `use_model`.
import { html, render, repeat } from "../shared/lit_html.js";

/** @type {EditedServer} */
const NEW = { name: "", title: "", url: "", kind: "openai", key_place: "session", key_variable: "" };

const SAVED = ["new_name", "url", "kind", "key", "key_place", "key_variable"];

/** @param {Part<ModelServersView, ModelServersEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  /** @type {ModelServersView | null} */
  let shown = null;
  // The form that is open, with what was typed.
  /** @type {(EditedServer & Record<string, string>) | null} */
  let form = null;
  let isSaving = false;
  // What is being done with which server, and the server whose removal a second press confirms.
  /** @type {{ name?: string; word?: string }} */
  let busy = {};
  /** @type {string | null} */
  let confirmed = null;
  const reports = new Map();

  /** @param {string} event @param {ModelServerLine} server @param {string} word */
  /** @param {ModelServersEvents} event @param {EditedServer} server @param {string} word @param {object} [data] */
  const act = (event, server, word, data) => {
    busy = { name: server.name, word };
    confirmed = null;
    // The result of an earlier test may no longer be true.
    reports.delete(server.name);
    trigger(event, { name: server.name, ...data });
    draw();
  };

  const edit = (/** @type {EditedServer} */ server) => {
    form = { ...server, new_name: server.name, key: "" };
    draw();
    element.querySelector(".hw-server-form input")?.focus();
  };

  const close = () => {
    form = null;
    draw();
  };

  /** @param {ModelServersView} view @param {EditedServer & Record<string, string>} values */
  const editor = (view, values) => {
    const field = (
      /** @type {string} */ name,
      /** @type {string} */ label,
      placeholder = "",
      type = "text",
    ) =>
      html`<label>${label}<input class="hw-input" type=${type} .value=${values[name]} placeholder=${placeholder}
        autocomplete="off" spellcheck="false" maxlength="2000"
        @input=${(event) => (values[name] = event.target.value)}></label>`;
    const select = (
      /** @type {string} */ name,
      /** @type {string} */ label,
      /** @type {FormChoice[]} */ choices,
    ) =>
      html`<label>${label}<select class="hw-input" @change=${(event) => {
        values[name] = event.target.value;
        draw();
      }}>${choices.map(
        (choice) =>
          html`<option value=${choice.value} ?selected=${choice.value === values[name]}>${choice.label}</option>`,
      )}</select></label>`;
    const save = (/** @type {PageEvent} */ event) => {
      event.preventDefault();
      isSaving = true;
      act(
        "save_server",
        values,
        "connecting…",
        Object.fromEntries(SAVED.map((name) => [name, values[name]])),
      );
    };
    const onKey = (/** @type {PageEvent} */ event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close();
    };
    const { key_places: places } = view;
    return html`<form class="hw-server-form" @submit=${save} @keydown=${onKey}>
      ${field("url", "URL", view.url_example)}
      ${field("new_name", "Name", "from the URL")}
      ${places.length ? select("key_place", "API key", places) : ""}
      ${
        values.key_place === "variable" && places.length
          ? field("key_variable", "Variable", "empty if no key is needed")
          : field("key", "Key", values.name ? "unchanged" : "if it needs one", "password")
      }
      ${select("kind", "Software", view.kinds)}
      <p class="hw-line"><button type="submit" class="hw-action" ?disabled=${Boolean(busy.word)}>${
        busy.word && isSaving ? busy.word : "Save server"
      }</button><button type="button" class="hw-action" @click=${close}>Cancel</button></p>
    </form>`;
  };

  /** @param {string} word @param {ModelServerLine} server @param {() => void} work */
  const button = (word, server, work, text = word) =>
    html`<button type="button" class="hw-action" aria-label="${word} ${server.title}" ?disabled=${Boolean(busy.word)}
      @click=${work}>${text}</button>`;

  const removal = (/** @type {ModelServerLine} */ server) => {
    const isAsked = confirmed === server.name;
    const remove = () => {
      if (isAsked) return act("remove_server", server, "removing…");
      confirmed = server.name;
      draw();
    };
    return button("Remove", server, remove, isAsked ? "Remove it and its key?" : "Remove");
  };

  const buttons = (/** @type {ModelServerLine} */ server) =>
    html`<div class="hw-actions">
      ${server.models.map(
        (model) =>
          html`<button type="button" class="hw-action" aria-label="Use ${model.title} on ${server.title}"
            @click=${() => trigger("use_model", { name: model.name })}>Use ${model.title}</button>`,
      )}
      ${button("Test", server, () => act("test_server", server, "testing, this may take a minute…"))}
      ${button("Retry", server, () => act("retry_server", server, "connecting…"))}
      ${server.can_edit ? [button("Edit", server, () => edit(server)), removal(server)] : ""}
    </div>`;

  const report = (/** @type {ReportLine[]} */ lines) =>
    html`<ul class="hw-server-report">${lines.map(
      (line) => html`<li class=${line.is_problem ? "t-error" : "t-quiet"}>${line.text}</li>`,
    )}</ul>`;

  const item = (/** @type {ModelServersView} */ view, /** @type {ModelServerLine} */ server) => {
    const isBusy = busy.word && busy.name === server.name;
    return html`<li class="hw-server" data-server=${server.name}>
      <div class="hw-model-head"><strong>${server.title}</strong><span class="hw-status ${
        server.reason ? "t-error" : "t-quiet"
      }" role="status">${isBusy ? busy.word : server.status}</span></div>
      <div class="hw-note">${server.url}</div>
      ${server.reason ? html`<p class="hw-line t-error"><span>${server.reason}</span></p>` : ""}
      ${reports.has(server.name) ? report(reports.get(server.name)) : ""}
      ${form?.title && form.name === server.name ? editor(view, form) : buttons(server)}
    </li>`;
  };

  const servers = (/** @type {ModelServersView} */ view) =>
    html`${view.problems.map(
      (problem) => html`<p class="hw-line t-error" role="alert"><span>${problem}</span></p>`,
    )}
      <ul>${repeat(
        view.servers,
        (server) => server.name,
        (server) => item(view, server),
      )}</ul>
      ${
        !view.can_add
          ? ""
          : form?.title === ""
            ? editor(view, form)
            : html`<p class="hw-line"><button type="button" class="hw-action" @click=${() => edit(NEW)}
                >Add a server</button></p><p class="hw-note">${view.note}</p>`
      }`;

  const draw = () => render(shown ? servers(shown) : "", element);

  // The picker of the header asks for the form, perhaps before this part of the page is there.
  const add = () => {
    if (!element.isConnected || !shown?.can_add) return;
    window.hermesWorkbench.isServerAsked = false;
    edit(NEW);
  };
  window.addEventListener("hw:add-server", add);

  follow((value) => {
    if (!value) return draw();
    shown = value;
    busy = {};
    value.servers.forEach((server) => server.report.length && reports.set(server.name, server.report));
    if (isSaving && !value.has_failed) form = null;
    isSaving = false;
    draw();
    if (window.hermesWorkbench.isServerAsked) add();
  });
};
