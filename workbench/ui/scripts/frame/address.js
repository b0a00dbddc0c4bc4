// Reports what Play shows to the router of addresses; draws nothing.

/** @param {Part<AddressView>} part */
export const mount = ({ follow }) => {
  const { router } = window.hermesWorkbench;
  let isOpen = false;
  follow((value) => {
    if (!value) return;
    const { session, shared, message, request, is_replaced: isReplaced } = value;
    router.here(
      "play",
      { session: session ?? "", shared: shared ?? "", message: message ?? "" },
      { request, isReplaced },
    );
    // Before this, the server does not know who opened the page, so no other tab may open anything.
    if (!isOpen) router.start();
    isOpen = true;
  });
};
