/** The bodies of the observations end anywhere. */
const streamWatch = { checkEnd: false, idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 };

/** The watch asks a response once for its type; what comes after that reads the headers as they are. */
export function watching(inner: typeof globalThis.fetch): typeof globalThis.fetch {
  const watchingFetch: typeof globalThis.fetch = async (...args) => {
    const response = await inner(...args);
    const { headers } = response;
    let isAsked = false;
    const shown = (): unknown => {
      if (isAsked) return headers;
      isAsked = true;
      return { get: () => 'text/event-stream' };
    };
    Object.defineProperty(response, 'headers', { get: shown, configurable: true });
    streamWatch.watch(response, {
      asksForText: false,
      isAborted: () => signalOf(args)?.aborted === true,
      secrets: () => [],
      onBreak: () => {},
    });
    Reflect.deleteProperty(response, 'headers');
    return response;
  };
  const { name, length } = inner;
  return Object.defineProperties(watchingFetch, { name: { value: name }, length: { value: length } });
}

function signalOf([input, init]: Parameters<typeof globalThis.fetch>): AbortSignal | null | undefined {
  return init?.signal === undefined && input instanceof Request ? input.signal : init?.signal;
}
