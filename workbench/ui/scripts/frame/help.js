// The documentation, beside the page. A link to `help/…` opens there, and its links to places open them in the page.
import { iconButton, node } from "../shared/dom.js";
import { onKeys } from "../shared/page.js";

/** @param {Part<HelpView>} part */
export const mount = ({ element, props }) => {
  const { router } = window.hermesWorkbench;
  /** @type {HTMLElement | null} */
  let before = null;
  let tab = "play";
  router.onTab((shown) => {
    tab = shown;
  });
  /** @type {PageElement | null} */
  let frame = null;

  const close = () => {
    drawer.hidden = true;
    before?.focus();
  };

  const drawer = node(
    "aside",
    { class: "hw-help", "aria-label": "Documentation", hidden: true },
    node(
      "header",
      {},
      node("a", { target: "_blank", rel: "noopener" }, "Open in a new tab"),
      iconButton("cross", "Close", close),
    ),
  );

  const [tabLink, cross] = drawer.querySelectorAll("a, button");
  element.replaceChildren(drawer);

  // The page may be light where the system is dark, and the other way round. The documentation is like the page.
  const paint = () => {
    const root = frame?.contentDocument?.documentElement;
    if (root) root.style.colorScheme = document.body.classList.contains("dark") ? "dark" : "light";
  };

  // A link to a place is followed by the router, as any link of the page. Keys inside of the frame do not leave it.
  const listen = () => {
    paint();
    const shown = frame?.contentDocument;
    shown?.addEventListener(
      "keydown",
      (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && close(),
    );
    shown?.addEventListener("click", (/** @type {PageEvent} */ event) => {
      const anchor = event.target.closest("a[target=_top]");
      if (!anchor) return;
      event.preventDefault();
      const link = node("a", { href: anchor.search, hidden: true });
      document.body.append(link);
      link.click();
      link.remove();
    });
  };

  const open = (/** @type {string} */ address) => {
    if (drawer.hidden) before = document.activeElement;
    drawer.hidden = false;
    if (!frame) {
      // A document of its own, which would make the page slower to open.
      frame = node("iframe", { title: "Documentation", onload: listen });
      drawer.append(frame);
      new MutationObserver(paint).observe(document.body, { attributeFilter: ["class"] });
    }
    frame.src = tabLink.href = address;
    cross.focus();
  };

  window.addEventListener("hw:help", () => {
    open("help/" + props.value.pages[tab]);
  });

  document.addEventListener("click", (event) => {
    const anchor = /** @type {Partial<PageElement>} */ (event.target).closest?.('a[href^="help/"]');
    if (!anchor || anchor.target || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(anchor.getAttribute("href"));
  });

  onKeys(element, window, (event) => {
    if (event.key !== "Escape" || drawer.hidden) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  });
};
