follow((value) => {
  if (!value) {
    element.replaceChildren();
    return;
  }
  element.replaceChildren(
    node("div", { class: "hw-model-head" }, node("span", { class: "hw-note", role: "status" }, value.note),
      value.is_running ? node("button", { type: "button", class: "hw-action", onclick: () => trigger("stop_run", {}) }, "Stop") : null),
    node("progress", { max: 1, value: value.share, "aria-label": "Run" }));
});
