// The address of the page: which tab is open and what it shows, as in `?tab=contracts&contract=minimal`. Every place
// that has an address is opened and reported through this router, so Back, Forward, a reload, a pasted link, the palette
// and links on the page do the same. `present/place.py` has the names, and reads and writes addresses on the server.
// `page.d.ts` describes its functions.
/** @type {Router} */
window.hermesWorkbench.router = (() => {
  /* global PLACE_NAMES */
  const { tabs: TABS, old: OLD, most: MOST } = PLACE_NAMES;
  const HOME = "play";
  const STORED = "hermes-workbench:places";
  // After this time, a place that a tab was asked to open counts as opened.
  const LOST_MS = 20000;
  const OURS = new Set(["tab", ...Object.keys(OLD), ...Object.values(TABS).flatMap(namesOf)]);
  // What each tab shows or was asked to show, and what it is known to show.
  const places = storedPlaces();
  /** @type {Record<string, PlaceValues>} */
  const shown = {};
  // The functions that open a tab's places, and the number and time of a request that has no answer yet.
  /** @type {Record<string, PlaceOpener[]>} */
  const openers = {};
  /** @type {Record<string, { number: number; time: number }>} */
  const requests = {};
  // The last request of a tab until it is answered, and what is to be done then.
  /** @type {Record<string, { work: Map<string, () => void>; number: number; timer?: number }>} */
  const openings = {};
  let serial = 0;
  let now = parsed(location.search);
  const named = new URLSearchParams(location.search).get("tab");
  const isKnown = !named || Object.hasOwn(TABS, named);
  // The tab that was selected for an address and is not visible yet.
  let expected = "";

  function namesOf(/** @type {Record<"main" | "once" | "refined", string[]>} */ names) {
    return [...names.main, ...names.refined, ...names.once];
  }

  // Only known tabs and names: the text of an address and of the storage may be anything.
  function cleaned(/** @type {string} */ tab, /** @type {PlaceValues} */ values) {
    const given = namesOf(TABS[tab])
      .map((name) => [name, String(values[name] ?? "").slice(0, MOST)])
      .filter(([, value]) => value);
    return Object.fromEntries(given);
  }

  function parsed(/** @type {string} */ search) {
    const query = new URLSearchParams(search);
    /** @type {PlaceValues} */
    const given = {};
    for (const [name, value] of query) given[Object.hasOwn(OLD, name) ? OLD[name] : name] ??= value;
    const named = query.get("tab") ?? "";
    const implied = Object.keys(TABS).find((tab) => TABS[tab].main.some((name) => given[name]));
    const tab = Object.hasOwn(TABS, named) ? named : implied || HOME;
    return { tab, values: cleaned(tab, given) };
  }

  function storedPlaces() {
    try {
      const stored = Object.entries(JSON.parse(sessionStorage.getItem(STORED) || "{}"));
      return Object.fromEntries(
        stored
          .filter(([tab]) => Object.hasOwn(TABS, tab))
          .map(([tab, values]) => [tab, cleaned(tab, values)]),
      );
    } catch {
      // Storage is forbidden, or another program wrote to it.
      return {};
    }
  }

  const remember = (/** @type {string} */ tab, /** @type {PlaceValues} */ values) => {
    places[tab] = values;
    try {
      sessionStorage.setItem(STORED, JSON.stringify(places));
    } catch {
      // Storage is full or forbidden: a reload forgets what the other tabs show.
    }
  };

  const isSame = (
    /** @type {PlaceValues} */ left,
    /** @type {PlaceValues} */ right,
    /** @type {string[]} */ names,
  ) => names.every((/** @type {string} */ name) => (left[name] || "") === (right[name] || ""));

  // Play without a session is the page's plain address.
  const queryOf = (/** @type {string} */ tab, /** @type {PlaceValues} */ values) =>
    new URLSearchParams(tab === HOME && !Object.keys(values).length ? {} : { tab, ...values });

  const write = (/** @type {boolean} */ isNew) => {
    const query = queryOf(now.tab, now.values);
    for (const [name, value] of new URLSearchParams(location.search))
      if (!OURS.has(name)) query.append(name, value);
    const search = query.toString() && "?" + query;
    if (search === location.search) return;
    const address = location.pathname + search + location.hash;
    if (isNew) history.pushState(null, "", address);
    else history.replaceState(history.state, "", address);
  };

  const tabBar = () => document.querySelector("#page-tabs > .tab-wrapper");

  const selectedTab = () => tabBar()?.querySelector("[role=tab][aria-selected=true]")?.dataset.tabId;

  const buttonOf = (/** @type {string} */ tab) => tabBar()?.querySelector("[data-tab-id=" + tab + "]");

  const select = (/** @type {string} */ tab) => {
    chosen = "";
    expected = selectedTab() === tab ? "" : tab;
    if (expected) buttonOf(tab)?.click();
  };

  const ask = (/** @type {string} */ tab) => {
    requests[tab] = { number: ++serial, time: Date.now() };
    openings[tab] = { timer: openings[tab]?.timer, work: openings[tab]?.work ?? new Map(), number: serial };
  };

  const opened = (/** @type {string} */ tab) => {
    const { work, timer } = openings[tab] || {};
    if (!work) return;
    clearTimeout(timer);
    delete openings[tab];
    // The other parts of the answer are shown first.
    for (const one of work.values()) setTimeout(one);
  };

  const afterOpening = (
    /** @type {string} */ tab,
    /** @type {string} */ name,
    /** @type {() => void} */ work,
  ) => {
    const opening = openings[tab];
    if (!opening) return false;
    opening.work.set(name, work);
    opening.timer ??= setTimeout(opened, LOST_MS, tab);
    return true;
  };

  const isWaiting = (/** @type {string} */ tab) =>
    Boolean(requests[tab]) && Date.now() - requests[tab].time < LOST_MS;

  // Lets the tab of the address open what the address names, unless it shows that already.
  const open = (/** @type {boolean} */ isForced) => {
    const { tab, values } = now;
    select(tab);
    const known = shown[tab] || isWaiting(tab) ? places[tab] : null;
    if (!isForced && known && isSame(known, values, namesOf(TABS[tab]))) return;
    remember(tab, values);
    ask(tab);
    hand(tab);
  };

  const hand = (/** @type {string} */ tab) => {
    const { number } = requests[tab];
    const answers = (openers[tab] || []).map((/** @type {PlaceOpener} */ opener) =>
      opener(places[tab] || {}, number),
    );
    if (!answers.length || answers.some((answer) => answer !== false)) return;
    // There is nothing to open: the tab stays as it is, and the address names that.
    delete requests[tab];
    opened(tab);
    if (!shown[tab]) return;
    remember(tab, shown[tab]);
    if (now.tab === tab) {
      now.values = places[tab];
      write(false);
    }
  };

  const onPlace = (/** @type {string} */ tab, /** @type {PlaceOpener} */ opener) => {
    (openers[tab] ||= []).push(opener);
    // Loading the page opens what Play shows.
    if (tab === HOME && requests[tab]?.number === loading) return;
    if (requests[tab]) opener(places[tab] || {}, requests[tab].number);
    else if (tab === now.tab) restore(tab);
  };

  // After a reload, a tab shows again what it showed before, once it is opened.
  const restore = (/** @type {string} */ tab) => {
    if (requests[tab] || shown[tab] || !openers[tab] || !Object.keys(places[tab] || {}).length) return;
    ask(tab);
    hand(tab);
  };

  const here = (
    /** @type {string} */ tab,
    /** @type {PlaceValues} */ given,
    { request = 0, isReplaced = false } = {},
  ) => {
    const names = namesOf(TABS[tab]);
    const values = cleaned(tab, given);
    if (request && request === openings[tab]?.number) opened(tab);
    if (isWaiting(tab)) {
      const requested = places[tab] || {};
      const { once } = TABS[tab];
      const isRequested = Object.keys(requested).every(
        (name) => requested[name] === values[name] || once.includes(name),
      );
      // An answer to an earlier request, or an update from before it.
      if (request !== requests[tab].number && !(isRequested && Object.keys(requested).length)) return;
      delete requests[tab];
      shown[tab] = values;
      // An address whose item is gone stays, so that a reload explains it again.
      if (!isRequested) return;
      isReplaced = true;
    }
    const before = places[tab] || {};
    shown[tab] = values;
    remember(tab, values);
    if (tab !== now.tab || isSame(now.values, values, names)) return;
    now.values = values;
    // What appears where nothing was, such as a session with its first message, is not a step.
    const { main } = TABS[tab];
    write(!isReplaced && main.some((name) => before[name]) && !isSame(before, values, main));
  };

  // Reports fields of Gradio. Values that are a field's first one are left out.
  const hereFields = (
    /** @type {string} */ tab,
    /** @type {PlaceValues} */ first,
    /** @type {string[]} */ values,
  ) => {
    const named = Object.entries(first).map(([name, value], place) => [
      name,
      values[place] === value ? "" : values[place],
    ]);
    here(tab, Object.fromEntries(named));
    return [];
  };

  const goTo = (/** @type {string} */ tab, /** @type {PlaceValues | undefined} */ given) => {
    const values = cleaned(tab, given || {});
    const isNew = tab !== now.tab || !isSame(values, now.values, TABS[tab].main);
    now = { tab, values };
    write(isNew);
    open(true);
  };

  const link = (/** @type {string} */ tab, /** @type {PlaceValues} */ values) =>
    "?" + queryOf(tab, cleaned(tab, values));

  // Follows the tab that the person, or an answer of the server, has opened.
  const onTabs = () => {
    const tab = selectedTab();
    if (!tab || !Object.hasOwn(TABS, tab)) return;
    followers.forEach((work) => work(tab));
    if (expected) {
      if (tab === expected) expected = "";
      return;
    }
    if (tab === now.tab) return;
    now = { tab, values: places[tab] || {} };
    write(true);
    restore(tab);
  };

  // Called once the page is built.
  const start = (tries = 600) => {
    const bar = tabBar();
    if (!bar || !selectedTab()) return tries && setTimeout(start, 50, tries - 1);
    new MutationObserver(onTabs).observe(bar, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ["aria-selected"],
    });
    // A tab that was chosen while the page was still loading is opened now, or stays open.
    if (!chosen) select(now.tab);
    else if (chosen === selectedTab()) onTabs();
    else buttonOf(chosen)?.click();
  };

  // A person's own choice of a tab is not an echo of an address.
  let chosen = "";
  const choose = (/** @type {string} */ tab) => {
    chosen = tab;
    expected = "";
    buttonOf(tab)?.click();
  };

  /** @type {((tab: string) => void)[]} */
  const followers = [];
  const onTab = (/** @type {(tab: string) => void} */ work) => {
    followers.push(work);
    work(selectedTab() || now.tab);
  };

  // What a person does after a second does not wait for an answer that may never come.
  const forgetLost = (/** @type {Event} */ event) => {
    if (!event.isTrusted) return;
    for (const tab of Object.keys(requests)) if (Date.now() - requests[tab].time > 1000) delete requests[tab];
  };
  for (const name of ["pointerdown", "keydown"]) document.addEventListener(name, forgetLost, true);

  // Links to places open them without loading the page again.
  document.addEventListener("click", (event) => {
    const anchor = /** @type {Partial<Element>} */ (event.target).closest?.("a[href]");
    if (!anchor || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey) return;
    if (event.shiftKey || event.altKey || anchor.target || anchor.hasAttribute("download")) return;
    const address = new URL(anchor.href, location.href);
    if (address.origin !== location.origin || address.pathname !== location.pathname || address.hash) return;
    if (![...address.searchParams.keys()].some((name) => OURS.has(name))) return;
    const place = parsed(address.search);
    // What is carried out once is part of loading the page.
    if (TABS[place.tab].once.some((/** @type {string} */ name) => place.values[name])) return;
    event.preventDefault();
    goTo(place.tab, place.values);
  });

  window.addEventListener("popstate", () => {
    now = parsed(location.search);
    open(false);
  });

  remember(now.tab, now.values);
  for (const tab of new Set([HOME, now.tab])) if (tab === HOME || Object.keys(now.values).length) ask(tab);
  // The server repeats this number too (`session_events.py`).
  const loading = requests[HOME].number;

  return {
    onPlace,
    here,
    hereFields,
    goTo,
    choose,
    onTab,
    link,
    start,
    isOpening: (tab) => Boolean(openings[tab]),
    afterOpening,
    isHome: () => now.tab === HOME && !Object.keys(now.values).length,
    valuesOf: (tab) => places[tab] || {},
    session: () => (shown[HOME] || places[HOME] || {}).session || "",
    // The address of what Play should show when the page opens. The server explains one with an unknown tab.
    ofPlay: () => [isKnown ? "?" + queryOf(HOME, places[HOME] || {}) : location.search],
  };
})();
