import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Proxy, startProxy } from '../../../src/proxy/index.ts';
import { type Served, serve } from '../../../test/serve.ts';
import { launchChromium } from '../chromium.ts';

let browser: Browser;
let target: Served;
let proxy: Proxy;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

beforeEach(async () => {
  // The first request of each path is asked to wait for a minute.
  const seen = new Set<string | undefined>();
  target = await serve(({ url }, response) => {
    if (seen.has(url)) response.end('answered');
    else response.writeHead(429, { 'retry-after': '60' }).end('wait a minute');
    seen.add(url);
  });
  proxy = await startProxy({ target: target.origin });
  page = await browser.newPage();
  await page.goto(proxy.url);
});
afterEach(async () => {
  await page.close();
  await proxy.cancel();
  await target.close();
});

const call = (path: string): Promise<Response> => fetch(proxy.url + path, { method: 'POST', body: '{}' });

test('the page of the proxy shows a call that begins to wait, without a reload', async () => {
  await page.getByText('No call waits; 0 are running.').waitFor();
  const running = call('/v1/messages');
  await page.getByRole('rowheader', { name: '#1 POST /v1/messages' }).waitFor();
  await page.getByText('1 of 1 running call waits for the next attempt.').waitFor();
  await proxy.cancel();
  expect((await running).status).toBe(503);
});

test('its buttons retry one call at once and give another up', async () => {
  const [first, second] = [call('/first'), call('/second')];
  for (const id of [1, 2]) await page.getByRole('button', { name: `Give up call ${id}` }).waitFor();
  await page
    .getByRole('row', { name: '/first' })
    .getByRole('button', { name: /^Retry call/ })
    .click();
  expect(await (await first).text()).toBe('answered');
  await page
    .getByRole('row', { name: '/second' })
    .getByRole('button', { name: /^Give up/ })
    .click();
  const givenUp = await second;
  expect([givenUp.status, givenUp.headers.get('x-should-retry')]).toEqual([429, 'false']);
  await page.getByText('No call waits; 0 are running.').waitFor();
  expect(target.counts.requests).toBe(3);
});
