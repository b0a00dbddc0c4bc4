/** Identifies an action: which page made it, and its number there. */
interface ActionId {
  client: string;
  number: number;
}

/** An action in the log. */
interface LogAction extends ActionId {
  /** The account that was logged in. */
  owner: string;
}

interface ActionLog<Action extends ActionId> {
  /** Takes over what earlier pages of this account left. */
  adopt: (owner: string) => void;
  /** Adds an action, gives it its id and stores it. */
  add: (fields: any) => Action;
  /** Removes actions, which the server has confirmed or which were withdrawn. */
  drop: (done: ActionId[]) => void;
  /** Whether leaving the page now would leave work behind that is stored nowhere, or that is not confirmed for long. */
  isAtRisk: () => boolean;
  /** The actions that are not confirmed, in order. */
  pending: () => Action[];
}

/** What is sent and not answered yet. */
interface SentCommand<Action extends ActionId> {
  serial: number;
  actions: Action[];
}
