// Keeps Gradio's stream of answers from losing events.
//
// Gradio's client loses an event that it sends while the server's `close_stream` message is on its way: it takes
// the stream for open, then gets the message and closes it. The server does the work, but the answer arrives only with
// the next event. So this wrapper of `fetch` keeps a stream open while an event has no answer, and holds back new
// events while a stream is being closed. See docs/decisions/0011-between-gradio-and-its-stream.md.
//
// *Gradio 6.31:* `assets/index` (client/js/src/utils/stream.ts, `open_stream`; client/js/src/utils/submit.ts),
// `routes.App.create_app`.
(() => {
  const send = window.fetch;
  const encoder = new TextEncoder();
  const pending = new Set();
  // Events whose end arrived before the answer to `/queue/join` that names them.
  const ended = new Set();
  let closed = Promise.resolve();
  // Gradio closes the stream on `beforeunload`, which can be seconds before the next page loads. It then takes events
  // without an answer for a lost connection, shows an error and reloads the page, so that the next page never comes. So
  // errors are held back on a page that is being left, until the user does something on it again. See
  // docs/decisions/0013-a-page-that-is-left-loses-no-connection.md.
  let isUsedAgain = Promise.resolve();
  window.addEventListener("beforeunload", () => {
    isUsedAgain = new Promise((resolve) => {
      for (const name of ["pointerdown", "keydown"])
        window.addEventListener(name, resolve, { capture: true, once: true });
    });
  });
  const withoutErrors = async (work) => {
    try {
      return await work;
    } catch (error) {
      // Gradio's `beforeunload` handler runs first, so its closed stream may be seen before ours has run.
      await new Promise((resolve) => setTimeout(resolve));
      await isUsedAgain;
      throw error;
    }
  };
  const pathOf = (resource) => new URL(resource.url ?? resource, location.href).pathname;
  const untilAborted = (signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", resolve, { once: true });
      // A client that does not close the stream must not block new events forever.
      setTimeout(resolve, 1000);
    });

  // Records the event that the server accepted, and waits until no stream is being closed.
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

  // Yields the messages of a stream, and opens it again if it closes while an event has no answer.
  async function* messagesOf(request, response) {
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
    const frames = messagesOf(request, response);
    const body = new ReadableStream({
      async pull(controller) {
        const { value, done } = await withoutErrors(frames.next());
        if (done) controller.close();
        else controller.enqueue(encoder.encode(`${value}\n\n`));
      },
      cancel: () => void frames.return(),
    });
    return new Response(body, { status: response.status, headers: response.headers });
  };

  window.fetch = async (resource, options) => {
    const path = pathOf(resource);
    if (path.endsWith("/queue/join")) return joined(await send(resource, options));
    if (path.endsWith("/queue/data") || path.endsWith("/app_id")) await isUsedAgain;
    if (!path.endsWith("/queue/data")) return send(resource, options);
    const request = new Request(resource, options);
    const response = await withoutErrors(send(request));
    return response.ok ? streamed(request, response) : response;
  };
})();
