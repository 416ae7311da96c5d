/**
 * Takes pictures of the built site in Chromium, to be looked at: `npm --prefix tools/site run pictures -- <folder>`.
 * Each page in light, in dark, and on a phone.
 */

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { HERE } from './folders.ts';
import { serveSite } from './serve.ts';

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const SHOTS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const;
const PAGES = {
  home: '',
  problems: 'problems.html',
  demo: 'demo.html',
  api: 'api/retry-transport/functions/createRetryFetch.html',
  server: 'server.html',
  programs: 'maintainers/programs.html',
};

if (existsSync(CHROMIUM)) {
  const folder = process.argv[2] ?? join(HERE, 'dist/pictures');
  await mkdir(folder, { recursive: true });
  const site = await serveSite();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    for (const { name, ...look } of SHOTS) {
      const context = await browser.newContext({ ...look, reducedMotion: 'reduce' });
      const page = await context.newPage();
      page.on('pageerror', (error) => console.error(`${page.url()}: ${error.message}`));
      for (const [title, path] of Object.entries(PAGES)) {
        await page.goto(site.url + path, { waitUntil: 'networkidle' });
        await page.screenshot({ path: join(folder, `${title}-${name}.png`) });
      }
      await page.goto(site.url, { waitUntil: 'networkidle' });
      await searchFor(page, 'stream hangs, no tokens any more');
      await page.screenshot({ path: join(folder, `search-${name}.png`) });
      await page.goto(`${site.url}demo.html`, { waitUntil: 'networkidle' });
      await page.frameLocator('.chat-demo').getByRole('button', { name: 'Send' }).click();
      await page.frameLocator('.chat-demo').getByText('retry 1 of 3', { exact: true }).waitFor();
      await page.screenshot({ path: join(folder, `waiting-${name}.png`) });
      await context.close();
    }
  } finally {
    await browser.close();
    await site.close();
  }
} else console.log(`No Chromium at ${CHROMIUM}: no pictures.`);

async function searchFor(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.locator('#localsearch-input').fill(words);
  await page.locator('.VPLocalSearchBox .result').first().waitFor();
}
