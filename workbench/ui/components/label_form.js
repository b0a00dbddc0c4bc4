// Corrections: a call in a form made from its tool's schema, a message as its text.
const call_form = (target, draft) =>
  draw_call_form(talk().tools, draft, () => keep_draft(target, { form: draft }), draw_panel);
const text_form = (target, draft) => {
  const area = node("textarea", { class: "hw-input hw-mono", rows: 10, spellcheck: "false", "aria-label": "Text", "data-field": "text",
    oninput: () => keep_draft(target, { text: area.value }) });
  area.value = draft;
  return [area];
};
const first_form = (target) => {
  if (target.said.name) {
    const said = JSON.parse(target.said.arguments);
    const kinds = Object.fromEntries((talk().tools[target.said.name] || []).map((field) => [field.name, field.kind]));
    const texts = Object.entries(said).map(([name, value]) => [name, kinds[name] === "text" && typeof value === "string" ? value : JSON.stringify(value)]);
    return { name: target.said.name, texts: Object.fromEntries(texts) };
  }
  return { name: target.tool, texts: { ...target.values } };
};
const first_text = (target) => (target.said.text === null ? target.text : target.said.text);
const open_editor = (target) => {
  if (target.call === null) keep_draft(target, { text: first_text(target) });
  else keep_draft(target, { form: first_form(target) });
  draw_panel();
  const names = target.call === null ? ["[data-field=text]"] : [".hw-form-row .hw-input", "[data-field=tool]"];
  const field = names.map((name) => panel.querySelector(name)).find(Boolean);
  if (field) field.focus();
};
const close_editor = (target) => {
  keep_draft(target, { text: null, form: null });
  draw_panel();
};
const save_editor = (target) => {
  const draft = draft_of(target);
  if (target.call !== null) return change(target, { name: "", arguments: "", form: draft.form });
  // A browser's field knows one kind of line end; the text keeps the one it had.
  const text = target.text.includes("\r\n") ? draft.text.replace(/\r?\n/g, "\r\n") : draft.text;
  change(target, { text: text === target.text ? null : text });
};
const editor = (target) => {
  const draft = draft_of(target);
  const is_open = target.call === null ? draft.text !== undefined : draft.form !== undefined;
  const is_corrected = target.said.text !== null || target.said.name !== "";
  const open = node("button", { type: "button", class: "hw-act", onclick: () => open_editor(target) }, is_corrected ? "Edit the correction" : "Correct", node("kbd", {}, "e"));
  const drop = is_corrected
    ? node("button", { type: "button", class: "hw-act", onclick: () => change(target, { text: null, name: "", arguments: "" }) }, "Drop the correction")
    : null;
  if (!is_open) return node("div", { class: "hw-editing" }, open, drop);
  return node("div", { class: "hw-editing is-open" }, target.call === null ? text_form(target, draft.text) : call_form(target, draft.form),
    node("div", { class: "hw-form-acts" },
      node("button", { type: "button", class: "hw-button", onclick: () => save_editor(target) }, "Save the correction"),
      node("button", { type: "button", class: "hw-act", onclick: () => close_editor(target) }, "Cancel"),
      node("span", { class: "hw-note" }, "Ctrl+Enter saves")));
};
