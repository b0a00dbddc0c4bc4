// A log of actions that the server has not confirmed. Each action names what it changes, so it does not matter what is
// shown when it is sent. It is stored in the browser until the server confirms it, under a key of its own: two tabs never
// overwrite each other's. The server applies an action only once, so any tab may send any action, in the order of each
// page's numbers. `sender.js` sends them.

const LATE_MS = 5000;

const newClient = () =>
  Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36)).join("");

// Actions that earlier pages of this browser left, in order.
const readStored = (/** @type {string} */ prefix) => {
  /** @type {[name: string, text: string][]} */
  const found = [];
  try {
    for (let place = 0; place < localStorage.length; place += 1) {
      const name = localStorage.key(place);
      if (name && name.startsWith(prefix)) found.push([name, localStorage.getItem(name) || ""]);
    }
  } catch {
    // Storage is forbidden.
  }
  found.sort(([left], [right]) => (left < right ? -1 : 1));
  return found.flatMap(([, text]) => {
    try {
      const action = JSON.parse(text);
      return action && action.client && action.number ? [action] : [];
    } catch {
      return [];
    }
  });
};

export const isSameAction = (/** @type {ActionId} */ left, /** @type {ActionId} */ right) =>
  left.client === right.client && left.number === right.number;

/**
 * @param {string} prefix of the keys in the browser's storage
 * @returns {ActionLog<any>}
 */
export const createLog = (prefix) => {
  const client = newClient();
  let count = 0;
  /** @type {any[]} */
  let actions = [];
  const addedAt = new Map();
  const unstored = new Set();

  const nameOf = (/** @type {ActionId} */ action) =>
    prefix + action.client + ":" + String(action.number).padStart(8, "0");

  // Takes over what earlier pages of this account left.
  const adopt = (/** @type {string} */ owner) => {
    const known = actions;
    const left = readStored(prefix).filter(
      (action) => action.owner === owner && !known.some((other) => isSameAction(action, other)),
    );
    actions = [...left, ...known];
  };

  const add = (/** @type {object} */ fields) => {
    count += 1;
    const action = { ...fields, client, number: count };
    actions = [...actions, action];
    addedAt.set(count, Date.now());
    try {
      localStorage.setItem(nameOf(action), JSON.stringify(action));
    } catch {
      // Storage is full or forbidden. The action is sent all the same.
      unstored.add(count);
    }
    return action;
  };

  const drop = (/** @type {ActionId[]} */ done) => {
    actions = actions.filter((action) => !done.some((other) => isSameAction(action, other)));
    for (const action of done) {
      try {
        localStorage.removeItem(nameOf(action));
      } catch {
        // Storage is forbidden.
      }
    }
  };

  // Whether leaving the page now would leave work behind: actions that are not stored anywhere, or that the server has
  // not confirmed for a while.
  const isAtRisk = () =>
    actions.some(
      (action) =>
        action.client === client &&
        (unstored.has(action.number) || Date.now() - addedAt.get(action.number) > LATE_MS),
    );

  return { adopt, add, drop, isAtRisk, pending: () => actions };
};
