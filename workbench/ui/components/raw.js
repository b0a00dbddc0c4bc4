const head = node("div", { class: "hw-bar" });
const body = node("div", { class: "hw-raw", role: "region", "aria-label": "Prompt and completion", tabindex: 0 });
element.replaceChildren(head, body);
let is_wrapped = true;
let shows_space = false;
let text = "";
let is_fresh = false;

// What is new stands at the end, the prompt above it; a pane that is hidden shows it when it comes up.
const pane = element.closest("[role=tabpanel]") || body;
const show_end = () => {
  if (!is_fresh || body.offsetParent === null) return;
  is_fresh = false;
  pane.scrollTop = pane.scrollHeight;
};
new ResizeObserver(show_end).observe(body);

const section = (part) => {
  const pre = node("pre", {}, pieces(part.pieces));
  const made = node("section", { class: "hw-section r-" + part.role, "data-role": part.label, "data-note": part.note });
  const fold = node("button", { type: "button", class: "hw-fold", "aria-expanded": "true", "aria-label": "Fold " + part.label + " " + part.note,
    onclick: () => {
      const is_folded = made.classList.toggle("is-folded");
      fold.setAttribute("aria-expanded", String(!is_folded));
    } }, icon("chevron"));
  made.append(fold, pre);
  return made;
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

follow((value) => {
  if (!value || value.sections.length === 0) {
    head.replaceChildren();
    body.replaceChildren(node("p", { class: "hw-hint" }, value ? value.hint : ""));
    return;
  }
  text = value.sections.map((part) => part.pieces.map((piece) => piece.text).join("")).join("");
  const copy = iconButton("copy", "Copy the prompt and completion", () => copyText(text, copy));
  head.replaceChildren(
    node("span", { class: "hw-badge b-" + value.badge, title: value.badge_meaning }, value.badge),
    node("span", { class: "hw-note" }, value.summary),
    node("span", { class: "hw-gap" }),
    toggle("wrap", "Wrap long lines", () => is_wrapped, (state) => { is_wrapped = state; }),
    toggle("space", "Show white space", () => shows_space, (state) => { shows_space = state; }),
    copy);
  body.replaceChildren(...value.sections.map(section));
  set_classes();
  is_fresh = true;
  requestAnimationFrame(show_end);
});
