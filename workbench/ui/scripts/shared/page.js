// Access to the page around a component: its buttons, keys, address and colours.
import { storedText, storeText } from "./storage.js";

const buttonOf = (/** @type {string} */ id) => {
  const element = document.getElementById(id);
  return element && (element.matches("button") ? element : element.querySelector("button"));
};

// Presses the button with this id, or the button inside the element with it. Returns whether it could be pressed.
export const press = (/** @type {string} */ id) => {
  const button = buttonOf(id);
  if (!button || button.disabled || button.offsetParent === null) return false;
  button.click();
  return true;
};

// The same, but also for a button on a tab that is not open.
export const pressUnseen = (/** @type {string} */ id) => {
  const button = buttonOf(id);
  if (button && !button.disabled) button.click();
};

export const isField = (/** @type {any} */ target) =>
  Boolean(target.closest && target.closest("input, textarea, select, [contenteditable], .cm-editor"));

// The step in a list that an arrow key makes: 1, -1, or 0 for another key.
export const stepOf = (/** @type {string} */ key) => Number(key === "ArrowDown") - Number(key === "ArrowUp");

// Whether a modal dialog that is not part of `element` is open above it and gets all keys.
const isBehindDialog = (/** @type {Element} */ element) =>
  [...document.querySelectorAll("dialog:modal")].some((dialog) => !element.contains(dialog));

// Handles keys before anything else on the page, as long as `element` is part of it and no dialog is above it.
/** @type {(element: Element, target: EventTarget, work: (event: PageEvent) => void) => void} */
export const onKeys = (element, target, work) => {
  const onKeyDown = (/** @type {any} */ event) => {
    if (!element.isConnected) target.removeEventListener("keydown", onKeyDown, true);
    else if (!isBehindDialog(element)) work(event);
  };
  target.addEventListener("keydown", onKeyDown, true);
};

// Writes parameters into the page's address; an empty value removes its parameter.
export const setInAddress = (/** @type {Record<string, string>} */ parameters) => {
  const address = new URL(location.href);
  for (const [name, value] of Object.entries(parameters)) {
    if (value) address.searchParams.set(name, value);
    else address.searchParams.delete(name);
  }
  if (address.href !== location.href) history.replaceState(history.state, "", address);
};

// Light or dark as the person chose with `switchTheme`; otherwise Gradio follows the address and the system.
const THEME = "hermes-workbench:theme";

export const showTheme = () => {
  const theme = storedText(THEME);
  if (theme) document.body.classList.toggle("dark", theme === "dark");
};

export const switchTheme = () => {
  const theme = document.body.classList.contains("dark") ? "light" : "dark";
  storeText(THEME, theme);
  showTheme();
  setInAddress({ __theme: theme });
};
