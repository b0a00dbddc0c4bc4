// The labelling desk's corrections: a call in a form made from its tool's schema, a message as its text.
import { drawCallForm } from "./call_form.js";
import { node } from "./dom.js";

const firstText = (target) => (target.said.text === null ? target.text : target.said.text);

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

  const firstForm = (target) => {
    if (target.said.name) {
      const said = JSON.parse(target.said.arguments);
      const kinds = Object.fromEntries(
        (desk.talk().tools[target.said.name] || []).map((field) => [field.name, field.kind]),
      );
      const texts = Object.entries(said).map(([name, value]) => [
        name,
        kinds[name] === "text" && typeof value === "string" ? value : JSON.stringify(value),
      ]);
      return { name: target.said.name, texts: Object.fromEntries(texts) };
    }
    return { name: target.tool, texts: { ...target.values } };
  };

  const openEditor = (target) => {
    if (target.call === null) desk.keepDraft(target, { text: firstText(target) });
    else desk.keepDraft(target, { form: firstForm(target) });
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
    // A browser's field knows one kind of line end; the text keeps the one it had.
    const text = target.text.includes("\r\n") ? draft.text.replace(/\r?\n/g, "\r\n") : draft.text;
    desk.change(target, { text: text === target.text ? null : text });
  };

  const editor = (target) => {
    const draft = desk.draftOf(target);
    const isOpen = target.call === null ? draft.text !== undefined : draft.form !== undefined;
    const isCorrected = target.said.text !== null || target.said.name !== "";
    const open = node(
      "button",
      { type: "button", class: "hw-act", onclick: () => openEditor(target) },
      isCorrected ? "Edit the correction" : "Correct",
      node("kbd", {}, "e"),
    );
    const drop = isCorrected
      ? node(
          "button",
          {
            type: "button",
            class: "hw-act",
            onclick: () => desk.change(target, { text: null, name: "", arguments: "" }),
          },
          "Drop the correction",
        )
      : null;
    if (!isOpen) return node("div", { class: "hw-editing" }, open, drop);
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
          "Save the correction",
        ),
        node("button", { type: "button", class: "hw-act", onclick: () => closeEditor(target) }, "Cancel"),
        node("span", { class: "hw-note" }, "Ctrl+Enter saves"),
      ),
    );
  };

  Object.assign(desk, { openEditor, saveEditor, closeEditor, editor });
};
