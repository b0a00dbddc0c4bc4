// Gradio's browser side (6.31) loses what it asks for while the server's word that closes the stream of answers is on
// its way: it takes the stream for open, then hears that word and hangs up. The work is done, and nobody is told until
// something else is asked. So this stands in between: a stream lasts while something has no answer yet, and nothing
// new is handed over while one is being closed.
(() => {
  const send = window.fetch;
  const encoder = new TextEncoder();
  const pending = new Set();
  // The end of an event may be heard before the answer that names it.
  const ended = new Set();
  let closed = Promise.resolve();
  // Gradio hangs up as soon as a page may be left, which is seconds before it is where the next one is slow to come. It
  // takes what has no answer then for a lost connection, says so, and loads the page again, so that the next one never
  // comes. So a page that may be left is told of nothing, unless somebody goes on in it.
  let goesOn = Promise.resolve();
  window.addEventListener("beforeunload", () => {
    goesOn = new Promise((resolve) => {
      for (const name of ["pointerdown", "keydown"])
        window.addEventListener(name, resolve, { capture: true, once: true });
    });
  });
  const keptQuiet = async (work) => {
    try {
      return await work;
    } catch (error) {
      // Gradio's own `beforeunload` comes first, and its hanging up may be heard before ours.
      await new Promise((resolve) => setTimeout(resolve));
      await goesOn;
      throw error;
    }
  };
  const pathOf = (what) => new URL(what.url ?? what, location.href).pathname;
  const untilAborted = (signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", resolve, { once: true });
      // Whoever does not hang up must not keep others waiting.
      setTimeout(resolve, 1000);
    });

  const joined = async (response) => {
    if (response.ok) {
      const { event_id: eventId } = await response.clone().json();
      if (!ended.delete(eventId)) pending.add(eventId);
    }
    await closed;
    return response;
  };

  async function* framesOf(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const frames = (text + value).split("\n\n");
      text = frames.pop();
      yield* frames;
    }
  }

  async function* heard(request, response) {
    for (;;) {
      let closing = null;
      for await (const frame of framesOf(response)) {
        const start = frame.slice(0, 100);
        if (start.includes('"msg":"close_stream"')) {
          closing = frame;
          break;
        }
        if (start.includes('"msg":"process_completed"')) {
          const { event_id: eventId } = JSON.parse(frame.slice(frame.indexOf("{")));
          if (!pending.delete(eventId)) ended.add(eventId);
        }
        yield frame;
      }
      if (closing === null || pending.size === 0) {
        pending.clear();
        if (closing === null) return;
        closed = untilAborted(request.signal);
        yield closing;
        return;
      }
      response = await send(request);
      if (!response.ok) throw new TypeError(`the stream of answers: ${response.status}`);
    }
  }

  const streamed = (request, response) => {
    const frames = heard(request, response);
    const body = new ReadableStream({
      async pull(controller) {
        const { value, done } = await keptQuiet(frames.next());
        if (done) controller.close();
        else controller.enqueue(encoder.encode(`${value}\n\n`));
      },
      cancel: () => void frames.return(),
    });
    return new Response(body, { status: response.status, headers: response.headers });
  };

  window.fetch = async (what, options) => {
    const path = pathOf(what);
    if (path.endsWith("/queue/join")) return joined(await send(what, options));
    if (path.endsWith("/queue/data") || path.endsWith("/app_id")) await goesOn;
    if (!path.endsWith("/queue/data")) return send(what, options);
    const request = new Request(what, options);
    const response = await keptQuiet(send(request));
    return response.ok ? streamed(request, response) : response;
  };
})();
