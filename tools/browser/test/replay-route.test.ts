import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { completions, recordings, replayRoute } from '../../../mocks/index.ts';
import { launchChromium } from '../chromium.ts';

const MESSAGES = 'https://api.anthropic.com/v1/messages';

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

test('a route of Playwright replays failures to a page of another origin, then the answer', async () => {
  const page = await browser.newPage();
  const hello = completions.anthropicStream('Hello');
  const messages = replayRoute('anthropic-429-overloaded-bare', 'network-error', hello);
  await page.route('https://app.example/', (route) => route.fulfill({ contentType: 'text/html', body: '<p>app</p>' }));
  await page.route(MESSAGES, messages);
  await page.goto('https://app.example/');
  const answers = await page.evaluate(async (url) => {
    const ask = async (): Promise<string> => {
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': 'none' },
          body: '{"n":1}',
        });
        return `${response.status} ${await response.text()}`;
      } catch (error) {
        return String(error);
      }
    };
    return [await ask(), await ask(), await ask()];
  }, MESSAGES);
  expect(answers).toEqual([
    `429 ${recordings['anthropic-429-overloaded-bare'].response.body}`,
    'TypeError: Failed to fetch',
    `200 ${hello.body}`,
  ]);
  expect(messages.requests).toMatchObject([
    { method: 'POST', body: '{"n":1}', headers: { 'x-api-key': 'none' } },
    {},
    {},
  ]);
  await page.close();
});
