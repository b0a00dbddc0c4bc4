// The right column: what is said of the thing under the cursor.
const panel = node("aside", { class: "hw-label-panel", "aria-label": "Verdict" });
const WORDS = { right: "right", "wrong-tool": "wrong tool", "bad-arguments": "bad arguments", needless: "needless", "should-ask": "should ask",
  good: "good", "missing-call": "missing call", "bad-answer": "bad answer" };
const judge = (target, verdict) => change(target, (said) => ({ verdict: said.verdict === verdict ? "" : verdict }));
const rate = (target, rating) => change(target, (said) => ({ rating: said.rating === rating ? 0 : rating }));
const verdict_button = (target, verdict, key) =>
  node("button", { type: "button", class: "hw-verdict", "aria-pressed": String(target.said.verdict === verdict), onclick: () => judge(target, verdict) },
    node("kbd", {}, key), WORDS[verdict]);
const verdicts = (target) => {
  const all = state.view.verdicts;
  const itself = itself_of(target);
  const of_call = target.call === null ? [] : all.slice(0, 5).map((verdict, place) => verdict_button(target, verdict, String(place + 1)));
  const of_message = [["good", target.call === null ? "1" : ""], [all[5], "6"], [all[6], "7"]].map(([verdict, key]) => verdict_button(itself, verdict, key));
  if (target.role !== "model") return null;
  return node("div", { class: "hw-verdicts" }, of_call.length ? node("div", { role: "group", "aria-label": "Verdict of the call" }, of_call) : null,
    node("div", { role: "group", "aria-label": "Verdict of the message" }, of_call.length ? node("span", { class: "hw-note" }, "of its message") : null, of_message));
};
const stars = (target) =>
  node("div", { class: "hw-stars", role: "group", "aria-label": "Rating" },
    [1, 2, 3, 4, 5].map((rating) =>
      node("button", { type: "button", class: "hw-star", "aria-label": rating + " of 5", "aria-pressed": String(target.said.rating === rating),
        onclick: () => rate(target, rating) }, rating <= target.said.rating ? "★" : "☆")),
    node("span", { class: "hw-note" }, "Shift+1…5"));
const add_tag = (target, field) => {
  const tag = field.value.trim();
  keep_draft(target, { tag: null });
  field.value = "";
  if (tag && !target.said.tags.includes(tag)) change(target, (said) => ({ tags: [...said.tags, tag] }));
};
const tags = (target) => {
  const field = node("input", { class: "hw-input", placeholder: "Add a tag", "aria-label": "Add a tag", "data-field": "tag", value: draft_of(target).tag || "",
    oninput: () => keep_draft(target, { tag: field.value || null }),
    onkeydown: (event) => { if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) { event.preventDefault(); add_tag(target, field); } },
    onblur: () => { if (!state.is_drawing) add_tag(target, field); } });
  return node("div", { class: "hw-tagging" }, target.said.tags.map((tag) => node("span", { class: "hw-tag" }, tag,
    iconButton("cross", "Remove the tag " + tag, () => change(target, (said) => ({ tags: said.tags.filter((one) => one !== tag) }))))), field);
};
const save_comment = (target) => {
  const draft = draft_of(target).comment;
  if (draft === undefined) return;
  if (draft === target.said.comment) return keep_draft(target, { comment: null });
  change(target, { comment: draft });
};
const comment = (target) => {
  const draft = draft_of(target).comment;
  const field = node("textarea", { class: "hw-input", rows: 2, placeholder: "Comment", "aria-label": "Comment", "data-field": "comment",
    oninput: () => keep_draft(target, { comment: field.value }), onblur: () => { if (!state.is_drawing) save_comment(target); } });
  field.value = draft === undefined ? target.said.comment : draft;
  return field;
};
const answer = (target, question, value) => change(target, (said) => ({ answers: { ...said.answers, [question.name]: value } }));
const asked = (target) =>
  state.view.project.questions.map((question) => {
    const value = target.said.answers[question.name] || "";
    const made = question.choices.length
      ? node("select", { class: "hw-input", "data-field": "answer " + question.name, onchange: () => answer(target, question, made.value) },
          node("option", { value: "" }, "no answer"), question.choices.map((choice) => node("option", { value: choice }, choice)))
      : node("input", { class: "hw-input", "data-field": "answer " + question.name, onchange: () => answer(target, question, made.value) });
    made.value = value;
    return node("label", { class: "hw-question" }, node("span", {}, question.text), made);
  });
const doubts = (target) => {
  const entry = entry_of(target);
  if (!entry.stale.length) return null;
  return node("p", { class: "hw-line t-warning" }, node("span", { class: "hw-word" }, "stale"),
    node("span", {}, "It follows a correction. "),
    node("button", { type: "button", class: "hw-act", onclick: () => accept(target) }, "It holds", node("kbd", {}, "a")),
    node("button", { type: "button", class: "hw-act", onclick: () => regenerate(target) }, "Regenerate", node("kbd", {}, "g")));
};
const panel_parts = (target) => [
  node("h3", {}, target.title), doubts(target), verdicts(target), stars(target), editor(target), tags(target), comment(target), ...asked(target),
  ...target.others.map((other) => node("p", { class: "hw-line t-quiet" }, node("span", {}, other))),
];
let shown_panel = "";
const draw_panel = () => {
  const target = here();
  const drawn = JSON.stringify([target, target && draft_of(target), target && entry_of(target).stale, state.view && state.view.project, talk() && Object.keys(talk().tools)]);
  const focused = panel.contains(document.activeElement) ? document.activeElement : null;
  const same = target ? key_of(target) : "";
  // A field that is being written in is not torn from under the person.
  const field = focused && panel.dataset.key === same ? focused.dataset.field : null;
  if (drawn === shown_panel) return;
  shown_panel = drawn;
  const caret = field && focused.selectionStart !== undefined ? focused.selectionStart : null;
  panel.dataset.key = same;
  state.is_drawing = true;
  panel.replaceChildren(...(target ? panel_parts(target).filter(Boolean) : [node("p", { class: "hw-hint" }, "Choose a message or a call.")]));
  state.is_drawing = false;
  const again = field ? [...panel.querySelectorAll("[data-field]")].find((one) => one.dataset.field === field) : null;
  if (!again) return;
  again.focus();
  if (caret !== null && again.setSelectionRange) again.setSelectionRange(caret, caret);
};
