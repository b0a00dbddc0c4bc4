// Edits a message, shows it as code, offers to restore it, or saves the conversation as a case. Events: `save_message`,
// `edit_again`, `close_pane`, `restore_message`, `save_case`.
import { copyText, iconButton, node, once } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { drawCallForm } from "../shared/call_form.js";
import { show } from "../drafts/document_changes.js";
import { discard, keep, kept, nameOf, onShow, textOf } from "../drafts/documents.js";
import { store, stored } from "../shared/storage.js";

// The browser stores which message of a session is edited, and the draft of each message until it is saved or
// discarded.
const openName = (/** @type {string} */ session) => "hermes-workbench:editing:" + session;
const AREA = "play-edit-text";
const UNDO_MS = 10000;

const draftId = (/** @type {Pick<EditView, "message_id" | "call">} */ value) =>
  "edit:" + value.message_id + (value.call === null ? "" : "#" + value.call);

const session = () => nameOf("play-composer");

/** @param {string} label @param {() => void} work */
const button = (label, work, kind = "hw-button") =>
  html`<button type="button" class=${kind} @click=${work}>${label}</button>`;

/** @param {Part<EditView | CodeView | DeletedView | CaseView, MessagePaneEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  /** @type {EditView | null} */
  let edited = null;
  // Where the browser stores that it is edited.
  let openAt = "";
  let isSent = false;
  // Whether the answer to `close_pane` is still to come, which draws nothing.
  let isClosed = false;
  let hideTimer = 0;

  // The pane, which is at the message that it edits, or else above the composer.
  /** @type {PageElement | null} */
  let editor = null;
  const clear = () => {
    editor?.parentElement?.classList.remove("is-edited");
    editor?.remove();
    editor = null;
    element.replaceChildren();
  };

  // Removes the draft. Returns it, or null if nothing was changed.
  const forget = () => {
    const draft = edited && kept(draftId(edited));
    if (edited) discard(draftId(edited));
    store(openAt, null);
    edited = null;
    return draft;
  };

  const drawUndo = (/** @type {string} */ title, /** @type {() => void} */ work) => {
    clear();
    element.append(
      once(
        html`<p class="hw-line hw-undo" role="status"><span class="hw-title">${title}</span>${button("Undo", work, "hw-act")}</p>`,
      ),
    );
    clearTimeout(hideTimer);
    hideTimer = setTimeout(clear, UNDO_MS);
  };

  const close = () => {
    const value = edited;
    const draft = forget();
    clearTimeout(hideTimer);
    clear();
    isClosed = true;
    trigger("close_pane", {});
    if (!value || draft === null) return;
    drawUndo("Edit discarded.", () => {
      keep(draftId(value), draft, null);
      drawEdit(value);
    });
  };

  const pane = (/** @type {string} */ label, /** @type {Drawable} */ content) => {
    const onkeydown = (/** @type {PageEvent} */ event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      close();
    };
    return node(
      "section",
      { class: "hw-message-pane", role: "group", "aria-label": label, onkeydown },
      content,
    );
  };

  const drawEdit = (/** @type {EditView} */ value) => {
    clearTimeout(hideTimer);
    edited = value;
    openAt = openName(session());
    store(openAt, { id: value.message_id, call: value.call });
    const isText = value.call === null;
    const original = JSON.stringify({ name: value.name, texts: { ...value.values } });
    const draft = isText ? null : JSON.parse(kept(draftId(value)) || original);
    const keepForm = () => {
      isSent = false;
      keep(draftId(value), JSON.stringify(draft), original);
    };
    const save = (/** @type {string} */ then) => {
      // A text area always uses \n. If the message has \r\n, the edited text gets it back.
      const typed = isText ? textOf(AREA) : "";
      const text = isText && value.text.includes("\r\n") ? typed.replace(/\r?\n/g, "\r\n") : typed;
      isSent = true;
      const edit = isText ? { text } : { name: draft.name, texts: draft.texts };
      trigger("save_message", { id: value.message_id, call: value.call, edit: JSON.stringify(edit), then });
    };
    const fields = node("div", { class: "hw-pane-fields" });
    const drawFields = () => {
      if (!isText)
        return fields.replaceChildren(once(drawCallForm(value.tools, draft, keepForm, drawFields)));
      const area = node("textarea", {
        id: AREA,
        class: "hw-input hw-mono",
        rows: 7,
        spellcheck: "false",
        "aria-label": value.title,
        oninput: () => (isSent = false),
      });
      area.value = value.text;
      fields.replaceChildren(node("div", {}, area));
    };
    drawFields();
    clear();
    const primary = "hw-button is-primary";
    editor = pane(
      value.title,
      html`<h2>${value.title}</h2>${fields}<div class="hw-form-acts">${[
        value.go_on ? button(value.go_on, () => save("go_on"), primary) : "",
        button(value.save, () => save(""), value.go_on ? "hw-button" : primary),
        value.can_continue ? button("Continue from here", () => save("continue")) : "",
        button("Cancel", close, "hw-act"),
      ]}<span class="hw-note">The original stays as a branch.</span></div>`,
    );
    editor.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      event.stopPropagation();
      save(value.go_on ? "go_on" : "");
    });
    const entry = document.querySelector(
      `#play-transcript [data-messages~="${CSS.escape(value.message_id)}"]`,
    );
    (entry || element).append(editor);
    entry?.classList.toggle("is-edited", isText && entry.dataset.id === value.message_id);
    if (isText) show(AREA, draftId(value), value.text);
    const field = editor.querySelector(".hw-form-row .hw-input") || editor.querySelector("textarea, select");
    if (field) field.focus();
    editor.scrollIntoView({ block: "nearest" });
  };

  const drawCode = (/** @type {CodeView} */ value) => {
    const place = pane(value.title, "");
    const show = (/** @type {CodeView["tabs"][number]} */ shown) => {
      const copy = iconButton("copy", "Copy code", () => copyText(shown.text, copy));
      const ways = value.tabs.map(
        (tab) =>
          html`<button type="button" class="hw-way" aria-pressed=${String(tab === shown)} @click=${() => show(tab)}
            >${tab.name}</button>`,
      );
      render(
        html`<div class="hw-pane-head"><h2>${value.title}</h2><div class="hw-ways" role="group" aria-label="Code"
          >${ways}</div><span class="hw-gap"></span>${copy}${iconButton("cross", "Close", close)}</div><pre class="hw-code"
          tabindex="0" aria-label=${shown.name}>${shown.text}</pre><p class="hw-note">${value.note}</p>`,
        place,
      );
    };
    show(value.tabs[0]);
    clear();
    element.append(place);
    place.querySelector("button").focus();
  };

  const drawDeleted = (/** @type {DeletedView} */ value) =>
    drawUndo(value.title, () => trigger("restore_message", { id: value.message_id }));

  const drawCase = (/** @type {CaseView} */ value) => {
    const title = "Save the conversation as a case";
    const save = (/** @type {PageEvent} */ event) => {
      event.preventDefault();
      trigger("save_case", { id: "", suite: element.querySelector("#play-case-suite").value });
    };
    const form = html`<h2>${title}</h2><form @submit=${save}><p class="hw-note"
      >The person is drafted from your messages. The case expects the calls that the model made and what they changed in
      the world.</p><label class="hw-form-row" for="play-case-suite">Suite, also a new one<input class="hw-input"
      id="play-case-suite" list="play-case-suites" .value=${value.suite} maxlength="64"><datalist id="play-case-suites"
      >${value.suites.map((suite) => html`<option value=${suite}></option>`)}</datalist></label><div class="hw-form-acts"
      ><button type="submit" class="hw-button">Save case</button>${button("Cancel", close, "hw-act")}</div></form>`;
    element.replaceChildren(pane(title, form));
    const field = element.querySelector("#play-case-suite");
    field.select();
    field.focus();
  };

  /** @type {Record<string, (value: any) => void>} */
  const DRAW = { edit: drawEdit, code: drawCode, deleted: drawDeleted, case: drawCase };

  // An edit goes on when its session is opened again.
  onShow("play-composer", (id) => {
    const at = openName(id.slice("composer:".length));
    const open = stored(at);
    if (!open || (edited && openAt === at)) return;
    if (kept(draftId({ message_id: open.id, call: open.call })) === null) store(at, null);
    else trigger("edit_again", { id: open.id, call: open.call });
  });

  follow((value) => {
    if (!value && isClosed) {
      isClosed = false;
      return;
    }
    isClosed = false;
    clearTimeout(hideTimer);
    if (value) return DRAW[value.kind](value);
    // The pane closes after saving, which removes the draft, and when another session opens, which keeps it.
    if (isSent) forget();
    isSent = false;
    edited = null;
    clear();
  });
};
