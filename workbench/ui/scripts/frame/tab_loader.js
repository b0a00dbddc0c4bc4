// Asks the server for tabs that were not sent with the page. It draws nothing. The tab of an address is asked for when
// the router selects it.

/** @param {Part<null, TabLoaderEvents>} part */
export const mount = ({ trigger }) => {
  window.hermesWorkbench.attachTabLoader((tab) => trigger("open_tab", { tab }));
};
