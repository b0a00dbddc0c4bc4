// The button that enlarges the contract's editor to the full height beside the conversation, and the bar between the
// two, which is moved by pointer and keyboard. The browser remembers the width.
import { node } from "../shared/dom.js";
import { store, stored } from "../shared/storage.js";

const WIDTH = "hermes-workbench:contract-width";
const WIDE = "hermes-workbench:contract-wide";
const LEAST = 320;
const CONVERSATION = 320;
const STEP = 24;

/** @param {Part<null>} part */
export const mount = ({ element }) => {
  const columns = document.getElementById("play-columns");
  const setup = document.getElementById("play-setup");
  const isWide = () => columns.dataset.contract === "wide";
  const before = () => setup.getBoundingClientRect().left - columns.getBoundingClientRect().left;
  const most = () => Math.max(LEAST, columns.clientWidth - before() - CONVERSATION);
  const clamp = (width) => Math.round(Math.min(most(), Math.max(LEAST, width)));

  const toggle = node("button", {
    type: "button",
    class: "hw-act",
    "aria-controls": "play-contract-text",
    onclick: () => setWide(!isWide()),
  });

  const splitter = node("div", {
    id: "play-splitter",
    role: "separator",
    tabindex: 0,
    "aria-orientation": "vertical",
    "aria-label": "Width of the contract editor",
    "aria-controls": "play-setup",
    "aria-valuemin": LEAST,
  });

  const place = () => {
    splitter.style.left = before() + setup.offsetWidth + "px";
    splitter.setAttribute("aria-valuemax", most());
    splitter.setAttribute("aria-valuenow", setup.offsetWidth);
  };

  const setWidth = (width) => {
    columns.style.setProperty("--hw-contract-width", clamp(width) + "px");
    place();
  };

  const keep = () => store(WIDTH, setup.offsetWidth);

  const setWide = (wide) => {
    if (wide) {
      columns.dataset.contract = "wide";
      setWidth(stored(WIDTH) || Math.round(columns.clientWidth * 0.42));
    } else delete columns.dataset.contract;
    toggle.textContent = wide ? "Shrink editor" : "Enlarge editor";
    toggle.setAttribute("aria-expanded", String(wide));
    store(WIDE, wide || null);
  };

  splitter.addEventListener("keydown", (event) => {
    const width = setup.offsetWidth;
    const to = {
      ArrowLeft: width - STEP,
      ArrowRight: width + STEP,
      PageUp: width - 4 * STEP,
      PageDown: width + 4 * STEP,
      Home: LEAST,
      End: most(),
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    setWidth(to);
    keep();
  });

  splitter.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    splitter.focus();
    splitter.setPointerCapture(event.pointerId);
    const shift = event.clientX - setup.offsetWidth;
    const move = (moved) => setWidth(moved.clientX - shift);
    const end = () => {
      splitter.removeEventListener("pointermove", move);
      keep();
    };
    splitter.addEventListener("pointermove", move);
    splitter.addEventListener("lostpointercapture", end, { once: true });
  });

  new ResizeObserver(
    () => isWide() && setWidth(parseFloat(columns.style.getPropertyValue("--hw-contract-width"))),
  ).observe(columns);

  columns.append(splitter);
  element.replaceChildren(toggle);
  setWide(Boolean(stored(WIDE)));
};
