// What the browser keeps through a reload. When its storage is full or forbidden, nothing fails: the value
// then lasts as long as the page.

export const storedText = (name) => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};

export const storeText = (name, text) => {
  try {
    localStorage.setItem(name, text);
  } catch {
    // Full or forbidden.
  }
};

// A value that is kept as JSON; null where there is none.
export const stored = (name) => {
  try {
    return JSON.parse(localStorage.getItem(name) || "null");
  } catch {
    return null;
  }
};

// Keeps a value as JSON; null removes it.
export const store = (name, value) => {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Full or forbidden.
  }
};
