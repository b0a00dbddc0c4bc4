// The columns of Play. In a wide window, Sessions and Inspector are folded away until they are opened, and stay as they
// were left. In a narrow one, the columns beside the conversation are drawers. The browser remembers the widths.
import { node } from "../shared/dom.js";
import { pressUnseen } from "../shared/page.js";
import { store, stored } from "../shared/storage.js";

const OPEN = "hermes-workbench:columns";
const LEAST = 280;
const STEP = 24;
// The narrowest window that has a column beside the conversation.
/** @type {Record<string, number>} */
const FROM_PX = { sessions: 860, setup: 860, inspector: 1200 };
const LABELS = { sessions: "Sessions", setup: "Setup", inspector: "Inspector" };

const columns = () => /** @type {HTMLElement} */ (document.getElementById("play-columns"));
const isColumn = (/** @type {string} */ name) => innerWidth >= FROM_PX[name];

// A bar between two columns that sets the width of the column `part`, by pointer and keyboard. `side` is 1 if the
// column is to the left of the bar, otherwise -1.
/**
 * @param {HTMLElement} part
 * @param {string} label
 * @param {string} key
 * @param {string} property
 * @param {number} side
 */
const splitter = (part, label, key, property, side) => {
  const width = () => part.offsetWidth;

  const bar = node("div", {
    class: "hw-splitter",
    role: "separator",
    tabindex: 0,
    "aria-orientation": "vertical",
    "aria-label": label,
    "aria-controls": part.id,
    "aria-valuemin": LEAST,
  });

  const most = () => Math.max(LEAST, width() + document.querySelector("#play-talk").offsetWidth - LEAST);

  const place = () => {
    // All is read before anything is written, so that the browser lays the page out once.
    const isShown = part.offsetParent !== null && getComputedStyle(part).position !== "absolute";
    const [now, max, left] = [width(), most(), part.offsetLeft + (side > 0 ? width() : 0)];
    bar.hidden = !isShown;
    bar.style.left = left + "px";
    bar.setAttribute("aria-valuemax", String(max));
    bar.setAttribute("aria-valuenow", String(now));
  };

  const setWidth = (/** @type {number} */ to) => {
    columns().style.setProperty(property, Math.round(Math.min(most(), Math.max(LEAST, to))) + "px");
    place();
  };

  const keep = () => store(key, width());

  bar.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -side, ArrowRight: side, PageUp: -4 * side, PageDown: 4 * side }[event.key];
    const to = steps ? width() + steps * STEP : { Home: LEAST, End: most() }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    setWidth(to);
    keep();
  });

  bar.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    bar.focus();
    bar.setPointerCapture(event.pointerId);
    const shift = side * event.clientX - width();
    const move = (/** @type {PointerEvent} */ moved) => setWidth(side * moved.clientX - shift);
    bar.addEventListener("pointermove", move);
    bar.addEventListener("lostpointercapture", () => (bar.removeEventListener("pointermove", move), keep()), {
      once: true,
    });
  });

  if (stored(key)) columns().style.setProperty(property, stored(key) + "px");
  columns().append(bar);
  const watched = new ResizeObserver(place);
  for (const part of columns().children) watched.observe(part);
};

/** @param {Part<null>} part */
export const mount = ({ element }) => {
  const open = new Set(stored(OPEN) || []);

  const show = (/** @type {string} */ name, /** @type {boolean} */ isShown) => {
    const target = columns();
    if (!isColumn(name)) {
      if (isShown) target.dataset.pane = name;
      else delete target.dataset.pane;
      return;
    }
    if (isShown) open.add(name);
    else open.delete(name);
    store(OPEN, [...open]);
    draw();
  };

  const isOpen = (/** @type {string} */ name) =>
    isColumn(name) ? open.has(name) : columns().dataset.pane === name;

  const buttons = Object.entries(LABELS).map(([name, label]) =>
    node(
      "button",
      {
        type: "button",
        class: "hw-pane p-" + name,
        "aria-controls": "play-" + name,
        onclick: () => show(name, !isOpen(name)),
      },
      label,
    ),
  );

  const draw = () => {
    columns().dataset.open = [...open].join(" ");
    Object.keys(LABELS).forEach((name, place) =>
      buttons[place].setAttribute("aria-expanded", String(isOpen(name))),
    );
  };

  const add = node(
    "button",
    { type: "button", class: "hw-pane p-new", title: "Alt+N", onclick: () => pressUnseen("play-new") },
    "New session",
  );
  element.replaceChildren(buttons[0], add, ...buttons.slice(1));
  draw();
  new MutationObserver(draw).observe(columns(), { attributes: true, attributeFilter: ["data-pane"] });
  addEventListener("resize", draw);
  // A click on a message opens the inspector beside it.
  addEventListener("hw:inspect", () => isColumn("inspector") && show("inspector", true));
  addEventListener("hw:fold-inspector", () => isColumn("inspector") && show("inspector", false));
  const part = (/** @type {string} */ name) => document.querySelector("#play-" + name);
  splitter(
    part("setup"),
    "Width of the contract editor",
    "hermes-workbench:contract-width",
    "--hw-contract-width",
    1,
  );
  splitter(
    part("inspector"),
    "Width of the inspector",
    "hermes-workbench:inspector-width",
    "--hw-inspector-width",
    -1,
  );
};
