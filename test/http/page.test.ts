import { describe, expect, test, vi } from 'vitest';
import {
  createRetryFetch,
  describeFailure,
  NotAnAnswerError,
  outcomeOf,
  RetryExhaustedError,
  type RetryEvent,
  type RetryFetchConfig,
  RetryTransport,
} from '../../src/index.ts';
import { fakeRuntime, script, settle, type Step, thrownBy, URL_OF_TEST } from '../script.ts';
import { failOnUnhandled } from '../unhandled.ts';

failOnUnhandled();

const PAGE = `<!DOCTYPE html>
<html><head><title>Website blocked - Example Proxy</title><style>body { color: red }</style></head>
<body><p>You tried to visit <b>api.example.com</b>.</p></body></html>`;
const bodies = { whole: '{"model":"m","messages":[]}', streamed: '{"model":"m","messages":[],"stream":true}' };
const page =
  (body: BodyInit | null = PAGE, type = 'text/html; charset=utf-8', status = 200): Step =>
  () =>
    new Response(body, { status, headers: { 'content-type': type } });
const json: Step = () => Response.json({ choices: [] });

function ask(steps: readonly [Step, ...Step[]], config: RetryFetchConfig = {}, url = URL_OF_TEST, body = bodies.whole) {
  const runtime = fakeRuntime();
  const events: RetryEvent[] = [];
  const inner = script(runtime, ...steps);
  const call = createRetryFetch({
    runtime,
    fetch: inner,
    maxRetries: 8,
    onEvent: (event) => void events.push(event),
    ...config,
  });
  const asked = call(url, { method: 'POST', body });
  return { asked, events, requests: () => inner.calls.length };
}

test('the title of a page is shown with its characters, not with their names', async () => {
  const { asked } = ask([page('<title>Smith &amp; Sons&#039; Wi-Fi &#x2013; sign&nbsp;in</title>')], { maxRetries: 1 });
  const error = await thrownBy((await asked).text());
  expect(error).toMatchObject({ message: expect.stringContaining(": Smith & Sons' Wi-Fi – sign in.") });
});

describe.each(Object.entries(bodies))('a page in answer to a request for a %s answer', (_how, body) => {
  test.each<[string, (response: Response) => Promise<unknown>]>([
    ['text()', (response) => response.text()],
    ['json()', (response) => response.json()],
    ['bytes', (response) => response.arrayBuffer()],
    ['a reader', async (response) => response.body?.getReader().read()],
    ['a clone', (response) => response.clone().text()],
    ['a pipe', async (response) => response.body?.pipeTo(new WritableStream())],
  ])('is repeated once, and its body fails by %s', async (_reader, read) => {
    const { asked, events, requests } = ask([page(), page()], {}, URL_OF_TEST, body);
    const response = await asked;
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const error = await thrownBy(read(response));
    expect(error).toBeInstanceOf(NotAnAnswerError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^A page of HTML answered: Website blocked - Example Proxy\. .*your network/),
      failure: { type: 'provider_unavailable', status: 200, phase: 'response' },
    });
    expect(requests()).toBe(2);
    expect(events.map(({ type }) => type)).toEqual(['retry', 'attempt', 'failed']);
    expect(events.at(0)).toMatchObject({ retry: 1, maxRetries: 1 });
    expect(outcomeOf(error)).toMatchObject({ type: 'failed', because: 'retries-exhausted', attempts: 2 });
    expect(outcomeOf(response)).toMatchObject({ type: 'failed' });
  });

  test('is described in words about the network, without markup', async () => {
    const { asked, events } = ask([page(), page()], {}, URL_OF_TEST, body);
    await asked;
    const failed = events.at(-1);
    if (failed?.type !== 'failed') throw new Error('Expected the call to fail.');
    const { explanation, actions } = describeFailure(failed.failure);
    expect(explanation).toMatch(/page of HTML answered: Website blocked - Example Proxy$/);
    expect(actions).toEqual([expect.stringMatching(/proxy.*firewall.*VPN/)]);
    expect(JSON.stringify([failed.failure, explanation, actions])).not.toMatch(/<\w/);
  });

  test('is followed by the answer of the second attempt', async () => {
    const { asked, events } = ask([page(), json], {}, URL_OF_TEST, body);
    expect(await (await asked).json()).toEqual({ choices: [] });
    expect(events.map(({ type }) => type)).toEqual(['retry', 'attempt', 'recovered']);
  });
});

test('a page is the response itself, and is let go when its body is read', async () => {
  let given: Response | undefined;
  const keep: Step = () => (given = new Response(PAGE, { headers: { 'content-type': 'text/html' } }));
  const { asked } = ask([keep, keep]);
  const response = await asked;
  expect(response).toBe(given);
  await thrownBy(response.text());
  await settle();
  expect(response.bodyUsed).toBe(true);
});

test('with `exhausted: "throw"` a page is thrown', async () => {
  const { asked } = ask([page(), page()], { exhausted: 'throw' });
  const error = await thrownBy(asked);
  expect(error).toBeInstanceOf(RetryExhaustedError);
  expect(String(error)).toMatch(/page of HTML/);
});

test('a page is found through RetryTransport too', async () => {
  const runtime = fakeRuntime();
  const send = async (): Promise<Response> => new Response(PAGE, { headers: { 'content-type': 'text/html' } });
  const response = await new RetryTransport({ get: send, post: send }, { runtime }).post(URL_OF_TEST, {
    model: 'm',
    messages: [],
  });
  expect(await thrownBy(response.json())).toBeInstanceOf(NotAnAnswerError);
});

test.each<[string, Step]>([
  ['of XHTML', page(PAGE, 'application/xhtml+xml')],
  ['without a title', page('<p>Please log in</p>')],
  ['of plain words', page('Access is blocked by your administrator.')],
  ['without a word', page('')],
  ['that is longer than what is read of it', page(PAGE + 'x'.repeat(1_000_000))],
])('a page %s is a failure', async (_what, step) => {
  const { asked, requests } = ask([step, step]);
  expect(await thrownBy((await asked).text())).toBeInstanceOf(NotAnAnswerError);
  expect(requests()).toBe(2);
});

const EVENTS = 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n';
test.each<[string, string, string, RetryFetchConfig, string]>([
  ['JSON under the type of a page', '\uFEFF {"choices":[]}', 'text/html', {}, URL_OF_TEST],
  ['a list of JSON under the type of a page', '\n[{"candidates":[]}]', 'text/html', {}, URL_OF_TEST],
  ['events under the type of a page', EVENTS, 'text/html', {}, URL_OF_TEST],
  ['JSON as plain text', '{"choices":[]}', 'text/plain', {}, URL_OF_TEST],
  ['JSON as bytes', '{"choices":[]}', 'application/octet-stream', {}, URL_OF_TEST],
  ['a page of another request', PAGE, 'text/html', {}, 'https://shop.example.com/orders'],
  ['a page with `answers: false`', PAGE, 'text/html', { answers: false }, URL_OF_TEST],
  ['a page without retries', PAGE, 'text/html', { maxRetries: 0 }, URL_OF_TEST],
])('%s is handed over as it came', async (what, body, type, config, url) => {
  const given = what.includes('another request') ? '{"items":[]}' : bodies.whole;
  const { asked, events, requests } = ask([page(body, type)], config, url, given);
  const bytes = Buffer.from(await (await asked).arrayBuffer());
  expect([bytes.toString(), requests(), events]).toEqual([body, 1, []]);
});

test('events under the type of a page are handed over with the first of them', async () => {
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: {"choices":[]}\n\n')),
  });
  const { asked } = ask([page(stream)]);
  const response = await asked;
  expect((await response.body?.getReader().read())?.value).toHaveLength(22);
});

test('a page is decoded once, also if it comes byte by byte behind white space', async () => {
  const decode = vi.spyOn(TextDecoder.prototype, 'decode');
  const bytes = new TextEncoder().encode(`${' '.repeat(2_000)}${PAGE}`);
  let at = 0;
  const stream = new ReadableStream({
    pull: (controller) => (at < bytes.length ? controller.enqueue(bytes.slice(at, (at += 1))) : controller.close()),
  });
  const { asked, events } = ask([page(stream), json]);
  await asked;
  expect(events[0]).toMatchObject({ type: 'retry', failure: { type: 'provider_unavailable' } });
  const decoded = decode.mock.calls.map(([part]) => part?.byteLength ?? 0).reduce((sum, length) => sum + length, 0);
  expect(decoded).toBeLessThan(4 * bytes.length);
});

test('a page whose body the program does not wait for leaves no unhandled rejection', async () => {
  for (const read of ['text', 'pipe'] as const) {
    const { asked } = ask([page(), page()]);
    const response = await asked;
    void (read === 'text' ? response.text() : response.body?.pipeTo(new WritableStream()));
    await settle();
    expect(response.bodyUsed).toBe(true);
  }
});

test('a status of failure with a page keeps its type, says that a page answered, and advises about the network', async () => {
  const { asked, events, requests } = ask([page(PAGE, 'text/html', 403)]);
  expect(await (await asked).text()).toBe(PAGE);
  expect([requests(), events]).toMatchObject([
    1,
    [{ failure: { type: 'permission_denied', message: expect.stringMatching(/^A page of HTML/) } }],
  ]);
  expect(events.at(0)).toMatchObject({ failure: { action: expect.stringMatching(/your network/) } });
});
