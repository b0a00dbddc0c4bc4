// A button that opens a menu. `items` returns `[label, action]` pairs. A null item is left out. `sign` is its icon.
import { stepOf } from "./page.js";
import { iconButton, node } from "./dom.js";

/** @type {(label: string, items: () => MenuItem[], sign?: string) => PageElement} */
export const menu = (label, items, sign = "more") => {
  const list = node("div", { class: "hw-menu", role: "menu", "aria-label": label, hidden: true });
  const open = iconButton(
    sign,
    label,
    (event) => {
      event.stopPropagation();
      if (list.hidden) show();
      else hide();
    },
    { "aria-haspopup": "menu", "aria-expanded": "false" },
  );
  const buttons = () => [...list.querySelectorAll("button")];
  const onPointerDown = (/** @type {PointerEvent} */ event) => {
    if (!root.contains(/** @type {Node} */ (event.target))) hide();
  };
  // The menu is fixed on the page. It closes if its button scrolls away.
  let top = 0;
  const onScroll = () => {
    if (Math.abs(open.getBoundingClientRect().top - top) > 2) hide();
  };
  const show = () => {
    list.replaceChildren(
      ...items()
        .filter((item) => item !== null)
        .map(([name, action]) =>
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
                action();
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
    document.addEventListener("scroll", onScroll, true);
    document.addEventListener("pointerdown", onPointerDown, true);
    buttons()[0].focus({ preventScroll: true });
  };
  const hide = () => {
    list.hidden = true;
    open.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", onPointerDown, true);
    document.removeEventListener("scroll", onScroll, true);
  };
  const root = node("span", { class: "hw-menu-at" }, open, list);
  root.addEventListener("click", (event) => event.stopPropagation());
  root.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const step = stepOf(event.key);
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
  return root;
};
