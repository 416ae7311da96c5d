import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../chromium.ts';
import { type Served, serveBuild } from '../serve.ts';

let browser: Browser;
let site: Served;
let page: Page;
const errors: string[] = [];

beforeAll(async () => {
  site = await serveBuild({
    root: new URL('../fixtures/hook', import.meta.url).pathname,
    configFile: false,
    resolve: { tsconfigPaths: true },
  });
  browser = await launchChromium();
  page = await browser.newPage();
  page.on('pageerror', (error) => void errors.push(String(error)));
  await page.goto(site.url);
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

/** What a function of the page returns. */
const ask = <T>(name: string): Promise<T> => page.evaluate((called) => Reflect.get(window, called)(), name);
const drawn = async (): Promise<readonly (string | null)[]> => page.locator('p').allTextContents();
const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

test('mounted components follow the controller alike, and draw only when something changes', async () => {
  await page.getByText('idle').first().waitFor();
  expect(await drawn()).toEqual(['idle', 'idle']);
  const before = await ask<number>('drawings');
  await press('Ask');
  await page.getByText('waiting').first().waitFor();
  expect(await drawn()).toEqual(['waiting 60000', 'waiting 60000']);
  await press('Hide the first');
  await press('Retry now');
  await page.getByText('ended').waitFor();
  expect(await drawn()).toEqual(['ended']);
  // Two for the wait, one each for the hiding, the attempt and the end; in strict mode React draws twice.
  expect((await ask<number>('drawings')) - before).toBeLessThanOrEqual(2 * 5);
  expect(errors).toEqual([]);
});

test('of two calls on one controller the wait that ends first is shown, and `clear` reaches the view', async () => {
  await press('Ask for two');
  await page.getByText('waiting 45000').waitFor();
  await press('Retry now');
  await page.getByText('ended').waitFor();
  await press('Clear');
  await page.getByText('idle').waitFor();
  expect(await drawn()).toEqual(['idle']);
  expect(await ask<boolean>('hasTwoIdentities')).toBe(false);
  expect(errors).toEqual([]);
});
