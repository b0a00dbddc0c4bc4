const line = (tool) => node("li", {}, node("button", { type: "button", class: "hw-session hw-tool", "data-tool": tool.name, title: tool.title,
  "aria-current": tool.is_open ? "true" : null, onclick: () => trigger("open_tool", { name: tool.name }) },
  node("span", { class: "hw-title hw-mono" }, tool.name)),
  tool.reason ? node("p", { class: "hw-line hw-reason" }, node("span", { class: "hw-word" }, "unavailable"), node("span", {}, tool.reason)) : null);
follow((value) => {
  if (!value) return element.replaceChildren();
  element.replaceChildren(
    ...value.problems.map((problem) => node("p", { class: "hw-line t-error", role: "alert" }, node("span", { class: "hw-word" }, "not loaded"), node("span", {}, problem))),
    ...value.groups.flatMap((group) => [node("h3", { class: "hw-day" }, group.name), node("ul", { class: "hw-sessions" }, group.tools.map(line))]));
});
