// A button that opens a menu. `items` returns `[label, act]` pairs; null leaves an item out.
import { iconButton, node } from "./dom.js";

export const menu = (label, items) => {
  const list = node("div", { class: "hw-menu", role: "menu", "aria-label": label, hidden: true });
  const open = iconButton(
    "more",
    label,
    (event) => {
      event.stopPropagation();
      if (list.hidden) show();
      else hide();
    },
    { "aria-haspopup": "menu", "aria-expanded": "false" },
  );
  const buttons = () => [...list.children];
  const outside = (event) => {
    if (!made.contains(event.target)) hide();
  };
  // It stands over the page, not in what scrolls: what scrolls away takes it along.
  let top = 0;
  const scrolled = () => {
    if (Math.abs(open.getBoundingClientRect().top - top) > 2) hide();
  };
  const show = () => {
    list.replaceChildren(
      ...items()
        .filter(Boolean)
        .map(([name, act]) =>
          node(
            "button",
            {
              type: "button",
              role: "menuitem",
              tabindex: -1,
              onclick: (event) => {
                event.stopPropagation();
                hide();
                open.focus();
                act();
              },
            },
            name,
          ),
        ),
    );
    list.hidden = false;
    open.setAttribute("aria-expanded", "true");
    const place = open.getBoundingClientRect();
    list.style.left = Math.max(8, Math.min(place.left, innerWidth - list.offsetWidth - 8)) + "px";
    list.style.top = Math.max(8, Math.min(place.bottom + 2, innerHeight - list.offsetHeight - 8)) + "px";
    top = place.top;
    document.addEventListener("scroll", scrolled, true);
    document.addEventListener("pointerdown", outside, true);
    buttons()[0].focus({ preventScroll: true });
  };
  const hide = () => {
    list.hidden = true;
    open.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
    document.removeEventListener("scroll", scrolled, true);
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
    else if (event.key === "Escape") {
      hide();
      open.focus();
    } else if (event.key === "Tab") return hide();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return made;
};
