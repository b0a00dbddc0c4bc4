// The picker of models, which the model in the header opens. Events: `open_picker`, `choose_model`, `retry_server`.
import { stepOf } from "../shared/page.js";
import { html, render } from "../shared/lit_html.js";

/** @param {Part<ModelPickerView, ModelPickerEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  /** @type {ModelPickerView | null} */
  let shown = null;
  let words = "";
  let isAsking = false;

  const dialog = () => element.querySelector("dialog");

  const choose = (/** @type {string} */ name) => {
    dialog().close();
    trigger("choose_model", { name });
  };

  const addServer = () => {
    dialog().close();
    // The tab may not be there yet; then it opens the form when it comes.
    window.hermesWorkbench.isServerAsked = true;
    window.hermesWorkbench.router.goTo("models", {});
    window.dispatchEvent(new Event("hw:add-server"));
  };

  const retry = (/** @type {string | null} */ name) => {
    isAsking = true;
    draw();
    trigger("retry_server", { name });
  };

  const row = (/** @type {PickerGroup} */ group, /** @type {NamedModel} */ model) => {
    const names = [model.name, ...model.modes.map((mode) => model.name + "+" + mode)];
    const isChosen = names.includes(shown?.chosen ?? "");
    return html`<li aria-current=${String(isChosen)}>
      <button type="button" class="hw-pick" @click=${() => choose(model.name)}
        ><span class="hw-title">${model.title}</span><span class="hw-note">${model.note}</span></button>
      ${model.modes.map(
        (mode) =>
          html`<button type="button" class="hw-action" aria-label="${model.title}, ${mode}"
            aria-pressed=${String(shown?.chosen === model.name + "+" + mode)}
            @click=${() => choose(model.name + "+" + mode)}>${mode}</button>`,
      )}
    </li>`;
  };

  const isFound = (/** @type {NamedModel} */ model) =>
    words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => (model.name + " " + model.note).toLowerCase().includes(word));

  const section = (/** @type {PickerGroup} */ group) => {
    const models = group.models.filter(isFound);
    if (words && !models.length) return "";
    return html`<section><h3>${group.title} <span class="hw-note">${group.note}</span></h3>
      ${
        group.reason
          ? html`<p class="hw-line t-error"><span>${group.reason}</span><button type="button" class="hw-action"
              aria-label="Retry ${group.title}" ?disabled=${isAsking} @click=${() => retry(group.retry)}
            >Retry</button></p>`
          : ""
      }
      <ul>${models.map((model) => row(group, model))}</ul></section>`;
  };

  const type = (/** @type {PageEvent} */ event) => {
    words = event.target.value.trim();
    draw();
  };

  const onKey = (/** @type {PageEvent} */ event) => {
    // No shortcut of the page works while the picker is open.
    event.stopPropagation();
    const rows = [...element.querySelectorAll(".hw-pick")];
    const step = stepOf(event.key);
    if (!step || !rows.length) return;
    event.preventDefault();
    rows[(rows.indexOf(document.activeElement) + step + rows.length) % rows.length].focus();
  };

  const draw = () =>
    render(
      html`<dialog class="hw-dialog hw-picker" aria-label="Choose a model" @keydown=${onKey}
        @click=${(event) => event.target === dialog() && dialog().close()}>
        <input type="text" class="hw-input" aria-label="Find a model" placeholder="Find a model" autocomplete="off"
          spellcheck="false" .value=${words} @input=${type}>
        ${shown ? shown.groups.map(section) : html`<p class="hw-hint">Asking the servers…</p>`}
        ${
          shown && shown.can_add
            ? html`<p class="hw-line"><button type="button" class="hw-action" @click=${addServer}
                >Add a server…</button></p>`
            : ""
        }
        <p class="hw-note">chat: the server renders the prompt. raw: it gets the prompt that you see, byte for byte.</p>
      </dialog>`,
      element,
    );

  window.addEventListener("hw:models", () => {
    if (!element.isConnected || dialog().open) return;
    words = "";
    draw();
    dialog().showModal();
    trigger("open_picker", {});
  });

  window.addEventListener("hw:connect", () => element.isConnected && addServer());

  follow((value) => {
    if (value) shown = value;
    isAsking = false;
    draw();
  });
};
