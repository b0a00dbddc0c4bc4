const line = node("div", { class: "hw-account" });
element.replaceChildren(line);
follow((value) => {
  line.replaceChildren(...(value && value.name ? [
    node("span", {}, value.name),
    node("form", { method: "post", action: "logout" }, node("button", {}, "Log out")),
  ] : []));
});
