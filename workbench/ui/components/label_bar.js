// The line above: progress, filters, who labels; the queue at the left; the keys.
const progress = node("strong", { class: "hw-progress", role: "status" });
const facts = node("span", { class: "hw-note" });
const notice = node("p", { class: "hw-line t-error hw-label-notice", role: "alert" });
const tell = (text) => { notice.textContent = text; notice.hidden = !text; };
const show = (wanted) => go(() => {
  Object.assign(state, wanted);
  store(SEAT, { seat: state.seat, filter: state.filter });
  order("show", {});
});
const chosen = (label, name, choices, read, write) => {
  const made = node("select", { class: "hw-input", "aria-label": label, "data-filter": name, onchange: () => write(made.value) }, choices.map(([value, word]) => node("option", { value }, word)));
  made.value = read;
  return made;
};
const typed = (label, name, attributes) => {
  const made = node("input", { class: "hw-input", "aria-label": label, title: label, placeholder: label, "data-filter": name, ...attributes,
    onchange: () => filter_by(name, made.value) });
  made.value = state.filter[name] || "";
  return made;
};
const filter_by = (name, value) => show({ filter: { ...state.filter, [name]: value }, listed: 50 });
const STATES = [["", "any state"], ["pending", "to do"], ["draft", "begun"], ["done", "done"], ["discarded", "rejected"]];
const filters = node("div", { class: "hw-filters" });
const fold_filters = node("details", { class: "hw-filter-fold" }, node("summary", {}, node("span", {}, "Filter"), node("span", { class: "hw-note hw-filtered" })), filters);
const help = node("dialog", { class: "hw-keys", "aria-label": "Keys of the Label tab" });
const head = node("div", { class: "hw-label-head" }, progress, facts, node("span", { class: "hw-gap" }), fold_filters,
  node("button", { type: "button", class: "hw-act", onclick: () => show_help() }, "Keys", node("kbd", {}, "?")));
const rows = node("ul", { class: "hw-sessions", "aria-label": "Queue" });
const more = node("button", { type: "button", class: "hw-act hw-more", onclick: () => show({ listed: state.listed + 50 }) }, "Show more");
const guidelines = node("details", { class: "hw-guidelines" }, node("summary", {}, node("span", {}, "Guidelines")), node("div", { class: "hw-prose" }));
const queue = node("nav", { class: "hw-label-queue", "aria-label": "Sessions to label" }, guidelines, rows, more);
const HELP = [["j k", "next, last call or answer"], ["1 … 5", "right, wrong tool, bad arguments, needless, should ask"], ["6 7", "missing call, bad answer"],
  ["Shift+1 … 5", "rating"], ["a", "accept: right or good, a stale one holds; on to the next"], ["e", "edit: correct the call or the text"],
  ["g", "regenerate, with the corrections above in place"], ["t", "tag"], ["c", "comment"], ["u", "undo"], ["r", "reject the conversation, and on to the next"],
  ["n p", "next, last conversation as it is"], ["Enter", "submit, and on to the next; Ctrl+Enter also while typing"], ["Esc", "leave the field; stop"], ["?", "these keys"]];
help.append(node("table", {}, node("tbody", {}, HELP.map(([keys, text]) => node("tr", {}, node("th", { scope: "row" }, keys.split(" ").map((key) => (key === "…" ? " … " : node("kbd", {}, key)))), node("td", {}, text))))),
  node("button", { type: "button", class: "hw-button", onclick: () => help.close() }, "Close"));
const show_help = () => { if (help.open) help.close(); else help.showModal(); };
const MARKS = { pending: "·", draft: "–", done: "✓", discarded: "×" };
const draw_filters = () => {
  const labeller = node("input", { class: "hw-input", "aria-label": "Labeller", placeholder: "Labeller", "data-filter": "labeller", disabled: state.owner !== "",
    onchange: () => show({ seat: { ...state.seat, labeller: labeller.value.trim() } }) });
  labeller.value = state.seat.labeller;
  const deciding = node("input", { type: "checkbox", onchange: () => show({ seat: { ...state.seat, is_deciding: deciding.checked } }) });
  deciding.checked = state.seat.is_deciding;
  filters.replaceChildren(
    chosen("Project", "project", state.view.project.names.map((name) => [name, name || "all sessions"]), state.seat.project, (project) => show({ seat: { ...state.seat, project }, listed: 50 })),
    labeller,
    chosen("State", "state", STATES, state.filter.state || "", (value) => filter_by("state", value)),
    chosen("Fixes", "has_fix", [["", "fix or none"], ["yes", "has a fix"], ["no", "has no fix"]], state.filter.has_fix || "", (value) => filter_by("has_fix", value)),
    chosen("Verdict", "verdict", [["", "any verdict"], ...Object.entries(WORDS)], state.filter.verdict || "", (value) => filter_by("verdict", value)),
    typed("Tag", "tag"), typed("Contract, such as minimal@3", "contract"), typed("Model", "model"),
    typed("Used since", "since", { type: "date" }), typed("Used before", "until", { type: "date" }), typed("Given to", "assignee"),
    node("label", { class: "hw-check" }, deciding, "my labels settle it"));
};
const draw_bar = () => {
  const view = state.view;
  const stale = entries().filter((one) => one.stale.length).length;
  progress.textContent = view.progress;
  facts.textContent = [state.agreement, stale ? stale + " stale here" : "", state.is_again ? "writing anew · Esc stops" : ""].filter(Boolean).join(" · ");
  const used = Object.entries(state.filter).filter(([, value]) => value).map(([name, value]) => name.replace("_", " ") + " " + value);
  if (state.seat.project) used.unshift(state.seat.project);
  fold_filters.querySelector(".hw-filtered").textContent = used.join(", ");
  if (!filters.contains(document.activeElement)) draw_filters();
  rows.replaceChildren(...view.rows.map((one) => node("li", {},
    node("button", { type: "button", class: "hw-session", "data-id": one.id, title: one.title, "aria-current": one.is_open ? "true" : null, onclick: () => go(() => move_to(one.id)) },
      node("span", { class: "hw-title" }, one.title), node("span", { class: "hw-note", title: one.word, role: "img", "aria-label": one.word }, MARKS[one.state])))));
  more.hidden = !view.has_more;
  guidelines.hidden = !view.project.guidelines;
  guidelines.lastChild.textContent = view.project.guidelines;
};
