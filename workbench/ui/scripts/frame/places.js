// The places of the page, and the tabs of the open place in a second row. Gradio's own bar of all tabs is hidden.
import { node } from "../shared/dom.js";
import { onKeys, pressUnseen } from "../shared/page.js";

/** @param {Part<PlacesView>} part */
export const mount = ({ element, props }) => {
  const { router } = window.hermesWorkbench;
  const places = props.value?.places || [];
  // The tab of each place that was open last.
  const last = Object.fromEntries(places.map(({ label, tabs }) => [label, tabs[0].tab]));

  /** @param {string} label @param {string} tab @param {string | boolean} current */
  const link = (label, tab, current) =>
    node(
      "a",
      { href: router.link(tab, router.valuesOf(tab)), "aria-current": current, "data-tab": tab },
      label,
    );

  const row = (/** @type {string} */ label, /** @type {PageElement[]} */ links) =>
    node("nav", { "aria-label": label }, ...links);

  const draw = (/** @type {string} */ open) => {
    if (!places.length) return;
    const here = places.find(({ tabs }) => tabs.some(({ tab }) => tab === open)) || places[0];
    last[here.label] = open;
    const focused = element.contains(document.activeElement) && document.activeElement.textContent;
    element.replaceChildren(
      row(
        "Places",
        places.map((place) => link(place.label, last[place.label], place === here && "true")),
      ),
    );
    const { tabs } = here;
    document.documentElement.toggleAttribute("data-has-pages", tabs.length > 1);
    if (tabs.length > 1)
      element.append(
        row(
          here.label,
          tabs.map(({ label, tab }) => link(label, tab, tab === open && "page")),
        ),
      );
    if (focused) [...element.querySelectorAll("a")].find((one) => one.textContent === focused)?.focus();
    element
      .querySelector("nav + nav [aria-current]")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };

  element.addEventListener("click", (event) => {
    const { tab } = /** @type {Element} */ (event.target).closest("a")?.dataset || {};
    if (!tab || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    router.choose(tab);
  });

  // Shortcuts of every tab: Ctrl+S saves a version of the shown text, Alt+1 to Alt+4 open places, Alt+N a new session.
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.shiftKey) return;
    const isSave = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "s";
    const place = event.altKey && !event.ctrlKey && places[Number(event.code.replace("Digit", "")) - 1];
    const isNew = event.altKey && !event.ctrlKey && event.code === "KeyN";
    if (!isSave && !place && !isNew) return;
    event.preventDefault();
    if (isSave)
      // The button itself may still be hidden: the server has not seen what was typed last. It saves no text twice.
      [...document.querySelectorAll(".hw-save-version")]
        .find((button) => button.parentElement.offsetParent !== null)
        ?.dispatchEvent(new Event("hw:save"));
    else if (place) router.choose(last[place.label]);
    else {
      router.choose("play");
      pressUnseen("play-new");
    }
  };

  onKeys(element, window, onKey);
  router.onTab(draw);
};
