// Sends the log of actions in the background, one numbered command at a time, and again if no answer came. What is added
// meanwhile is sent after that. The server applies no action twice, so nothing is lost or done twice.
//
//   sync()          send what is pending, unless a command waits for its answer
//   ask()           the same, also without an action, to load something
//   askLater()      ask with the next command
//   begin(fields)   begin a command that is sent elsewhere and is never sent again
//   waiting()       the command that waits for its answer, or null
//   expectLoss()    ask again soon, because the answer may have been hidden
//   take(serial)    the command that this number answers, or null
const RETRY_MS = 10000;
const SOON_MS = 1500;
const MOST = 50;

/**
 * @template {ActionId} Action
 * @template {object} Command
 * @param {object} options
 * @param {ActionLog<Action>} options.log
 * @param {() => Command | null} options.fieldsOf what a command remembers besides; null as long as nothing can be sent
 * @param {(command: SentCommand<Action> & Command) => void} options.send
 * @param {() => void} options.onLost called when a command is sent again because no answer came
 */
export const createSender = ({ log, fieldsOf, send, onLost }) => {
  /** @type {(SentCommand<Action> & Command) | null} */
  let sent = null;
  let serial = 0;
  let isAsked = false;

  const begin = (/** @type {Command} */ fields, /** @type {Action[]} */ actions = []) => {
    serial += 1;
    sent = { ...fields, serial, actions };
    return sent;
  };

  /** @param {(SentCommand<Action> & Command) | null} command @param {number} delay */
  const again = (command, delay) =>
    setTimeout(() => {
      if (sent !== command) return;
      sent = null;
      isAsked = true;
      if (delay === RETRY_MS) onLost();
      sync();
    }, delay);

  const sync = () => {
    const fields = !sent && fieldsOf();
    const actions = log.pending().slice(0, MOST);
    if (!fields || (!actions.length && !isAsked)) return;
    isAsked = false;
    const command = begin(fields, actions);
    send(command);
    again(command, RETRY_MS);
  };

  const askLater = () => {
    isAsked = true;
  };

  return {
    sync,
    askLater,
    ask: () => {
      askLater();
      sync();
    },
    begin,
    waiting: () => sent,
    expectLoss: () => sent && again(sent, SOON_MS),
    take: (/** @type {number} */ number) => {
      const command = sent && sent.serial === number ? sent : null;
      if (command) sent = null;
      return command;
    },
  };
};
