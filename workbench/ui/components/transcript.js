const scroller = element.closest("#play-transcript") || element;
const list = node("ol", { class: "hw-entries", "aria-label": "Conversation" });
const empty = node("div", { class: "hw-empty" });
element.replaceChildren(list, empty);
const drawn = new Map();

const branches = (branch) => {
  const turn = (name, label, id) =>
    iconButton(name, label, (event) => { event.stopPropagation(); trigger("branch", { id }); }, { disabled: id === null });
  return node("span", { class: "hw-branches", role: "group", "aria-label": "Branches" },
    turn("left", "Branch before", branch.before), node("span", { class: "hw-note" }, branch.place + "/" + branch.count),
    turn("right", "Branch after", branch.after));
};
const mark_call = (item, call) => {
  for (const card of list.querySelectorAll(".hw-call.is-picked")) card.classList.remove("is-picked");
  const card = call === null ? null : item.querySelector(`.hw-call[data-call="${Number(call)}"]`);
  if (card) card.classList.add("is-picked");
};
const draw_entry = (entry) => {
  const item = node("li", { class: "hw-entry r-" + entry.role, tabindex: 0, "data-id": entry.id },
    node("span", { class: "hw-role" }, entry.role, entry.branch ? branches(entry.branch) : null,
      entry.role === "user" ? iconButton("plus", "Make a case of this turn", (event) => { event.stopPropagation(); trigger("make_case", { id: entry.id }); }) : null),
    node("div", { class: "hw-body" }, entry.blocks.map((block) => blocks[block.kind](block)),
      entry.note ? node("div", { class: "hw-note hw-end" }, entry.note) : null));
  const pick = (event) => {
    const card = event.target.closest("[data-call]");
    for (const other of list.children) other.classList.toggle("is-selected", other === item);
    mark_call(item, card ? card.dataset.call : null);
    trigger("pick", { id: entry.id, call: card ? Number(card.dataset.call) : null });
  };
  item.addEventListener("click", (event) => {
    if (event.target.closest("summary") || String(getSelection())) return;
    pick(event);
  });
  item.addEventListener("keydown", (event) => {
    if (event.target === item && event.key === "Enter" && !event.ctrlKey) pick(event);
  });
  return item;
};
const draw_empty = (value) =>
  empty.replaceChildren(
    node("h2", {}, value.heading), node("p", {}, value.hint),
    node("ul", {}, value.examples.map((text) =>
      node("li", {}, node("button", { type: "button", class: "hw-example", onclick: () => trigger("example", { text }) }, text)))));

follow((value) => {
  const entries = value ? value.entries : [];
  const was_at_end = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 80;
  const before = drawn.size;
  entries.forEach((entry, place) => {
    const json = JSON.stringify(entry);
    let known = drawn.get(entry.id);
    if (!known || known.json !== json) {
      const made = draw_entry(entry);
      if (known) {
        const folds = known.item.querySelectorAll("details");
        made.querySelectorAll("details").forEach((fold, index) => { fold.open = Boolean(folds[index] && folds[index].open); });
        known.item.replaceWith(made);
      }
      known = { json, item: made };
      drawn.set(entry.id, known);
    }
    if (list.children[place] !== known.item) list.insertBefore(known.item, list.children[place] || null);
    known.item.classList.toggle("is-selected", entry.id === value.selected);
    if (entry.id === value.selected) mark_call(known.item, value.selected_call);
  });
  while (list.children.length > entries.length) {
    drawn.delete(list.lastChild.dataset.id);
    list.lastChild.remove();
  }
  empty.hidden = entries.length > 0;
  list.hidden = entries.length === 0;
  if (value && entries.length === 0) draw_empty(value);
  if (entries.length && (before === 0 || (was_at_end && entries.length !== before)))
    requestAnimationFrame(() => { scroller.scrollTop = scroller.scrollHeight; });
});
