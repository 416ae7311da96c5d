/**
 * The observations: everything that a caller can see of a fetch. Each result can be written as JSON. Each observation
 * is made over the bare fetch and over `createRetryFetch()` around the same fetch.
 */

/** A fetch and the classes that belong to it. */
export interface Subject {
  readonly fetch: typeof globalThis.fetch;
  readonly Request: typeof globalThis.Request;
  readonly Response: typeof globalThis.Response;
  readonly Headers: typeof globalThis.Headers;
  readonly FormData: typeof globalThis.FormData;
  /** Wraps a fetch for the observation: unchanged, or with retries. */
  wrap(inner: (...args: readonly unknown[]) => Promise<Response>): typeof globalThis.fetch;
}

export interface Place {
  readonly origin: string;
  /** A port without a server. */
  readonly refusedUrl: string;
}

export type Observation = (subject: Subject, place: Place) => Promise<unknown>;

type Init = RequestInit & { readonly duplex?: 'half' };

const tick = (ms = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The stable properties of an error and its cause: without ports and times. */
function shown(error: unknown, depth = 0): unknown {
  if (typeof error !== 'object' || error === null) return { thrown: String(error) };
  const { name, message, code, cause } = error as {
    name?: unknown;
    message?: unknown;
    code?: unknown;
    cause?: unknown;
  };
  const text = String(message).replaceAll(/127\.0\.0\.1:\d+/g, 'host');
  return {
    class: Object.prototype.toString.call(error),
    name,
    message: text,
    code,
    ...(cause !== undefined && depth < 3 && { cause: shown(cause, depth + 1) }),
  };
}

async function outcome(call: () => Promise<Response>, read = true): Promise<unknown> {
  let response: Response;
  try {
    response = await call();
  } catch (error) {
    return { error: shown(error) };
  }
  const { status, statusText, ok, redirected, type, url, bodyUsed } = response;
  const headers = [...response.headers].filter(([name]) => !['date', 'keep-alive', 'connection'].includes(name));
  const head = { status, statusText, ok, redirected, type, url, bodyUsed, headers, hasBody: response.body !== null };
  if (!read) return head;
  try {
    return { ...head, text: await response.text(), usedAfter: response.bodyUsed };
  } catch (error) {
    return { ...head, broken: shown(error) };
  }
}

const get =
  (path: string, init?: Init): Observation =>
  ({ fetch }, { origin }) =>
    outcome(() => fetch(origin + path, init));

const post = (body: () => BodyInit | null, init: Init = {}): Observation =>
  get2('/echo', () => ({ method: 'POST', body: body(), ...init }));

function get2(path: string, init: () => Init): Observation {
  return ({ fetch }, { origin }) => outcome(() => fetch(origin + path, init()));
}

const refuses =
  (input: unknown, init?: unknown): Observation =>
  async (subject, { origin }) => {
    const url = typeof input === 'function' ? input(subject, origin) : (input ?? `${origin}/ok`);
    const given = typeof init === 'function' ? init(subject) : init;
    return outcome(() => (init === undefined ? subject.fetch(url) : subject.fetch(url, given)));
  };

function stream(onCancel: (reason: unknown) => void = () => {}): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode('streamed'));
      controller.close();
    },
    cancel: onCancel,
  });
}

async function abortedAt(
  subject: Subject,
  url: string,
  phase: 'before' | 'in flight' | 'while reading',
  reason?: unknown,
): Promise<unknown> {
  const abort = new AbortController();
  const stop = (): void => (reason === undefined ? abort.abort() : abort.abort(reason));
  if (phase === 'before') stop();
  const call = subject.fetch(url, { signal: abort.signal });
  if (phase === 'in flight') setTimeout(stop, 20);
  try {
    const response = await call;
    setTimeout(stop, 20);
    await response.text();
    return 'read';
  } catch (error) {
    return { error: shown(error), isReason: error === reason };
  }
}

/** Every call that is given up after retries ends as it does over the bare fetch. */
export const OBSERVATIONS: Readonly<Record<string, Observation>> = {
  'name and length': async ({ fetch }) => [fetch.name, fetch.length, typeof fetch],
  'a promise of the platform': async ({ fetch }, { origin }) => {
    const call = fetch(`${origin}/ok`);
    const isPromise = call instanceof Promise;
    await (await call).text();
    return isPromise;
  },
  'called as a method of another object': ({ fetch }, { origin }) =>
    outcome(() => ({ fetch }).fetch.call(undefined, `${origin}/ok`)),
  'called without arguments': async ({ fetch }) => outcome(() => Reflect.apply(fetch, undefined, [])),
  'throws nothing synchronously': async ({ fetch }) => {
    try {
      await Promise.resolve(Reflect.apply(fetch, undefined, ['not a url', 5])).catch(() => {});
      return 'rejected';
    } catch {
      return 'threw';
    }
  },

  'a 200': get('/ok'),
  'a 204': get('/empty'),
  'a 304': get('/unchanged'),
  'a 404': get('/missing'),
  'a 503': get('/busy'),
  'a 503 without a body': get('/busy-empty'),
  'a 529 with JSON': get('/busy-json'),
  'a status of 999': get('/strange-status'),
  'a HEAD': get('/ok', { method: 'HEAD' }),
  'a HEAD of a 503': get('/busy', { method: 'HEAD' }),
  'the class of a response': async ({ fetch, Response, Headers }, { origin }) => {
    const [ok, busy] = [await fetch(`${origin}/ok`), await fetch(`${origin}/busy`)];
    const seen = [ok, busy].map((response) => [
      response instanceof Response,
      response.headers instanceof Headers,
      Object.keys(response).length,
    ]);
    await Promise.all([ok.text(), busy.text()]);
    return seen;
  },
  'a clone of a 503': async ({ fetch }, { origin }) => {
    const response = await fetch(`${origin}/busy`);
    const clone = response.clone();
    return [await response.text(), await clone.text(), response.bodyUsed];
  },
  'a 503 without an end, cancelled': async ({ fetch }, { origin }) => {
    const response = await fetch(`${origin}/busy-endless`);
    const { status, bodyUsed, body } = response;
    if (body !== null && 'cancel' in body) await body.cancel();
    else if (body !== null) Reflect.apply(Reflect.get(body, 'destroy'), body, []);
    return [status, bodyUsed];
  },
  'the head before the body': async ({ fetch }, { origin }) => {
    const abort = new AbortController();
    const response = await fetch(`${origin}/head-only`, { signal: abort.signal });
    abort.abort();
    return response.status;
  },
  'a stream of events to a POST': ({ fetch }, { origin }) =>
    outcome(() => fetch(`${origin}/events`, { method: 'POST', body: '{}' })),
  'a body that breaks': get('/broken'),

  'a redirect that is followed': get('/redirect'),
  'a redirect of a POST': get('/redirect', { method: 'POST', body: 'x' }),
  'a redirect that keeps the method': get('/redirect-kept', { method: 'POST', body: 'x' }),
  'a redirect of a stream': get2('/redirect-kept', () => ({ method: 'POST', body: stream(), duplex: 'half' })),
  'a redirect that is not followed': get('/redirect', { redirect: 'manual' }),
  'a redirect that is an error': get('/redirect', { redirect: 'error' }),
  'a redirect in a circle': get('/redirect-round'),
  'a redirect to another scheme': get('/redirect-away'),

  'headers as a record': get('/echo', { headers: { 'X-A': '1', 'x-b': '2' } }),
  'headers as pairs': get('/echo', {
    headers: [
      ['X-A', '1'],
      ['x-a', '2'],
    ],
  }),
  'headers as Headers': ({ fetch, Headers }, { origin }) =>
    outcome(() => fetch(`${origin}/echo`, { headers: new Headers({ 'x-a': '1' }) })),
  'a URL object': ({ fetch }, { origin }) => outcome(() => fetch(new URL('/echo?x=1#y', origin))),
  'a Request': ({ fetch, Request }, { origin }) =>
    outcome(() => fetch(new Request(`${origin}/echo`, { method: 'PUT', body: 'x', headers: { 'x-a': '1' } }))),
  'a Request and an init': ({ fetch, Request }, { origin }) =>
    outcome(() =>
      fetch(new Request(`${origin}/echo`, { method: 'PUT', headers: { 'x-a': '1' } }), { method: 'POST', body: 'y' }),
    ),
  'a Request is used afterwards': async ({ fetch, Request }, { origin }) => {
    const request = new Request(`${origin}/busy`, { method: 'POST', body: 'x' });
    await outcome(() => fetch(request));
    return [request.bodyUsed, await outcome(() => fetch(request))];
  },
  'a method in small letters': get('/echo', { method: 'patch', body: 'x' }),
  'an init of null': async ({ fetch }, { origin }) =>
    outcome(() => Reflect.apply(fetch, undefined, [`${origin}/echo`, null])),
  'an init with getters': async ({ fetch }, { origin }) => {
    class Options {
      get method(): string {
        return 'POST';
      }
      get body(): string {
        return 'x';
      }
    }
    return outcome(() => fetch(`${origin}/echo`, new Options()));
  },

  'a body: string': post(() => 'héllo'),
  'a body: Uint8Array': post(() => new Uint8Array([1, 2, 3])),
  'a body: part of a buffer': post(() => new Uint8Array(new ArrayBuffer(8), 2, 4)),
  'a body: DataView': post(() => new DataView(new ArrayBuffer(4))),
  'a body: ArrayBuffer': post(() => new Uint8Array([1, 2, 3]).buffer),
  'a body: URLSearchParams': post(() => new URLSearchParams('a=1&b=2')),
  'a body: Blob': post(() => new Blob(['x'], { type: 'text/x' })),
  'a body: FormData': async ({ fetch, FormData }, { origin }) => {
    const body = new FormData();
    body.append('a', '1');
    body.append('b', new Blob(['x'], { type: 'text/x' }), 'x.txt');
    return outcome(() => fetch(`${origin}/echo`, { method: 'POST', body }));
  },
  'a body: stream': get2('/echo', () => ({ method: 'POST', body: stream(), duplex: 'half' })),
  'a body: stream to a 503': get2('/busy', () => ({ method: 'POST', body: stream(), duplex: 'half' })),
  'a body: null': post(() => null),
  'a body: detached buffer': post(() => {
    const bytes = new Uint8Array(4);
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    return bytes;
  }),
  'a body that is overwritten right after the call': async ({ fetch }, { origin }) => {
    const body = new Uint8Array([1, 2, 3]);
    const call = fetch(`${origin}/echo`, { method: 'POST', body });
    body.fill(0);
    return outcome(() => call);
  },

  'refused: a URL that is none': refuses('not a url'),
  'refused: a scheme that is unknown': refuses('ftp://127.0.0.1/'),
  'refused: credentials in the URL': refuses('http://user:pass@127.0.0.1/'),
  'refused: a bad port': refuses('http://127.0.0.1:1/'),
  'refused: a method that is none': refuses(undefined, { method: 'a b' }),
  'refused: a method that is forbidden': refuses(undefined, { method: 'CONNECT' }),
  'refused: a GET with a body': refuses(undefined, { body: 'x' }),
  'refused: a header name that is none': refuses(undefined, { headers: { 'a b': '1' } }),
  'refused: a header value that is none': refuses(undefined, { headers: { a: 'x\ny' } }),
  'refused: headers that are none': refuses(undefined, { headers: [5] }),
  'refused: an init that is none': refuses(undefined, 5),
  'refused: a signal that is none': refuses(undefined, { signal: {} }),
  'refused: a mode that is none': refuses(undefined, { redirect: 'nowhere' }),
  'refused: a stream without duplex': refuses(undefined, () => ({ method: 'POST', body: stream() })),
  'refused: a stream that is being read': refuses(undefined, () => {
    const body = stream();
    body.getReader();
    return { method: 'POST', body, duplex: 'half' };
  }),
  'refused: a Request that is used': async ({ fetch, Request }, { origin }) => {
    const request = new Request(`${origin}/ok`, { method: 'POST', body: 'x' });
    await request.text();
    return outcome(() => fetch(request));
  },
  'refused: a getter that throws': refuses(undefined, () => ({
    get method() {
      throw new Error('mine');
    },
  })),
  'refused: a connection': ({ fetch }, { refusedUrl }) => outcome(() => fetch(refusedUrl)),
  'a connection that is reset': get('/reset'),

  'aborted before': (subject, { origin }) => abortedAt(subject, `${origin}/ok`, 'before'),
  'aborted before, with a reason': (subject, { origin }) =>
    abortedAt(subject, `${origin}/ok`, 'before', new Error('why')),
  'aborted before, with arguments that are invalid': async ({ fetch }) =>
    outcome(() => fetch('not a url', { signal: AbortSignal.abort() })),
  'aborted in flight': (subject, { origin }) => abortedAt(subject, `${origin}/hang`, 'in flight'),
  'aborted in flight, with a reason': (subject, { origin }) =>
    abortedAt(subject, `${origin}/hang`, 'in flight', new Error('why')),
  'aborted while the body is read': (subject, { origin }) => abortedAt(subject, `${origin}/head-only`, 'while reading'),
  'a time limit': async ({ fetch }, { origin }) =>
    outcome(() => fetch(`${origin}/hang`, { signal: AbortSignal.timeout(20) })),
  'a stream that is aborted before is cancelled': async ({ fetch }, { origin }) => {
    const cancelled: unknown[] = [];
    const body = new ReadableStream({ cancel: (reason) => void cancelled.push(shown(reason)) });
    const init: Init = { method: 'POST', body, duplex: 'half', signal: AbortSignal.abort() };
    const refused = await outcome(() => fetch(`${origin}/echo`, init));
    await tick();
    return [refused, cancelled];
  },
  'a Request that is aborted before is used': async ({ fetch, Request }, { origin }) => {
    const request = new Request(`${origin}/echo`, { method: 'POST', body: 'x', signal: AbortSignal.abort() });
    const refused = await outcome(() => fetch(request));
    return [refused, request.bodyUsed];
  },
  'the signal of a Request': async ({ fetch, Request }, { origin }) => {
    const abort = new AbortController();
    const request = new Request(`${origin}/hang`, { signal: abort.signal });
    setTimeout(() => abort.abort(new Error('why')), 20);
    return outcome(() => fetch(request));
  },
  'a signal of null over that of a Request': async ({ fetch, Request }, { origin }) => {
    const request = new Request(`${origin}/ok`, { signal: AbortSignal.abort() });
    return outcome(() => fetch(request, { signal: null }));
  },
  'ten calls at once': async ({ fetch }, { origin }) => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => fetch(`${origin}/echo`)));
    return Promise.all(answers.map(async (answer) => [answer.status, (await answer.text()).length]));
  },
};
