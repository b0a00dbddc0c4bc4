// Corrections in the Label tab: a call in a form built from its tool's schema, a message as text beside the original.
import { drawCallForm } from "./call_form.js";
import { node } from "./dom.js";
import { keyOf } from "./label_overlay.js";
import { SEAT } from "./label_state.js";
import { store, stored, storedText } from "./storage.js";

const DRAFT = SEAT + ":draft:";

// A small button, with the key that does the same.
export const actButton = (text, key, onclick) =>
  node("button", { type: "button", class: "hw-act", onclick }, text, key ? node("kbd", {}, key) : null);

// The text to start a correction with: the correction so far, or the text of the message.
const initialText = (target) => (target.label.text === null ? target.text : target.label.text);

export const addForm = (desk) => {
  const { state } = desk;

  // Drafts are stored per project, labeller and target. `role` is that of an action, or the seat of this tab.
  const draftName = (target, role) =>
    DRAFT + JSON.stringify([(role || state.seat).project, (role || state.seat).labeller, keyOf(target)]);

  // What was typed in this tab and is not saved yet, as JSON, by the names of the drafts. Tabs share the stored drafts,
  // so another tab may have replaced what was typed here, and each tab saves its own.
  const typed = new Map();

  const draftOf = (target, role) => {
    const name = draftName(target, role);
    return (typed.has(name) ? JSON.parse(typed.get(name)) : stored(name)) || {};
  };

  const keepDraft = (target, change, role) => {
    const name = draftName(target, role);
    const draft = { ...draftOf(target, role), ...change };
    for (const field of Object.keys(draft)) if (draft[field] === null) delete draft[field];
    if (Object.keys(draft).length) {
      typed.set(name, JSON.stringify(draft));
      store(name, draft);
      return;
    }
    // What another tab has typed since stays stored.
    if (!typed.has(name) || typed.get(name) === storedText(name)) store(name, null);
    typed.delete(name);
  };

  // Another tab has typed, saved or discarded something.
  window.addEventListener("storage", ({ key }) => {
    if (key && key.startsWith(DRAFT) && desk.element.isConnected) desk.drawPanel();
  });

  // Whether a correction of the target waits for the server. Its form is closed meanwhile.
  const isSaving = (target) =>
    desk
      .pendingOf(state.session)
      .some((action) =>
        (action.changes || []).some(
          (change) => change.field === "correction" && keyOf(change) === keyOf(target),
        ),
      );

  const callForm = (target, draft) =>
    drawCallForm(
      desk.talk().tools,
      draft,
      () => {
        state.refusals.delete(keyOf(target));
        desk.keepDraft(target, { form: draft });
      },
      desk.drawPanel,
    );

  const textForm = (target, draft) => {
    const area = node("textarea", {
      class: "hw-input hw-mono",
      rows: 8,
      spellcheck: "false",
      "aria-label": "Text",
      "data-field": "text",
      oninput: () => desk.keepDraft(target, { text: area.value }),
    });
    area.value = draft;
    return [
      node("span", { class: "hw-note" }, "Original"),
      node("pre", { class: "hw-original" }, target.text),
      node("span", { class: "hw-note" }, "Correction"),
      area,
    ];
  };

  const initialForm = (target) => {
    if (!target.label.name) return { name: target.tool, texts: { ...target.values } };
    const corrected = JSON.parse(target.label.arguments);
    const kinds = Object.fromEntries(
      (desk.talk().tools[target.label.name] || []).map((field) => [field.name, field.kind]),
    );
    const texts = Object.entries(corrected).map(([name, value]) => [
      name,
      kinds[name] === "text" && typeof value === "string" ? value : JSON.stringify(value),
    ]);
    return { name: target.label.name, texts: Object.fromEntries(texts) };
  };

  const openEditor = (target) => {
    const draft = desk.draftOf(target);
    if (!desk.isOpenDraft(draft))
      desk.keepDraft(
        target,
        target.call === null ? { text: initialText(target) } : { form: initialForm(target) },
      );
    desk.drawPanel();
    const broken = target.broken && '[data-field="form ' + CSS.escape(target.broken) + '"]';
    const fields =
      target.call === null
        ? ["[data-field=text]"]
        : [...(broken ? [broken] : []), ".hw-form-row .hw-input", "[data-field=tool]"];
    const field = fields.map((name) => desk.panel.querySelector(name)).find(Boolean);
    if (!field) return;
    field.focus();
    // What is typed replaces the value of a parameter.
    if (target.call !== null && field.select) field.select();
  };

  const closeEditor = (target) => {
    state.refusals.delete(keyOf(target));
    desk.keepDraft(target, { text: null, form: null });
    desk.drawPanel();
    desk.list.focus({ preventScroll: true });
  };

  // A call or answer that is corrected is not right: without a bad verdict it gets the one that says why.
  const verdictOf = (target, form) => {
    if (!target.is_stop || !["", target.verdicts[0]].includes(target.label.verdict)) return {};
    if (target.call === null) return target.verdicts.includes("bad-answer") ? { verdict: "bad-answer" } : {};
    return { verdict: form.name === target.tool ? "bad-arguments" : "wrong-tool" };
  };

  const isUnchanged = (target, draft) =>
    target.call === null
      ? draft.text === target.text.replace(/\r\n/g, "\n")
      : JSON.stringify(draft.form) === JSON.stringify({ name: target.tool, texts: { ...target.values } });

  const saveEditor = (target) => {
    const draft = desk.draftOf(target);
    const refusal = state.refusals.get(keyOf(target));
    if (isUnchanged(target, draft)) {
      desk.keepDraft(target, { text: null, form: null });
      if (target.label.text !== null || target.label.name) desk.change(target, { correction: null });
      else desk.drawPanel();
      desk.showError("This equals the original, so there is no correction.");
    } else if (target.call === null) {
      // A text area always uses \n. If the message has \r\n, the corrected text gets it back.
      const text = target.text.includes("\r\n") ? draft.text.replace(/\r?\n/g, "\r\n") : draft.text;
      desk.showError("");
      desk.change(target, { correction: { text, draft: draft.text }, ...verdictOf(target, null) });
    } else {
      const isConfirmed = Boolean(refusal && refusal.canConfirm);
      desk.showError("");
      desk.change(
        target,
        { correction: { form: draft.form, draft: draft.form }, ...verdictOf(target, draft.form) },
        isConfirmed ? { is_confirmed: true } : {},
      );
    }
    desk.list.focus({ preventScroll: true });
  };

  const editor = (target) => {
    const draft = desk.draftOf(target);
    const isCorrected = target.label.text !== null || target.label.name !== "";
    const remove = isCorrected
      ? actButton("Remove correction", "", () => desk.change(target, { correction: null }))
      : null;
    if (!desk.isOpenDraft(draft) || isSaving(target))
      return node(
        "div",
        { class: "hw-editing" },
        actButton(isCorrected ? "Edit correction" : "Correct", "e", () => openEditor(target)),
        remove,
        isSaving(target) ? node("span", { class: "hw-note" }, "saving…") : null,
      );
    const refusal = state.refusals.get(keyOf(target));
    return node(
      "div",
      { class: "hw-editing is-open" },
      target.call === null ? textForm(target, draft.text) : callForm(target, draft.form),
      refusal ? node("p", { class: "hw-line t-error" }, refusal.text) : null,
      node(
        "div",
        { class: "hw-form-acts" },
        node(
          "button",
          { type: "button", class: "hw-button", onclick: () => saveEditor(target) },
          refusal && refusal.canConfirm ? "Save anyway" : "Save correction",
        ),
        actButton("Cancel", "", () => closeEditor(target)),
        node("span", { class: "hw-note" }, "Ctrl+Enter saves"),
      ),
    );
  };

  Object.assign(desk, { draftOf, keepDraft, isSaving, openEditor, saveEditor, closeEditor, editor });
};
