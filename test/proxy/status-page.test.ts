import { describe, expect, it } from 'vitest';
import { failOnUnhandled } from '../unhandled.ts';
import type { Answer } from '../serve.ts';
import { answerTo, ask, endEach, leaveInWait, pageOf, press, reply, type Setting, startBoth, until } from './talk.ts';

endEach();
failOnUnhandled();

const HTML = { accept: 'text/html,application/xhtml+xml' };
const PATH = "/v1/it's&<more>?key=secret-of-the-query";
const minute = [reply(429, 'wait a minute', { 'retry-after': '60' }), reply(200, 'answered')] as const;
const echo: Answer = (request, response) => response.end(`${request.method} ${request.url}`);

/** A call that waits a minute. */
async function start(): Promise<{ readonly setting: Setting; readonly call: Promise<Response> }> {
  const setting = await startBoth(minute);
  const call = ask(setting, {}, PATH);
  await until(() => setting.proxy.waiting === 1);
  return { setting, call };
}

describe('the page', () => {
  it('shows which calls wait, why and until when, and what a person can do', async () => {
    const { setting, call } = await start();
    const html = await pageOf(setting);
    expect(html).toContain('<html lang="en">');
    expect(html).toMatch(/<p id="summary" role="status">1 of 1 running call waits for the next attempt\.<\/p>/);
    expect(html).toContain('<th scope="row">#1 POST /v1/it&#39;s&#38;%3Cmore%3E</th>');
    expect(html).toContain('Rate limit reached (HTTP 429); the server asked for this wait');
    expect(html).toMatch(
      /<time datetime="[^"]+Z">[\d:]+<\/time>, in <span data-until="\d+">1m(?: \d+s)?<\/span>, retry 1 of 3/,
    );
    expect(html).toContain('aria-label="Retry call 1 now">Retry now</button>');
    expect(html).toContain('aria-label="Give up call 1">Give up</button>');
    expect(html).not.toContain('secret-of-the-query');
    await setting.proxy.cancel();
    await call;
  });

  it('says so if nothing waits', async () => {
    const html = await pageOf(await startBoth(200));
    expect(html).toContain('No call waits; 0 are running.');
    expect(html).not.toContain('<table>');
  });

  it('can be opened from the address bar, runs only its own script and cannot be framed', async () => {
    const lines = ['Accept: text/html', 'Sec-Fetch-Site: none'];
    const text = await answerTo(await startBoth(200), 'GET / HTTP/1.1', lines);
    const nonce = /<script nonce="([\w-]+)">/.exec(text)?.[1];
    expect(text).toContain(`default-src 'none'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'`);
    expect(text).toContain(`script-src 'nonce-${nonce}'`);
    expect(text).toMatch(/^x-frame-options: DENY\r$/m);
    expect(text).not.toMatch(/access-control-allow/i);
  });

  it('does not affect a program that uses the same path of the target', async () => {
    const { proxy } = await startBoth(echo);
    expect(await (await fetch(proxy.url)).text()).toBe('GET /');
    expect(await (await fetch(proxy.url, { method: 'POST', headers: HTML })).text()).toBe('POST /');
    expect(await (await fetch(`${proxy.url}/x`, { headers: HTML })).text()).toBe('GET /x');
    expect(await (await fetch(`${proxy.url}/-/waits`)).text()).toBe('GET /-/waits');
  });

  it('is not there if other machines can reach the proxy', async () => {
    const { proxy } = await startBoth(echo, { host: '0.0.0.0' });
    const url = proxy.url.replace('0.0.0.0', '127.0.0.1');
    expect(await (await fetch(url, { headers: HTML })).text()).toBe('GET /');
  });
});

describe('its buttons', () => {
  it('retry at once', async () => {
    const { setting, call } = await start();
    const answer = await press(setting, { call: '1', action: 'retry-now' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(await (await call).text()).toBe('answered');
    expect(setting.target.counts.requests).toBe(2);
  });

  it('give up: the client gets the last response, marked not to be retried', async () => {
    const { setting, call } = await start();
    await press(setting, { call: '1', action: 'give-up' });
    const { status, headers } = await call;
    expect([status, headers.get('x-should-retry')]).toEqual([429, 'false']);
    expect(setting.target.counts.requests).toBe(1);
  });

  it.each([
    ['retry-now', 200, 2],
    ['give-up', 503, 1],
  ] as const)('%s the wait of a client that has come back', async (action, status, requests) => {
    const setting = await startBoth(minute);
    await leaveInWait(setting, {}, PATH);
    const back = ask(setting, {}, PATH);
    await until(() => setting.proxy.waiting === 1);
    await press(setting, { call: '2', action });
    expect([(await back).status, setting.target.counts.requests]).toEqual([status, requests]);
  });

  it.each([
    ['a page of another origin on this machine', {}, 'http://localhost:3000'],
    ['a program that names no page', {}, ''],
    ['a page that guesses the token', { token: 'guessed' }, undefined],
    ['a form with another action', { action: 'stop' }, undefined],
    ['a form that is too long', { more: 'x'.repeat(2_000) }, undefined],
  ])('do nothing for %s', async (_title, changes, origin) => {
    const { setting, call } = await start();
    const answer = await press(setting, { call: '1', action: 'give-up', ...changes }, origin);
    expect([answer.status, setting.proxy.waiting]).toEqual([403, 1]);
    await setting.proxy.cancel();
    await call;
  });
});
