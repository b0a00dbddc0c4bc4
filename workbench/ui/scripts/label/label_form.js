// Corrections in the Label tab: a call in a form built from its tool's schema, a message as text beside the original.
import { drawCallForm } from "../shared/call_form.js";
import { node } from "../shared/dom.js";
import { isSameAction } from "../actions/action_log.js";
import { isFree, keyOf } from "./label_overlay.js";
import { SEAT } from "./label_state.js";
import { store, stored, storedText } from "../shared/storage.js";

const DRAFT = SEAT + ":draft:";

// A small button, with the key that does the same.
export const actButton = (text, key, onclick) =>
  node("button", { type: "button", class: "hw-act", onclick }, text, key ? node("kbd", {}, key) : null);

// The text to start a correction with: the correction so far, or the text of the message.
const initialText = (target) => (target.label.text === null ? target.text : target.label.text);

/** @param {Desk} desk */
export const addForm = (desk) => {
  const { state } = desk;

  // Drafts are stored per project, annotator and target. `role` is that of an action, or the seat of this tab.
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

  // Whether a correction of the target waits for the server. Its form is closed meanwhile, unless it is opened again.
  const isSaving = (target) => {
    const actions = desk.pendingOf(state.session);
    return (
      !state.reopened.has(keyOf(target)) &&
      actions.some(
        (action) =>
          !actions.some((other) => other.undoes && isSameAction(other.undoes, action)) &&
          (action.changes || []).some(
            (change) => change.field === "correction" && keyOf(change) === keyOf(target),
          ),
      )
    );
  };

  // Discards the drafts that an action has sent, unless something else was typed since.
  const dropSent = (action) => {
    for (const change of (action && action.changes) || []) {
      if (change.field !== "correction" || !change.value || change.value.draft === undefined) continue;
      const draft = draftOf(change, action);
      if (JSON.stringify(draft.form || draft.text) === JSON.stringify(change.value.draft))
        keepDraft(change, { form: null, text: null }, action);
    }
  };

  const callForm = (target, draft) => {
    const keep = () => {
      state.refusals.delete(keyOf(target));
      desk.keepDraft(target, { form: draft });
    };
    const fields = drawCallForm(desk.conversation().tools, draft, keep, desk.drawPanel);
    return target.is_added ? [...fields, ...resultForm(draft, keep)] : fields;
  };

  // The result of an added call, written by hand or by the mock of its tool.
  const resultForm = (draft, keep) => {
    const area = node("textarea", {
      class: "hw-input hw-mono",
      rows: 3,
      spellcheck: "false",
      "aria-label": "Result",
      placeholder: "What the tool returns",
      "data-field": "result",
      oninput: () => {
        draft.result = area.value;
        keep();
      },
    });
    area.value = draft.result;
    const hasMock = desk.conversation().mocked.includes(draft.name);
    return [
      node(
        "span",
        { class: "hw-form-name" },
        node("span", { class: "hw-mono k-result" }, "result"),
        hasMock ? actButton("Use the mock", "", () => desk.requestMock(draft)) : null,
      ),
      area,
    ];
  };

  const requestMock = (form) => {
    state.trial = form;
    desk.refresh();
  };

  // Takes the answer of a mock, unless the form has changed since.
  const takeMock = ({ form, result, problem }) => {
    const target = desk.here();
    const draft = target && draftOf(target).form;
    if (problem) return desk.showError(problem);
    if (!draft || JSON.stringify([draft.name, draft.texts]) !== JSON.stringify([form.name, form.texts]))
      return;
    keepDraft(target, { form: { ...draft, result } });
    desk.drawPanel();
    desk.focusOn("result");
  };

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

  // The form that an added call begins with. If there is only one tool, it is chosen.
  const emptyForm = () => {
    const names = Object.keys(desk.conversation().tools);
    return { name: names.length === 1 ? names[0] : "", texts: {}, result: "" };
  };

  const initialForm = (target) => {
    if (!target.label.name)
      return target.is_added ? emptyForm() : { name: target.tool, texts: { ...target.values } };
    const corrected = JSON.parse(target.label.arguments);
    const kinds = Object.fromEntries(
      (desk.conversation().tools[target.label.name] || []).map((field) => [field.name, field.kind]),
    );
    const texts = Object.entries(corrected).map(([name, value]) => [
      name,
      kinds[name] === "text" && typeof value === "string" ? value : JSON.stringify(value),
    ]);
    const result = target.is_added ? { result: target.label.result || "" } : {};
    return { name: target.label.name, texts: Object.fromEntries(texts), ...result };
  };

  const openEditor = (target) => {
    const draft = desk.draftOf(target);
    if (isSaving(target)) state.reopened.add(keyOf(target));
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
        : [
            ...(target.label.verdict === "wrong-tool" || !desk.draftOf(target).form.name
              ? ["[data-field=tool]"]
              : []),
            ...(broken ? [broken] : []),
            ".hw-form-row .hw-input",
            "[data-field=tool]",
          ];
    const field = fields.map((name) => desk.panel.querySelector(name)).find(Boolean);
    if (!field) return;
    field.focus();
    // What is typed replaces the value of a parameter.
    if (target.call !== null && field.select) field.select();
  };

  const closeEditor = (target) => {
    state.refusals.delete(keyOf(target));
    state.reopened.delete(keyOf(target));
    desk.keepDraft(target, { text: null, form: null });
    if (isFree(target)) desk.pick(desk.entryOf(target).targets.find((other) => !other.is_added));
    desk.drawPanel();
    desk.list.focus({ preventScroll: true });
  };

  // Opens the form of a call that the message of a target lacks.
  const addCall = (target) => {
    const place = desk.entryOf(target).targets.find(isFree);
    if (!place) return desk.showError("Only messages of a model can get a call.");
    desk.pick(place);
    openEditor(place);
  };

  // A call or answer that is corrected is not right: without a bad verdict it gets the one that says why.
  const verdictOf = (target, form) => {
    if (target.is_added) return {};
    if (!target.is_stop || !["", target.verdicts[0]].includes(target.label.verdict)) return {};
    if (target.call === null) return target.verdicts.includes("bad-answer") ? { verdict: "bad-answer" } : {};
    return { verdict: form.name === target.tool ? "bad-arguments" : "wrong-tool" };
  };

  const isUnchanged = (target, draft) =>
    target.is_added
      ? false
      : target.call === null
        ? draft.text === target.text.replace(/\r\n/g, "\n")
        : JSON.stringify(draft.form) === JSON.stringify({ name: target.tool, texts: { ...target.values } });

  const saveEditor = (target) => {
    const draft = desk.draftOf(target);
    const refusal = state.refusals.get(keyOf(target));
    state.reopened.delete(keyOf(target));
    if (target.is_added && !draft.form.name) {
      desk.showError("Choose the tool of the call.");
      return desk.focusOn("tool");
    }
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
      const message = desk.messageTargetOf(target);
      /** @type {[TargetPlace, Record<string, unknown>][]} */
      const parts = [
        [target, { correction: { form: draft.form, draft: draft.form }, ...verdictOf(target, draft.form) }],
      ];
      if (target.is_added && ["", "good"].includes(message.label.verdict))
        parts.push([message, { verdict: "missing-call" }]);
      desk.showError("");
      desk.changeAll(parts, isConfirmed ? { is_confirmed: true } : {});
    }
    desk.list.focus({ preventScroll: true });
  };

  const editWord = (target, isCorrected) => {
    if (target.is_added) return isCorrected ? "Edit call" : "Add the call";
    return isCorrected ? "Edit correction" : "Correct";
  };

  const editor = (target) => {
    const draft = desk.draftOf(target);
    const isCorrected = target.label.text !== null || target.label.name !== "";
    const remove = isCorrected
      ? actButton(target.is_added ? "Remove call" : "Remove correction", "", () =>
          desk.change(target, { correction: null }),
        )
      : null;
    if (!desk.isOpenDraft(draft) || isSaving(target))
      return node(
        "div",
        { class: "hw-editing" },
        actButton(editWord(target, isCorrected), "e", () => openEditor(target)),
        remove,
        target.is_added || !desk.entryOf(target).targets.some(isFree)
          ? null
          : actButton("Add a call", "+", () => addCall(target)),
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
          refusal && refusal.canConfirm ? "Save anyway" : target.is_added ? "Save call" : "Save correction",
        ),
        actButton("Cancel", "", () => closeEditor(target)),
        node("span", { class: "hw-note" }, "Ctrl+Enter saves"),
      ),
    );
  };

  Object.assign(desk, {
    draftOf,
    keepDraft,
    dropSent,
    isSaving,
    openEditor,
    saveEditor,
    closeEditor,
    addCall,
    requestMock,
    takeMock,
    editor,
  });
};
