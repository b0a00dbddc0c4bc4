// The Label tab: queue, conversation and panel, operated by keyboard. Events: `label_order` for every command,
// and `label_again` and `label_stop` to regenerate a message and to stop that.
import { node } from "./dom.js";
import { SEAT, addState, keyOf } from "./label_state.js";
import { isField, onKeys, setInAddress } from "./page.js";
import { addForm } from "./label_form.js";
import { addPanel } from "./label_panel.js";
import { addTalk } from "./label_talk.js";
import { addBar } from "./label_bar.js";
import { stored } from "./storage.js";

const nameInAddress = (id) => setInAddress({ label: id });

// The session that `Label` in Play's menu asked to open. It is removed, so that it opens only once.
const requestedInPlay = () => {
  try {
    const session = sessionStorage.getItem(SEAT + ":asked") || "";
    sessionStorage.removeItem(SEAT + ":asked");
    return session;
  } catch {
    return "";
  }
};

// If two values arrive at once, Gradio shows only the later one, so that the opening of the tab can hide an answer.
// After this time, a `show` command counts as lost: `begin` has queued another one.
const LOST_MS = 1500;
const hasFailed = (value) => value.notice.lines.some((line) => line.tone === "error");

export const mount = (part) => {
  // The tab is split into five files. Each adds its functions and elements to `desk` for the others to use.
  const desk = { ...part };
  const { element, follow, trigger } = desk;
  for (const add of [addState, addForm, addPanel, addTalk, addBar]) add(desk);

  const accept = (target) => {
    for (const message of desk.entryOf(target).stale) desk.inTurn(() => desk.order("accept", { message }));
    const verdict = target.call === null ? "good" : "right";
    if (target.role === "model" && desk.expected(target).verdict !== verdict)
      desk.change(target, { verdict });
  };

  const regenerate = (target) => {
    const entry = desk.entryOf(target);
    if (!["model", "tool"].includes(target.role))
      return desk.showError("Only messages of a model or a tool can be regenerated.");
    desk.go(() => {
      desk.order("regenerate", { message: entry.stale[0] || target.message });
      desk.drawBar();
    });
  };

  Object.assign(desk, { accept, regenerate });

  const step = (by) => {
    const all = desk.targets();
    const from = all.findIndex((target) => keyOf(target) === desk.state.at);
    for (let place = from + by; place >= 0 && place < all.length; place += by)
      if (all[place].is_stop) return desk.pick(all[place]);
  };

  const neighbour = (by) => {
    const ids = desk.state.view.rows.map((row) => row.id);
    const id = ids[ids.indexOf(desk.talk() ? desk.talk().id : "") + by];
    if (id) desk.go(() => desk.moveTo(id));
  };

  const focusOn = (name) => {
    const field = desk.panel.querySelector("[data-field=" + name + "]");
    if (field) field.focus();
  };

  const verdictKey = (number) => {
    const target = desk.here();
    if (!target || target.role !== "model") return;
    const verdict = desk.state.view.verdicts[number - 1];
    if (number >= 6) desk.judge(desk.messageTargetOf(target), verdict);
    else if (target.call !== null) desk.judge(target, verdict);
    else if (number === 1) desk.judge(target, "good");
  };

  const ACTS = {
    j: () => step(1),
    k: () => step(-1),
    n: () => neighbour(1),
    p: () => neighbour(-1),
    a: () => {
      if (desk.here()) {
        const target = desk.here();
        accept(target);
        step(1);
      }
    },
    r: () => desk.go(() => desk.talk() && desk.endSession("reject")),
    e: () => desk.here() && desk.openEditor(desk.here()),
    g: () => desk.here() && regenerate(desk.here()),
    t: () => focusOn("tag"),
    c: () => focusOn("comment"),
    u: () => desk.go(desk.undoLast),
    "?": desk.showHelp,
    Enter: () => desk.go(() => desk.talk() && desk.endSession("submit")),
  };

  // Opens a field of a conversation that is not loaded yet. Text typed meanwhile is held and then inserted.
  const hold = (work) => {
    desk.state.queue.push(() => {
      const text = desk.state.held || "";
      desk.state.held = null;
      work();
      const field = document.activeElement;
      if (!text || !isField(field)) return;
      field.value += text;
      field.dispatchEvent(new Event("input"));
    });
    desk.state.held = "";
  };

  const submitAll = () => {
    const target = desk.here();
    const draft = target ? desk.draftOf(target) : {};
    if (draft.form !== undefined || draft.text !== undefined) return desk.saveEditor(target);
    // A field saves its text when it loses the focus.
    if (document.activeElement) document.activeElement.blur();
    ACTS.Enter();
  };

  const onEscape = (event) => {
    if (desk.state.isRegenerating) return trigger("label_stop", {});
    if (isField(event.target)) return event.target.blur();
    const target = desk.here();
    if (target && (desk.draftOf(target).form || desk.draftOf(target).text !== undefined))
      desk.closeEditor(target);
  };

  const onKey = (event) => {
    if (element.offsetParent === null || desk.help.open || event.defaultPrevented) return;
    if (event.key === "Escape") return onEscape(event);
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      return submitAll();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
    if (desk.state.held !== null) {
      if (event.key.length === 1) {
        event.preventDefault();
        desk.state.held += event.key;
      }
      return;
    }
    const digit = /^(?:Digit|Numpad)([1-7])$/.exec(event.code);
    const work =
      digit && event.shiftKey
        ? () => desk.here() && Number(digit[1]) <= 5 && desk.rate(desk.here(), Number(digit[1]))
        : digit
          ? () => verdictKey(Number(digit[1]))
          : ACTS[event.key];
    if (!work || (event.key === "Enter" && event.target.closest("button, summary, a"))) return;
    event.preventDefault();
    if (!desk.state.moving) work();
    else if (["t", "c"].includes(event.key)) hold(work);
    else desk.inTurn(work);
  };

  onKeys(element, document, onKey);

  element.replaceChildren(
    node(
      "div",
      { class: "hw-label-desk" },
      desk.head,
      desk.notice,
      desk.queue,
      node("div", { class: "hw-label-talk" }, desk.list, desk.hint, desk.row),
      desk.panel,
      desk.help,
    ),
  );

  new IntersectionObserver((seen) => {
    if (!element.isConnected) return;
    nameInAddress(seen.at(-1).isIntersecting && desk.talk() ? desk.talk().id : "");
  }).observe(element);

  const sessionInAddress = new URLSearchParams(location.search).get("label") || "";

  // Gives up waiting for a `show` command whose answer was lost.
  const expectLoss = () => {
    const serial = desk.state.waiting;
    if (!serial || desk.state.waitingAct !== "show") return;
    setTimeout(() => {
      if (desk.state.waiting !== serial) return;
      desk.answered();
      desk.doNext();
    }, LOST_MS);
  };

  const begin = (value) => {
    expectLoss();
    const saved = stored(SEAT) || {};
    desk.state.owner = value.labeller;
    desk.state.seat = {
      ...desk.state.seat,
      ...saved.seat,
      ...(value.labeller ? { labeller: value.labeller } : {}),
    };
    desk.state.filter = { ...desk.state.filter, ...saved.filter };
    if (desk.state.pending.length === 0) desk.state.pending = stored(desk.pendingName()) || [];
    const requested = requestedInPlay();
    if (requested) return desk.go(() => desk.order("show", { session: requested }));
    // An open conversation stays open, and keys need not wait for its update.
    if (desk.talk()) desk.inTurn(() => desk.order("show", {}));
    else desk.go(() => desk.order("show", desk.talk() ? {} : { session: sessionInAddress }));
    desk.inTurn(desk.sendPending);
  };

  // Cleans up after an answer: undo information and the drafts that were saved. `sent` has the changed fields.
  const settle = (value, sent) => {
    const last = desk.state.undo.at(-1);
    if (hasFailed(value)) {
      if (last && last.revision === null) desk.state.undo.pop();
      return;
    }
    const target =
      last &&
      !last.act &&
      desk.targets().find((other) => other.message === last.message && other.call === last.call);
    if (!target || last.session !== value.talk.id || last.revision !== null) return;
    last.revision = target.label.revision;
    // Drop the drafts that were just saved, but keep what was typed since.
    const draft = desk.draftOf(target);
    if ("form" in sent) desk.keepDraft(target, { form: null });
    if (
      "text" in sent &&
      draft.text === (target.label.text === null ? target.text : target.label.text).replace(/\r\n/g, "\n")
    )
      desk.keepDraft(target, { text: null });
    if (draft.comment === target.label.comment) desk.keepDraft(target, { comment: null });
  };

  follow((value) => {
    if (!value) return;
    if (value.serial === 0) return begin(value);
    if (value.serial !== desk.state.waiting) return;
    desk.answered();
    const sent = desk.state.pending.find((pending) => pending.id === desk.state.sent);
    if (desk.state.sent) desk.forgetSent();
    desk.state.isRegenerating = false;
    const before = desk.talk() ? desk.talk().id : null;
    desk.state.view = value;
    if (value.agreement !== null) desk.state.agreement = value.agreement;
    settle(value, sent ? sent.change : {});
    desk.showError(value.notice.lines.map((line) => line.text).join(" "));
    if (desk.talk() && desk.talk().id !== before) {
      let at = null;
      try {
        at = sessionStorage.getItem(SEAT + ":at:" + desk.talk().id);
      } catch {
        // Storage is forbidden.
      }
      desk.state.at = at;
      desk.list.parentElement.scrollTop = 0;
    }
    if (desk.talk() && !desk.here()) {
      const first = desk.targets().find((target) => target.is_stop);
      desk.state.at = first ? keyOf(first) : null;
    }
    if (element.offsetParent !== null) nameInAddress(desk.talk() ? desk.talk().id : "");
    desk.drawBar();
    desk.drawTalk();
    desk.drawPanel();
    desk.doNext();
  });
};
