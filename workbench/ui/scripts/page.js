// What components share of the page around them: its buttons, its keys, its address.

const buttonOf = (id) => {
  const found = document.getElementById(id);
  return found && (found.matches("button") ? found : found.querySelector("button"));
};

// Presses the button with this id, or the one in the part with it; says whether it could be pressed.
export const press = (id) => {
  const button = buttonOf(id);
  if (!button || button.disabled || button.offsetParent === null) return false;
  button.click();
  return true;
};

// As above, but also where the button is on a tab that is not open.
export const pressUnseen = (id) => {
  const button = buttonOf(id);
  if (button && !button.disabled) button.click();
};

export const isField = (target) =>
  Boolean(target.closest && target.closest("input, textarea, select, [contenteditable], .cm-editor"));

// Listens to keys before anything in the page does, for as long as `element` is part of it.
export const onKeys = (element, target, work) => {
  const heard = (event) => {
    if (element.isConnected) work(event);
    else target.removeEventListener("keydown", heard, true);
  };
  target.addEventListener("keydown", heard, true);
};

// Writes parameters into the page's address; an empty value removes its parameter.
export const setInAddress = (parameters) => {
  const address = new URL(location.href);
  for (const [name, value] of Object.entries(parameters)) {
    if (value) address.searchParams.set(name, value);
    else address.searchParams.delete(name);
  }
  if (address.href !== location.href) history.replaceState(history.state, "", address);
};
