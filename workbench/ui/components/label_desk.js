const accept = (target) => {
  for (const message of entry_of(target).stale) in_turn(() => order("accept", { message }));
  const verdict = target.call === null ? "good" : "right";
  if (target.role === "model" && expected(target).verdict !== verdict) change(target, { verdict });
};
const regenerate = (target) => {
  const entry = entry_of(target);
  if (!["model", "tool"].includes(target.role)) return tell("Only what a model wrote, or a tool gave, is made anew.");
  go(() => { order("regenerate", { message: entry.stale[0] || target.message }); draw_bar(); });
};
const step = (by) => {
  const all = targets();
  const from = all.findIndex((target) => key_of(target) === state.at);
  for (let place = from + by; place >= 0 && place < all.length; place += by) if (all[place].is_stop) return pick(all[place]);
};
const neighbour = (by) => {
  const ids = state.view.rows.map((one) => one.id);
  const id = ids[ids.indexOf(talk() ? talk().id : "") + by];
  if (id) go(() => move_to(id));
};
const focus_on = (name) => { const field = panel.querySelector("[data-field=" + name + "]"); if (field) field.focus(); };
const verdict_key = (number) => {
  const target = here();
  if (!target || target.role !== "model") return;
  const verdict = state.view.verdicts[number - 1];
  if (number >= 6) judge(itself_of(target), verdict);
  else if (target.call !== null) judge(target, verdict);
  else if (number === 1) judge(target, "good");
};
const ACTS = {
  j: () => step(1), k: () => step(-1), n: () => neighbour(1), p: () => neighbour(-1),
  a: () => { if (here()) { const target = here(); accept(target); step(1); } },
  r: () => go(() => talk() && end_session("reject")), e: () => here() && open_editor(here()), g: () => here() && regenerate(here()),
  t: () => focus_on("tag"), c: () => focus_on("comment"), u: () => go(go_back), "?": show_help, Enter: () => go(() => talk() && end_session("submit")),
};
// A field of a conversation that is still to come: what is typed for it is held until it is there.
const hold = (work) => {
  state.queue.push(() => {
    const text = state.held || "";
    state.held = null;
    work();
    const field = document.activeElement;
    if (!text || !is_field(field)) return;
    field.value += text;
    field.dispatchEvent(new Event("input"));
  });
  state.held = "";
};
const is_field = (target) => Boolean(target.closest && target.closest("input, textarea, select, [contenteditable], .cm-editor"));
const submit_all = () => {
  const target = here();
  const draft = target ? draft_of(target) : {};
  if (draft.form !== undefined || draft.text !== undefined) return save_editor(target);
  // What is in a field is saved when the field is left.
  if (document.activeElement) document.activeElement.blur();
  ACTS.Enter();
};
const on_escape = (event) => {
  if (state.is_again) return trigger("label_stop", {});
  if (is_field(event.target)) return event.target.blur();
  const target = here();
  if (target && (draft_of(target).form || draft_of(target).text !== undefined)) close_editor(target);
};
const on_key = (event) => {
  if (!element.isConnected) { document.removeEventListener("keydown", on_key, true); return; }
  if (element.offsetParent === null || help.open || event.defaultPrevented) return;
  if (event.key === "Escape") return on_escape(event);
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); event.stopPropagation(); return submit_all(); }
  if (event.ctrlKey || event.metaKey || event.altKey || is_field(event.target)) return;
  if (state.held !== null) {
    if (event.key.length === 1) { event.preventDefault(); state.held += event.key; }
    return;
  }
  const digit = /^(?:Digit|Numpad)([1-7])$/.exec(event.code);
  const work = digit && event.shiftKey ? () => here() && Number(digit[1]) <= 5 && rate(here(), Number(digit[1]))
    : digit ? () => verdict_key(Number(digit[1])) : ACTS[event.key];
  if (!work || (event.key === "Enter" && event.target.closest("button, summary, a"))) return;
  event.preventDefault();
  if (!state.moving) work();
  else if (["t", "c"].includes(event.key)) hold(work);
  else in_turn(work);
};
document.addEventListener("keydown", on_key, true);

element.replaceChildren(node("div", { class: "hw-label-desk" }, head, notice, queue, node("div", { class: "hw-label-talk" }, list, hint, row), panel, help));
const name_in_address = (id) => {
  const address = new URL(location.href);
  if (id) address.searchParams.set("label", id);
  else address.searchParams.delete("label");
  if (address.href !== location.href) history.replaceState(history.state, "", address);
};
new IntersectionObserver((seen) => {
  if (!element.isConnected) return;
  name_in_address(seen.at(-1).isIntersecting && talk() ? talk().id : "");
}).observe(element);
const was_asked = new URLSearchParams(location.search).get("label") || "";
const asked_in_play = () => {
  try {
    const session = sessionStorage.getItem(SEAT + ":asked") || "";
    sessionStorage.removeItem(SEAT + ":asked");
    return session;
  } catch { return ""; }
};
// Of two values that come at once Gradio shows the later one alone, and an answer may be lost to the opening of the tab.
// What only asks is asked anew then: `begin` has put it in the line.
const LOST_MS = 1500;
const expect_loss = () => {
  const serial = state.waiting;
  if (!serial || state.waiting_act !== "show") return;
  setTimeout(() => {
    if (state.waiting !== serial) return;
    answered();
    do_next();
  }, LOST_MS);
};
const begin = (value) => {
  expect_loss();
  const kept = stored(SEAT) || {};
  state.owner = value.labeller;
  state.seat = { ...state.seat, ...kept.seat, ...(value.labeller ? { labeller: value.labeller } : {}) };
  state.filter = { ...state.filter, ...kept.filter };
  if (state.pending.length === 0) state.pending = stored(pending_name()) || [];
  const asked = asked_in_play();
  if (asked) return go(() => order("show", { session: asked }));
  // Where a conversation is there already it stays, and keys need not wait for what is new of it.
  if (talk()) in_turn(() => order("show", {}));
  else go(() => order("show", talk() ? {} : { session: was_asked }));
  in_turn(say_again);
};
const has_failed = (value) => value.notice.lines.some((line) => line.tone === "error");
const settle = (value, said) => {
  const last = state.undo.at(-1);
  if (has_failed(value)) { if (last && last.revision === null) state.undo.pop(); return; }
  const target = last && !last.act && targets().find((one) => one.message === last.message && one.call === last.call);
  if (!target || last.session !== value.talk.id || last.revision !== null) return;
  last.revision = target.said.revision;
  // What was said just now need not be kept any longer; what is typed meanwhile is.
  const draft = draft_of(target);
  if ("form" in said) keep_draft(target, { form: null });
  if ("text" in said && draft.text === (target.said.text === null ? target.text : target.said.text).replace(/\r\n/g, "\n")) keep_draft(target, { text: null });
  if (draft.comment === target.said.comment) keep_draft(target, { comment: null });
};
follow((value) => {
  if (!value) return;
  if (value.serial === 0) return begin(value);
  if (value.serial !== state.waiting) return;
  answered();
  const sent = state.pending.find((one) => one.id === state.sent);
  if (state.sent) forget_said();
  state.is_again = false;
  const before = talk() ? talk().id : null;
  state.view = value;
  if (value.agreement !== null) state.agreement = value.agreement;
  settle(value, sent ? sent.change : {});
  tell(value.notice.lines.map((line) => line.text).join(" "));
  if (talk() && talk().id !== before) {
    let at = null;
    try { at = sessionStorage.getItem(SEAT + ":at:" + talk().id); } catch { /* forbidden */ }
    state.at = at;
    list.parentElement.scrollTop = 0;
  }
  if (talk() && !here()) { const first = targets().find((target) => target.is_stop); state.at = first ? key_of(first) : null; }
  if (element.offsetParent !== null) name_in_address(talk() ? talk().id : "");
  draw_bar();
  draw_talk();
  draw_panel();
  do_next();
});
