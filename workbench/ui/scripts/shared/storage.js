// Values that the browser stores, so that they survive a reload. If its storage is full or forbidden, nothing
// fails, and the value is lost with the page.

export const storedText = (/** @type {string} */ name) => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};

export const storeText = (/** @type {string} */ name, /** @type {string} */ text) => {
  try {
    localStorage.setItem(name, text);
  } catch {
    // Storage is full or forbidden.
  }
};

// Returns a value that was stored as JSON, or null.
export const stored = (/** @type {string} */ name) => {
  try {
    return JSON.parse(localStorage.getItem(name) || "null");
  } catch {
    return null;
  }
};

// Stores a value as JSON. null removes it. Returns whether it is stored.
export const store = (/** @type {string} */ name, /** @type {unknown} */ value) => {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
};

// Whether Enter sends a message. On a touch screen, whose keyboards have no Shift+Enter, it makes a line.
const ENTER = "hermes-workbench:enter";

export const enterSends = () => storedText(ENTER) !== "line" && !matchMedia("(pointer: coarse)").matches;

export const setEnterSends = (/** @type {boolean} */ isOn) => {
  storeText(ENTER, isOn ? "sends" : "line");
  window.dispatchEvent(new Event("hw:enter"));
};

// The same for one tab of the browser, until it is closed.
export const tabText = (/** @type {string} */ name) => {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
};

export const storeTabText = (/** @type {string} */ name, /** @type {string} */ text) => {
  try {
    sessionStorage.setItem(name, text);
  } catch {
    // Storage is full or forbidden.
  }
};
