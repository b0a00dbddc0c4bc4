const head = node("div", { class: "hw-bar" });
const body = node("div", { class: "hw-raw", role: "region", "aria-label": "Prompt and completion", tabindex: 0 });
element.replaceChildren(head, body);
let is_wrapped = true;
let shows_space = false;
let text = "";
let shown = "";
let is_fresh = false;

// What was picked, or else what is new at the end, comes into sight; a pane that is hidden shows it when it comes up.
const pane = element.closest("[role=tabpanel]") || body;
const show_end = () => {
  if (!is_fresh || body.offsetParent === null) return;
  is_fresh = false;
  const picked = body.querySelector(".is-picked");
  if (picked) picked.scrollIntoView({ block: "center" });
  else pane.scrollTop = pane.scrollHeight;
};
new ResizeObserver(show_end).observe(body);

const label_of = (part) => part.label + " " + part.note;
const section = (part) => {
  const pre = node("pre", {}, pieces(part.pieces));
  const made = node("section", { class: "hw-section r-" + part.role, "data-role": part.label, "data-note": part.note });
  const fold = node("button", { type: "button", class: "hw-fold", "aria-expanded": "true", "aria-label": "Fold " + label_of(part),
    onclick: () => {
      const is_folded = made.classList.toggle("is-folded");
      fold.setAttribute("aria-expanded", String(!is_folded));
    } }, icon("chevron"));
  made.append(fold, pre);
  return made;
};
// The same text, its sizes told meanwhile: what is folded and where one reads stays.
const renote = (part, made) => {
  made.dataset.note = part.note;
  made.querySelector(".hw-fold").setAttribute("aria-label", "Fold " + label_of(part));
};
const set_classes = () => {
  body.classList.toggle("is-wrapped", is_wrapped);
  body.classList.toggle("shows-space", shows_space);
};
const toggle = (name, label, read, write) => {
  const button = iconButton(name, label, () => {
    write(!read());
    button.setAttribute("aria-pressed", String(read()));
    set_classes();
  }, { "aria-pressed": String(read()) });
  return button;
};
const fold_all = () => {
  const folds = [...body.querySelectorAll(".hw-fold")];
  const wants_open = folds.every((fold) => fold.getAttribute("aria-expanded") === "false");
  for (const fold of folds)
    if ((fold.getAttribute("aria-expanded") === "true") !== wants_open) fold.click();
};
const save = (value) => {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = node("a", { href: address, download: "prompt-" + (value.message_id || "sent") + ".txt" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
};
const compare = (value) => {
  const made = node("select", { class: "hw-input hw-compare", "aria-label": "Compare with",
    onchange: () => triggerLatest("compare_prompt", { id: value.message_id, key: made.value }) },
    node("option", { value: "" }, "Compare with …"), value.others.map((other) => node("option", { value: other.key }, other.label)));
  return made;
};
const draw_head = (value) => {
  const copy = iconButton("copy", "Copy the prompt and completion", () => copyText(text, copy));
  head.replaceChildren(
    node("span", { class: "hw-badge b-" + value.badge, title: value.badge_meaning }, value.badge),
    node("span", { class: "hw-note" }, value.summary),
    node("span", { class: "hw-gap" }),
    ...(value.others.length ? [compare(value)] : []),
    toggle("wrap", "Wrap long lines", () => is_wrapped, (state) => { is_wrapped = state; }),
    toggle("space", "Show white space", () => shows_space, (state) => { shows_space = state; }),
    iconButton("fold", "Fold or unfold all", fold_all),
    iconButton("save", "Download the prompt and completion", () => save(value)),
    copy);
};

follow_asked("ask_raw", (value) => {
  if (!value || value.sections.length === 0) {
    shown = "";
    head.replaceChildren();
    body.replaceChildren(node("p", { class: "hw-hint" }, value ? value.hint : ""));
    return;
  }
  const json = JSON.stringify([value.message_id, value.sections.map((part) => part.pieces)]);
  draw_head(value);
  if (json === shown) {
    value.sections.forEach((part, place) => renote(part, body.children[place]));
    return;
  }
  shown = json;
  text = value.sections.map((part) => part.pieces.map((piece) => piece.text).join("")).join("");
  body.replaceChildren(...value.sections.map(section));
  set_classes();
  is_fresh = true;
  requestAnimationFrame(show_end);
});
