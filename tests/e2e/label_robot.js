// An annotator who never makes a pause: presses random keys in the Label tab and notes what each of them means, from what
// the page shows before it. Every POST waits for a random time, as on a slow line.
(() => {
  const random = (seed) => () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const LOG = "hermes-workbench:label:log:";
  let latency = [0, 0];
  let client = "";
  // The last action that the page added to its log.
  let added = { number: 0 };
  const chanceOfDelay = Math.random;
  const send = window.fetch;
  window.fetch = async (address, options) => {
    if (options && options.method === "POST")
      await wait(latency[0] + (latency[1] - latency[0]) * chanceOfDelay());
    return send(address, options);
  };
  // On a busy machine, the page would ask before it is left. Its actions are stored in the browser.
  window.addEventListener("beforeunload", (event) => event.stopImmediatePropagation());
  const setItem = Storage.prototype.setItem;
  Storage.prototype.setItem = function (name, value) {
    if (name.startsWith(LOG)) {
      added = JSON.parse(value);
      client = added.client;
    }
    return setItem.call(this, name, value);
  };

  const list = () => document.querySelector("#label-desk ol[data-session]");
  const panel = () => document.querySelector("#label-desk .hw-label-panel");
  const session = () => list().dataset.session;
  // Nobody presses keys for what is not shown yet.
  const isBusy = () =>
    !list() ||
    list().getAttribute("aria-busy") === "true" ||
    !list().checkVisibility({ visibilityProperty: true });
  const cursor = () => list().querySelector("[aria-current=true]").dataset.key;
  const pressedIn = (name) => {
    const group = [...panel().querySelectorAll("[role=group]")].find(
      (other) => other.getAttribute("aria-label") === name,
    );
    return group ? [...group.querySelectorAll("[aria-pressed=true]")] : [];
  };
  const textOf = (button) => button && [...button.childNodes].at(-1).textContent;
  const key = (name, more) => {
    const target = document.activeElement || document.body;
    const code = /^[0-9]$/.test(name) ? "Digit" + name : "";
    target.dispatchEvent(
      new KeyboardEvent("keydown", { key: name, code, bubbles: true, cancelable: true, ...more }),
    );
  };
  // Fields show what the other tab is typing, which is not what its label is.
  const isOtherTyping = () =>
    Object.keys(localStorage).some((name) => name.startsWith("hermes-workbench:label:draft:"));
  const isPending = () => Object.keys(localStorage).some((name) => name.startsWith(LOG));
  const stored = async () => {
    while (isBusy() || isPending()) await wait(20);
  };

  const CALL = ["right", "wrong-tool", "bad-arguments", "needless", "should-ask"];
  const WORD = (verdict) => verdict.replace("-", " ");
  const messageOf = (target) => target.split("#")[0];

  // What `u` will undo next, according to the page.
  const nextUndone = () => JSON.parse(sessionStorage.getItem("hermes-workbench:label:undo") || "[]").at(-1);

  // Runs the robot. `stack` are the actions that can be undone, the last one at the end. Returns what was meant, in the
  // order of the page's numbers.
  window.labelRobot = async ({ seed, count, keys, latency: range, stack }) => {
    latency = range;
    const chance = random(seed);
    const pick = (options) => options[Math.floor(chance() * options.length)];
    const meant = [];
    const note = (action) => {
      meant.push(action);
      if (action.kind !== "undo") stack.push({ client, number: meant.length, kind: action.kind });
    };
    const field = (target, name, value) =>
      note({ kind: "label", session: session(), target, field: name, value });
    const type = (name, text) => {
      key(name);
      const input = document.activeElement;
      if (!input.matches("input, textarea")) throw new Error(name + " opened no field");
      input.value = text;
      input.dispatchEvent(new Event("input"));
      return input;
    };

    const act = async (name) => {
      const target = cursor();
      const isCall = target.includes("#");
      if (["j", "k", "n", "p"].includes(name)) return key(name);
      if (name === "verdict") {
        const number = isCall ? pick([1, 2, 3, 4, 5, 6, 7]) : pick([1, 6, 7]);
        const onCall = isCall && number <= 5;
        const verdict = onCall ? CALL[number - 1] : { 1: "good", 6: "missing-call", 7: "bad-answer" }[number];
        const [before] = pressedIn(onCall ? "Verdict on the call" : "Verdict on the message");
        const value = textOf(before) === WORD(verdict) ? null : verdict;
        key(String(number));
        return field(onCall ? target : messageOf(target), "verdict", value);
      }
      if (name === "rating") {
        const number = pick([1, 2, 3, 4, 5]);
        const [before] = pressedIn("Rating");
        const value = before && before.getAttribute("aria-label") === number + " of 5" ? null : number;
        key("!", { code: "Digit" + number, shiftKey: true });
        return field(target, "rating", value);
      }
      if (name === "question") {
        const choices = ["yes", "no"];
        const [before] = pressedIn("Is it polite?");
        const value = choices[choices.indexOf(textOf(before)) + 1] || null;
        key("q");
        return field(target, "answer:polite", value);
      }
      if (name === "comment") {
        const text = pick(["a", "b c", "ü", ""]);
        const before = panel().querySelector("[data-field=comment]").value;
        const input = type("c", text);
        input.blur();
        return text === before ? null : field(target, "comment", text || null);
      }
      if (name === "tag") {
        const tag = pick(["x", "y"]);
        const has = [...panel().querySelectorAll(".hw-tag")].some((other) => other.textContent === tag);
        const input = type("t", tag);
        key("Enter");
        if (!has) field(target, "tag:" + tag, true);
        return input.isConnected || document.activeElement !== document.body
          ? document.activeElement.blur()
          : null;
      }
      const before = session();
      if (name === "u") {
        const entry = nextUndone();
        const isNext = (other) => entry && other.client === entry.client && other.number === entry.number;
        // What the server refused can no longer be undone. That is only a submit that lacks something.
        while (stack.length && !isNext(stack.at(-1))) {
          const missing = stack.pop();
          if (missing.kind !== "submit")
            throw new Error("missing from what can be undone: " + JSON.stringify([missing, entry]));
        }
        const last = stack.pop();
        key(name);
        return last && note({ kind: "undo", session: entry.session, of: last });
      }
      key(name);
      if (name === "a") return note({ kind: "accept", session: before, target });
      if (name === "A") return note({ kind: "accept-rest", session: before });
      if (name === "r") return note({ kind: "reject", session: before });
      // Whether Enter submits depends on what the project requires. Then the next row is opened.
      if (isBusy() || session() !== before) note({ kind: "submit", session: before });
      return null;
    };

    const NAMES = [
      ...[
        "verdict",
        "verdict",
        "verdict",
        "verdict",
        "rating",
        "question",
        "comment",
        "tag",
        "a",
        "a",
        "A",
        "A",
      ],
      ...["u", "u", "j", "j", "k", "n", "p", "Enter", "Enter", "Enter", "Enter", "r"],
    ];
    for (let place = 0; place < count; place += 1) {
      while (isBusy() || isOtherTyping()) await wait(10);
      const name = pick(NAMES);
      await act(name);
      if (added.number !== meant.length)
        throw new Error(
          name +
            " is not what the page added: " +
            JSON.stringify({ added, meant: meant.length, last: meant.at(-1) }),
        );
      await wait(keys[0] + (keys[1] - keys[0]) * chance() ** 3);
    }
    return { meant, stack, client };
  };

  // Undoes everything that this tab can undo. Returns the number of actions.
  window.labelUndoAll = async (range) => {
    latency = range;
    let count = 0;
    for (;;) {
      while (isBusy()) await wait(5);
      key("u");
      const text = document.querySelector("#label-desk .hw-label-notice").textContent;
      // Refused submits stay in the notice, after the message, until they are opened or dismissed.
      if (text.startsWith("Nothing to undo.")) break;
      count += 1;
      await wait(5);
    }
    await stored();
    return count;
  };
  window.labelStored = stored;
})();
