const table = (one) => [
  node("h3", {}, one.title),
  one.note ? node("p", { class: "hw-note" }, one.note) : null,
  one.rows.length ? node("div", { class: "hw-wide", tabindex: 0 }, node("table", {},
    node("thead", {}, node("tr", {}, one.head.map((name) => node("th", { scope: "col" }, name)))),
    node("tbody", {}, one.rows.map((row) => node("tr", {}, row.map((cell) => node("td", {}, cell))))))) : null,
];
const svg = (name, attributes, text) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
};
const picture = (value) => {
  const drawn = svg("svg", { viewBox: "0 0 600 200", role: "img", "aria-label": "Pass rate against prompt tokens" });
  drawn.append(
    svg("path", { d: "M44 10V170H590", fill: "none", stroke: "currentColor", opacity: 0.4 }),
    svg("text", { x: 38, y: 16, "text-anchor": "end" }, "100 %"),
    svg("text", { x: 38, y: 172, "text-anchor": "end" }, "0 %"),
    svg("text", { x: 590, y: 190, "text-anchor": "end" }, value.most_tokens));
  for (const dot of value.dots) {
    const circle = svg("circle", { cx: 44 + 530 * dot.x, cy: 10 + 160 * (1 - dot.y), r: 5,
      fill: dot.is_on_front ? "currentColor" : "none", stroke: "currentColor" });
    circle.append(svg("title", {}, dot.label));
    drawn.append(circle);
  }
  return [node("h3", {}, "Pass rate against prompt tokens"), drawn,
    node("ul", { class: "hw-note" }, value.dots.map((dot) => node("li", {}, (dot.is_on_front ? "● " : "○ ") + dot.label)))];
};
const play = (one) => {
  const queue = node("button", { type: "button", class: "hw-action", onclick: () => {
    trigger("label_case", { session: one.session });
    queue.textContent = "In the label queue";
    queue.disabled = true;
  } }, "To the label queue");
  return node("section", { class: "hw-play" },
    node("h3", {}, one.title, " ", node("span", { class: "hw-status t-" + one.status }, one.status)),
    node("p", {}, one.said),
    node("ul", {}, one.outcomes.map(([sign, reason]) => node("li", { class: sign === "✓" ? null : "t-error" }, sign + " " + reason))),
    one.came.map((text) => node("pre", {}, text)),
    node("div", { class: "hw-actions" }, node("span", { class: "hw-note" }, one.note),
      one.session ? node("a", { class: "hw-action", href: "?session=" + encodeURIComponent(one.session) }, "Open the rollout") : null,
      one.session ? queue : null));
};
const SIGNS = { clean: "✓ ", bad: "✗ ", odd: "! ", quiet: "" };
const matrix = (value) => {
  const detail = node("div", { class: "hw-plays", "aria-live": "polite" });
  const cell = (one, row) => node("td", {}, one.plays.length ? node("button", { type: "button", class: "hw-cell t-" + one.tone,
    "aria-label": `${row.case}: ${one.text}`, onclick: (event) => {
      element.querySelectorAll(".hw-cell[aria-pressed]").forEach((other) => other.removeAttribute("aria-pressed"));
      event.currentTarget.setAttribute("aria-pressed", "true");
      detail.replaceChildren(...one.plays.map(play));
      detail.scrollIntoView({ block: "nearest" });
    } }, SIGNS[one.tone] + one.text) : one.text);
  return [node("h3", {}, "Cases"), node("p", { class: "hw-note" }, "Choose a cell to see why."),
    node("div", { class: "hw-wide", tabindex: 0 }, node("table", {},
      node("thead", {}, node("tr", {}, node("th", { scope: "col" }, "case"), value.arms.map((arm) => node("th", { scope: "col" }, arm)))),
      node("tbody", {}, value.rows.map((row) => node("tr", {}, node("th", { scope: "row" }, row.case), row.cells.map((one) => cell(one, row))))))),
    detail];
};
follow((value) => {
  if (!value) {
    element.replaceChildren(node("p", { class: "hw-hint" },
      "A suite is a list of cases with what is to come of each. Choose one, and the contracts to compare, and run it: the table says what passes, how sure that is, and what a prompt costs."));
    return;
  }
  element.replaceChildren(...[node("h2", {}, value.title), node("p", { class: "hw-note" }, value.note),
    value.tables.map(table), value.dots.length ? picture(value) : null, value.rows.length ? matrix(value) : null].flat(Infinity).filter(Boolean));
});
