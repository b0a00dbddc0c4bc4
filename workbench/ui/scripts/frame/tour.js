// The tour of a first visit, which explains an example in Play. Event: `first_visit`, which opens the example.
import { node } from "../shared/dom.js";
import { isField, onKeys } from "../shared/page.js";
import { storedText, storeText } from "../shared/storage.js";

const ENDED = "hermes-workbench:tour";
const CARD_PX = 320;
const wasEnded = () => storedText(ENDED) === "ended";

const isAway = () => {
  const play = document.getElementById("page-tab-play");
  return play !== null && play.offsetParent === null;
};

/** @param {Part<TourView, TourEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const wasHome = window.hermesWorkbench.router.isHome();
  const light = node("div", { class: "hw-tour-light", "aria-hidden": "true" });
  const heading = node("h2", { id: "page-tour-heading" });
  const text = node("p", { id: "page-tour-text" });
  const place = node("span", { class: "hw-note" });
  const back = node("button", { type: "button", class: "hw-act", onclick: () => go(at - 1) }, "Back");
  const next = node("button", { type: "button", class: "hw-button", onclick: () => go(at + 1) });

  const card = node(
    "section",
    {
      class: "hw-tour",
      role: "dialog",
      "aria-labelledby": "page-tour-heading",
      "aria-describedby": "page-tour-text",
    },
    heading,
    text,
    node(
      "footer",
      {},
      place,
      node("span", { class: "hw-gap" }),
      node("button", { type: "button", class: "hw-act", onclick: () => end() }, "Skip tour"),
      back,
      next,
    ),
  );

  element.replaceChildren(light, card);
  /** @type {TourStep[]} */
  let steps = [];
  let at = -1;
  let served = 0;
  /** @type {HTMLElement | null} */
  let before = null;
  // Whether the tour has opened the inspector, which folds away again after it.
  let hasOpened = false;

  const put = () => {
    if (isAway()) return end();
    card.hidden = false;
    const target = document.getElementById(steps[at].target);
    const box = target && target.offsetParent !== null ? target.getBoundingClientRect() : null;
    const isTabs = steps[at].target === "page-places";
    light.hidden = !box;
    if (box)
      Object.assign(light.style, {
        left: box.left + "px",
        top: box.top + "px",
        width: box.width + "px",
        height: (isTabs ? 40 : box.height) + "px",
      });
    const right = box && box.right + CARD_PX + 24 < innerWidth ? box.right + 12 : null;
    const left = box && box.left > CARD_PX + 24 ? box.left - CARD_PX - 12 : null;
    const x =
      isTabs || (right === null && left === null)
        ? Math.max(12, (innerWidth - CARD_PX) / 2)
        : right !== null
          ? right
          : left;
    Object.assign(card.style, {
      left: x + "px",
      top: isTabs ? "64px" : box ? Math.max(56, box.top + 48) + "px" : "25vh",
    });
  };

  // Changes of the window, and of the shown tab.
  const watched = new ResizeObserver(() => {
    if (element.isConnected && at >= 0) put();
  });

  const go = (/** @type {number} */ to) => {
    if (to >= steps.length) return end();
    if (at < 0) before = document.activeElement;
    at = Math.max(0, to);
    heading.textContent = steps[at].heading;
    text.textContent = steps[at].text;
    place.textContent = at + 1 + " of " + steps.length;
    back.hidden = at === 0;
    next.textContent = at === steps.length - 1 ? "Start" : "Next";
    put();
    watched.disconnect();
    for (const id of [steps[at].target, "page-tab-play"]) {
      const part = document.getElementById(id);
      if (part) watched.observe(part);
    }
    next.focus();
  };

  const close = () => {
    at = -1;
    watched.disconnect();
    card.hidden = true;
    light.hidden = true;
  };

  const end = () => {
    storeText(ENDED, "ended");
    close();
    if (hasOpened) window.dispatchEvent(new Event("hw:fold-inspector"));
    hasOpened = false;
    if (before && before.isConnected) before.focus();
  };

  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (card.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isField(event.target) && event.key !== "Escape") return;
    const work = { Escape: end, ArrowRight: () => go(at + 1), ArrowLeft: () => go(at - 1) }[event.key];
    if (!work) return;
    event.preventDefault();
    event.stopPropagation();
    work();
  };

  onKeys(element, window, onKey);

  window.addEventListener("resize", () => {
    if (element.isConnected && at >= 0) put();
  });

  window.addEventListener("hw:tour", () => {
    if (element.isConnected) trigger("first_visit", { asked: "yes" });
  });

  close();

  // The tour begins when the example is on the screen, with its inspector.
  const begin = (tries = 50) => {
    if (document.querySelector("#play-transcript .hw-entry")) {
      hasOpened = document.getElementById("play-inspector")?.offsetParent === null;
      window.dispatchEvent(new Event("hw:inspect"));
      go(0);
    } else if (tries) setTimeout(begin, 100, tries - 1);
  };

  follow((value) => {
    if (!value || value.serial === served) return;
    served = value.serial;
    steps = value.steps;
    if (value.is_ready) begin();
    // A link shows what it names, not the tour.
    else if (value.is_empty && wasHome && !wasEnded()) trigger("first_visit", { asked: "" });
  });
};
