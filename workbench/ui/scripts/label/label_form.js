// Corrections in the Label tab: a call in a form built from its tool's schema, a message as text beside the original.
import { drawCallForm } from "../shared/call_form.js";
import { html } from "../shared/lit_html.js";
import { isSameAction } from "../actions/action_log.js";
import { isFree, keyOf } from "./label_overlay.js";
import { SEAT } from "./label_state.js";
import { store, stored, storedText } from "../shared/storage.js";

const DRAFT = SEAT + ":draft:";

// A small button, with the key that does the same.
export const actButton = (
  /** @type {string} */ text,
  /** @type {string} */ key,
  /** @type {() => void} */ work,
) =>
  html`<button type="button" class="hw-act" @click=${work}>${text}${key ? html`<kbd>${key}</kbd>` : ""}</button>`;

// The text to start a correction with: the correction so far, or the text of the message.
const initialText = (/** @type {LabelTargetView} */ target) =>
  target.label.text === null ? target.text : target.label.text;

/** @param {Desk} desk */
export const addForm = (desk) => {
  const { state } = desk;

  // Drafts are stored per project, annotator and target. `role` is that of an action, or the seat of this tab.
  const draftName = (/** @type {TargetPlace} */ target, /** @type {Seat=} */ role) =>
    DRAFT + JSON.stringify([(role || state.seat).project, (role || state.seat).labeller, keyOf(target)]);

  // What was typed in this tab and is not saved yet, as JSON, by the names of the drafts. Tabs share the stored drafts,
  // so another tab may have replaced what was typed here, and each tab saves its own.
  const typed = new Map();

  /** @type {Desk["draftOf"]} */
  const draftOf = (target, role) => {
    const name = draftName(target, role);
    return (typed.has(name) ? JSON.parse(typed.get(name)) : stored(name)) || {};
  };

  /** @type {Desk["keepDraft"]} */
  const keepDraft = (target, change, role) => {
    const name = draftName(target, role);
    const draft = { ...draftOf(target, role), ...change };
    for (const field of /** @type {(keyof LabelDraft)[]} */ (Object.keys(draft)))
      if (draft[field] === null) delete draft[field];
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
  const isSaving = (/** @type {LabelTargetView} */ target) => {
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
  const dropSent = (/** @type {LabelAction | undefined} */ action) => {
    for (const change of (action && action.changes) || []) {
      if (change.field !== "correction" || !change.value || change.value.draft === undefined) continue;
      const draft = draftOf(change, action);
      if (JSON.stringify(draft.form || draft.text) === JSON.stringify(change.value.draft))
        keepDraft(change, { form: null, text: null }, action);
    }
  };

  const area = (
    /** @type {string} */ label,
    /** @type {string} */ name,
    /** @type {number} */ rows,
    /** @type {string} */ text,
    /** @type {(text: string) => void} */ onInput,
    placeholder = "",
  ) =>
    html`<textarea class="hw-input hw-mono" rows=${rows} spellcheck="false" aria-label=${label} data-field=${name}
      placeholder=${placeholder} .value=${text} @input=${(event) => onInput(event.target.value)}></textarea>`;

  const callForm = (/** @type {LabelTargetView} */ target, /** @type {CallDraft} */ draft) => {
    const keep = () => {
      state.refusals.delete(keyOf(target));
      desk.keepDraft(target, { form: draft });
    };
    return [
      drawCallForm(desk.loaded().tools, draft, keep, desk.drawPanel),
      target.is_added ? resultForm(draft, keep) : "",
    ];
  };

  // The result of an added call, written by hand or by the mock of its tool.
  const resultForm = (/** @type {CallDraft} */ draft, /** @type {() => void} */ keep) => {
    const hasMock = desk.loaded().mocked.includes(draft.name);
    const onInput = (/** @type {string} */ text) => {
      draft.result = text;
      keep();
    };
    return html`<span class="hw-form-name"><span class="hw-mono k-result">result</span>${
      hasMock ? actButton("Use the mock", "", () => desk.requestMock(draft)) : ""
    }</span>${area("Result", "result", 3, draft.result ?? "", onInput, "What the tool returns")}`;
  };

  const requestMock = (/** @type {LabelDraft["form"]} */ form) => {
    state.trial = form;
    desk.refresh();
  };

  // Takes the answer of a mock, unless the form has changed since.
  const takeMock = (/** @type {MockAnswer} */ { form, result, problem }) => {
    const target = desk.here();
    const draft = target && draftOf(target).form;
    if (problem) return desk.showError(problem);
    if (!draft || JSON.stringify([draft.name, draft.texts]) !== JSON.stringify([form.name, form.texts]))
      return;
    keepDraft(target, { form: { ...draft, result } });
    desk.drawPanel();
    desk.focusOn("result");
  };

  const textForm = (/** @type {LabelTargetView} */ target, /** @type {string} */ draft) =>
    html`<span class="hw-note">Original</span><pre class="hw-original">${target.text}</pre><span class="hw-note"
      >Correction</span>${area("Text", "text", 8, draft, (text) => desk.keepDraft(target, { text }))}`;

  // The form that an added call begins with. If there is only one tool, it is chosen.
  const emptyForm = () => {
    const names = Object.keys(desk.loaded().tools);
    return { name: names.length === 1 ? names[0] : "", texts: {}, result: "" };
  };

  const initialForm = (/** @type {LabelTargetView} */ target) => {
    if (!target.label.name)
      return target.is_added ? emptyForm() : { name: target.tool, texts: { ...target.values } };
    const corrected = JSON.parse(target.label.arguments);
    const kinds = Object.fromEntries(
      (desk.loaded().tools[target.label.name] || []).map((field) => [field.name, field.kind]),
    );
    const texts = Object.entries(corrected).map(([name, value]) => [
      name,
      kinds[name] === "text" && typeof value === "string" ? value : JSON.stringify(value),
    ]);
    const result = target.is_added ? { result: target.label.result || "" } : {};
    return { name: target.label.name, texts: Object.fromEntries(texts), ...result };
  };

  const openEditor = (/** @type {LabelTargetView} */ target) => {
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
            ...(target.label.verdict === "wrong-tool" || !desk.draftOf(target).form?.name
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

  const closeEditor = (/** @type {LabelTargetView} */ target) => {
    state.refusals.delete(keyOf(target));
    state.reopened.delete(keyOf(target));
    desk.keepDraft(target, { text: null, form: null });
    const [first] = desk.entryOf(target).targets.filter((other) => !other.is_added);
    if (isFree(target)) desk.pick(first);
    desk.drawPanel();
    desk.list.focus({ preventScroll: true });
  };

  // Opens the form of a call that the message of a target lacks.
  const addCall = (/** @type {LabelTargetView} */ target) => {
    const place = desk.entryOf(target).targets.find(isFree);
    if (!place) return desk.showError("Only messages of a model can get a call.");
    desk.pick(place);
    openEditor(place);
  };

  // A call or answer that is corrected is not right: without a bad verdict it gets the one that says why.
  const verdictOf = (/** @type {LabelTargetView} */ target, /** @type {CallDraft | null} */ form) => {
    if (target.is_added) return {};
    if (!target.is_stop || !["", target.verdicts[0]].includes(target.label.verdict)) return {};
    if (target.call === null) return target.verdicts.includes("bad-answer") ? { verdict: "bad-answer" } : {};
    return { verdict: form?.name === target.tool ? "bad-arguments" : "wrong-tool" };
  };

  const isUnchanged = (/** @type {LabelTargetView} */ target, /** @type {LabelDraft} */ draft) =>
    target.is_added
      ? false
      : target.call === null
        ? draft.text === target.text.replace(/\r\n/g, "\n")
        : JSON.stringify(draft.form) === JSON.stringify({ name: target.tool, texts: { ...target.values } });

  const saveEditor = (/** @type {LabelTargetView} */ target) => {
    const draft = desk.draftOf(target);
    const refusal = state.refusals.get(keyOf(target));
    state.reopened.delete(keyOf(target));
    if (target.is_added && !draft.form?.name) {
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
      const text = target.text.includes("\r\n") ? draft.text?.replace(/\r?\n/g, "\r\n") : draft.text;
      desk.showError("");
      desk.change(target, { correction: { text, draft: draft.text }, ...verdictOf(target, null) });
    } else {
      const isConfirmed = Boolean(refusal && refusal.canConfirm);
      const message = desk.messageTargetOf(target);
      /** @type {[TargetPlace, Record<string, unknown>][]} */
      const parts = [
        [
          target,
          { correction: { form: draft.form, draft: draft.form }, ...verdictOf(target, draft.form ?? null) },
        ],
      ];
      if (target.is_added && ["", "good"].includes(message.label.verdict))
        parts.push([message, { verdict: "missing-call" }]);
      desk.showError("");
      desk.changeAll(parts, isConfirmed ? { is_confirmed: true } : {});
    }
    desk.list.focus({ preventScroll: true });
  };

  const editWord = (/** @type {LabelTargetView} */ target, /** @type {boolean} */ isCorrected) => {
    if (target.is_added) return isCorrected ? "Edit call" : "Add the call";
    return isCorrected ? "Edit correction" : "Correct";
  };

  const editor = (/** @type {LabelTargetView} */ target) => {
    const draft = desk.draftOf(target);
    const isCorrected = target.label.text !== null || target.label.name !== "";
    const remove = () => desk.change(target, { correction: null });
    if (!desk.isOpenDraft(draft) || isSaving(target))
      return html`<div class="hw-editing">${[
        actButton(editWord(target, isCorrected), "e", () => openEditor(target)),
        isCorrected ? actButton(target.is_added ? "Remove call" : "Remove correction", "", remove) : "",
        target.is_added || !desk.entryOf(target).targets.some(isFree)
          ? ""
          : actButton("Add a call", "+", () => addCall(target)),
        isSaving(target) ? html`<span class="hw-note">saving…</span>` : "",
      ]}</div>`;
    const refusal = state.refusals.get(keyOf(target));
    const word = refusal?.canConfirm ? "Save anyway" : target.is_added ? "Save call" : "Save correction";
    return html`<div class="hw-editing is-open">${
      target.call === null
        ? textForm(target, draft.text ?? "")
        : draft.form
          ? callForm(target, draft.form)
          : ""
    }${refusal ? html`<p class="hw-line t-error">${refusal.text}</p>` : ""}<div class="hw-form-acts"><button type="button"
      class="hw-button" @click=${() => saveEditor(target)}>${word}</button>${actButton("Cancel", "", () =>
        closeEditor(target),
      )}<span class="hw-note">Ctrl+Enter saves</span></div></div>`;
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
