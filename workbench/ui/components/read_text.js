const WAYS = [["written", "As written", "after"], ["changes", "Changes", null], ["fixed", "Fixed", "before"]];
const head = node("div", { class: "hw-bar" });
const body = node("div", { class: "hw-read" });
const empty = node("div", { class: "hw-empty" });
element.replaceChildren(head, body, empty);
let way = "changes"; // where there is no fix, all three are the same text
let shown = null;

const text_without = (change) =>
  shown.sections.map((part) => part.pieces.filter((piece) => piece.change !== change).map((piece) => piece.text).join("")).join("");
const draw_piece = (piece) => {
  if (piece.change === "") return piece.kind === "text" ? piece.text : node("span", { class: "k-" + piece.kind }, piece.text);
  const title = piece.code + (piece.is_guess ? " (guess)" : "");
  return node(piece.change === "before" ? "del" : "ins", { title, class: piece.is_guess ? "is-guess" : "" }, piece.text);
};
const draw_section = (part, left_out) => {
  const kept = part.pieces.filter((piece) => piece.change !== left_out);
  if (kept.length === 0) return null;
  return node("section", { class: "hw-segment" + (part.label ? "" : " is-blank"), "aria-label": part.label || null },
    node("pre", { class: "k-label-" + part.kind, "data-label": part.label }, kept.map(draw_piece)));
};
const draw_text = () => {
  const left_out = WAYS.find(([name]) => name === way)[2];
  body.className = "hw-read is-" + way;
  body.replaceChildren(...shown.sections.map((part) => draw_section(part, left_out)).filter(Boolean));
};
const way_buttons = () => {
  const buttons = WAYS.map(([name, label]) => node("button", { type: "button", class: "hw-way", "aria-pressed": String(name === way),
    onclick: () => {
      way = name;
      for (const [place, [other]] of WAYS.entries()) buttons[place].setAttribute("aria-pressed", String(other === way));
      draw_text();
    } }, label));
  return node("div", { class: "hw-ways", role: "group", "aria-label": "Show the text" }, buttons);
};
const draw_head = () => {
  const label = shown.has_fixes ? "Copy the fixed text" : "Copy the text";
  const copy = iconButton("copy", label, () => copyText(text_without("before"), copy));
  head.replaceChildren(...[shown.has_fixes ? way_buttons() : null, node("span", { class: "hw-note", role: "status" }, shown.summary),
    node("span", { class: "hw-gap" }), node("span", { class: "hw-note" }, label), copy].filter(Boolean));
};
const draw_empty = (made) =>
  empty.replaceChildren(node("h2", {}, made.heading), node("p", {}, made.hint),
    node("ul", {}, made.examples.map((example, index) =>
      node("li", {}, node("button", { type: "button", class: "hw-example", onclick: () => trigger("example", { index }) },
        node("span", {}, example.title), node("span", { class: "hw-note" }, example.lesson))))));

follow((value) => {
  shown = value;
  const is_empty = !value || value.sections.length === 0;
  head.hidden = body.hidden = is_empty;
  empty.hidden = !is_empty;
  if (is_empty) { if (value) draw_empty(value.empty); return; }
  draw_head();
  draw_text();
});
