// A button that opens a list of acts; `items` are `[label, act]`, null where one is left out.
const menu = (label, items) => {
  const list = node("div", { class: "hw-menu", role: "menu", "aria-label": label, hidden: true });
  const open = iconButton("more", label, (event) => {
    event.stopPropagation();
    if (list.hidden) show();
    else hide();
  }, { "aria-haspopup": "menu", "aria-expanded": "false" });
  const buttons = () => [...list.children];
  const outside = (event) => { if (!made.contains(event.target)) hide(); };
  const show = () => {
    list.replaceChildren(...items().filter(Boolean).map(([name, act]) =>
      node("button", { type: "button", role: "menuitem", tabindex: -1, onclick: (event) => { event.stopPropagation(); hide(); open.focus(); act(); } }, name)));
    list.hidden = false;
    open.setAttribute("aria-expanded", "true");
    const floor = (made.closest("#play-transcript") || document.body).getBoundingClientRect().bottom;
    const place = open.getBoundingClientRect();
    list.classList.toggle("is-above", place.bottom + list.offsetHeight > floor && place.top > list.offsetHeight);
    document.addEventListener("pointerdown", outside, true);
    buttons()[0].focus();
  };
  const hide = () => {
    list.hidden = true;
    open.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
  };
  const made = node("span", { class: "hw-menu-at" }, open, list);
  made.addEventListener("click", (event) => event.stopPropagation());
  made.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = buttons().indexOf(document.activeElement);
    if (step) buttons()[(at + step + buttons().length) % buttons().length].focus();
    else if (event.key === "Home") buttons()[0].focus();
    else if (event.key === "End") buttons().at(-1).focus();
    else if (event.key === "Escape") { hide(); open.focus(); }
    else if (event.key === "Tab") return hide();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return made;
};
