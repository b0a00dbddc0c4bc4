// The middle: the conversation with the cursor in it, and the row that it becomes.
const list = node("ol", { class: "hw-entries", "aria-label": "Conversation to label" });
const row = node("div", { class: "hw-label-row", role: "status", "aria-label": "Row it becomes" });
const hint = node("div", { class: "hw-empty" });
const chip = (target) => {
  const said = target.said;
  const words = [said.verdict ? WORDS[said.verdict] : "", said.rating ? said.rating + "/5" : "", ...said.tags, said.comment ? "“" + said.comment + "”" : ""];
  const text = words.filter(Boolean).join(" · ");
  return text ? node("span", { class: "hw-said" + (!said.verdict ? " is-open" : ["right", "good"].includes(said.verdict) ? "" : " is-bad") }, text) : null;
};
const correction = (target) => {
  const said = target.said;
  if (said.name) return node("div", { class: "hw-correction" }, node("span", { class: "hw-word" }, "corrected"), node("code", {}, said.name + " " + said.arguments));
  if (said.text !== null) return node("div", { class: "hw-correction" }, node("span", { class: "hw-word" }, "corrected"), node("pre", {}, said.text));
  return null;
};
const pick = (target) => {
  state.at = key_of(target);
  try { sessionStorage.setItem(SEAT + ":at:" + talk().id, state.at); } catch { /* forbidden */ }
  mark();
  draw_panel();
};
const label_entry = (one) => {
  const itself = one.targets.at(-1);
  const body = one.entry.blocks.map((block) => {
    const made = blocks[block.kind](block);
    if (block.kind !== "call") return made;
    const target = one.targets[block.index];
    made.dataset.key = key_of(target);
    made.append(...[chip(target), correction(target)].filter(Boolean));
    return made;
  });
  const item = node("li", { class: "hw-entry r-" + one.entry.role + (one.stale.length ? " is-stale" : ""), "data-id": one.entry.id, "data-key": key_of(itself) },
    node("span", { class: "hw-role" }, one.entry.role, one.stale.length ? node("span", { class: "hw-stale" }, "stale") : null),
    node("div", { class: "hw-body" }, body, one.entry.note ? node("div", { class: "hw-note hw-end" }, one.entry.note) : null, chip(itself), correction(itself)));
  item.addEventListener("click", (event) => {
    if (event.target.closest("summary") || String(getSelection())) return;
    const key = event.target.closest("[data-key]").dataset.key;
    pick(one.targets.find((target) => key_of(target) === key));
  });
  return item;
};
const mark = () => {
  for (const other of list.querySelectorAll("[data-key]")) {
    const is_here = other.dataset.key === state.at;
    other.classList.toggle("is-here", is_here);
    if (is_here) { other.setAttribute("aria-current", "true"); other.scrollIntoView({ block: "nearest" }); }
    else other.removeAttribute("aria-current");
  }
};
let shown_talk = "";
const draw_talk = () => {
  hint.hidden = Boolean(talk());
  list.hidden = row.hidden = !talk();
  hint.replaceChildren(node("h2", {}, "Label conversations"), node("p", {}, state.view ? state.view.hint : ""));
  if (!talk()) { list.replaceChildren(); return; }
  const drawn = JSON.stringify(talk());
  if (drawn !== shown_talk) {
    shown_talk = drawn;
    const folds = [...list.querySelectorAll("details")].map((fold) => fold.open);
    const is_same = list.dataset.session === talk().id;
    list.dataset.session = talk().id;
    list.replaceChildren(...entries().map(label_entry));
    if (is_same) list.querySelectorAll("details").forEach((fold, place) => { fold.open = Boolean(folds[place]); });
  }
  mark();
  row.replaceChildren(...talk().row.map((line) => node("p", { class: "hw-line t-" + line.tone }, node("span", { class: "hw-word" }, line.word), node("span", {}, line.text))));
};
