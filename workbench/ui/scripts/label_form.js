// Corrections in the Label tab: a call in a form built from its tool's schema, a message as its text.
import { drawCallForm } from "./call_form.js";
import { node } from "./dom.js";

// The text to start a correction with: the correction so far, or the text of the message.
const initialText = (target) => (target.label.text === null ? target.text : target.label.text);

export const addForm = (desk) => {
  const callForm = (target, draft) =>
    drawCallForm(desk.talk().tools, draft, () => desk.keepDraft(target, { form: draft }), desk.drawPanel);

  const textForm = (target, draft) => {
    const area = node("textarea", {
      class: "hw-input hw-mono",
      rows: 10,
      spellcheck: "false",
      "aria-label": "Text",
      "data-field": "text",
      oninput: () => desk.keepDraft(target, { text: area.value }),
    });
    area.value = draft;
    return [area];
  };

  const initialForm = (target) => {
    if (target.label.name) {
      const corrected = JSON.parse(target.label.arguments);
      const kinds = Object.fromEntries(
        (desk.talk().tools[target.label.name] || []).map((field) => [field.name, field.kind]),
      );
      const texts = Object.entries(corrected).map(([name, value]) => [
        name,
        kinds[name] === "text" && typeof value === "string" ? value : JSON.stringify(value),
      ]);
      return { name: target.label.name, texts: Object.fromEntries(texts) };
    }
    return { name: target.tool, texts: { ...target.values } };
  };

  const openEditor = (target) => {
    if (target.call === null) desk.keepDraft(target, { text: initialText(target) });
    else desk.keepDraft(target, { form: initialForm(target) });
    desk.drawPanel();
    const names =
      target.call === null ? ["[data-field=text]"] : [".hw-form-row .hw-input", "[data-field=tool]"];
    const field = names.map((name) => desk.panel.querySelector(name)).find(Boolean);
    if (field) field.focus();
  };

  const closeEditor = (target) => {
    desk.keepDraft(target, { text: null, form: null });
    desk.drawPanel();
  };

  const saveEditor = (target) => {
    const draft = desk.draftOf(target);
    if (target.call !== null) return desk.change(target, { name: "", arguments: "", form: draft.form });
    // A text area always uses \n. If the message has \r\n, the corrected text gets it back.
    const text = target.text.includes("\r\n") ? draft.text.replace(/\r?\n/g, "\r\n") : draft.text;
    desk.change(target, { text: text === target.text ? null : text });
  };

  const editor = (target) => {
    const draft = desk.draftOf(target);
    const isOpen = target.call === null ? draft.text !== undefined : draft.form !== undefined;
    const isCorrected = target.label.text !== null || target.label.name !== "";
    const open = node(
      "button",
      { type: "button", class: "hw-act", onclick: () => openEditor(target) },
      isCorrected ? "Edit correction" : "Correct",
      node("kbd", {}, "e"),
    );
    const remove = isCorrected
      ? node(
          "button",
          {
            type: "button",
            class: "hw-act",
            onclick: () => desk.change(target, { text: null, name: "", arguments: "" }),
          },
          "Remove correction",
        )
      : null;
    if (!isOpen) return node("div", { class: "hw-editing" }, open, remove);
    return node(
      "div",
      { class: "hw-editing is-open" },
      target.call === null ? textForm(target, draft.text) : callForm(target, draft.form),
      node(
        "div",
        { class: "hw-form-acts" },
        node(
          "button",
          { type: "button", class: "hw-button", onclick: () => saveEditor(target) },
          "Save correction",
        ),
        node("button", { type: "button", class: "hw-act", onclick: () => closeEditor(target) }, "Cancel"),
        node("span", { class: "hw-note" }, "Ctrl+Enter saves"),
      ),
    );
  };

  Object.assign(desk, { openEditor, saveEditor, closeEditor, editor });
};
