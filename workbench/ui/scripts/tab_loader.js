// Asks the server for tabs that were not sent with the page. It draws nothing.
const TAB_OF = { run: "suites", label: "label", compare: "compare" };

export const mount = ({ trigger }) => {
  window.hermesWorkbench.attachTabLoader((tab) => trigger("open_tab", { tab }));
  // A link to a place in another tab needs it at once.
  for (const name of new URLSearchParams(location.search).keys())
    if (TAB_OF[name]) window.hermesWorkbench.loadTab(`page-tab-${TAB_OF[name]}`);
};
