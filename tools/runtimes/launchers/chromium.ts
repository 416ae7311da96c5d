/** Opens the page in Chromium and prints its report: `node chromium.ts <executable> <origin> <refused URL>`. */

import { chromium } from 'playwright-core';

const [executablePath = '', origin = '', refusedUrl = ''] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
try {
  const page = await browser.newPage();
  const printed = page.waitForEvent('console', {
    predicate: (message) => message.text().startsWith('['),
    // The parent process has a time limit.
    timeout: 0,
  });
  const failed = new Promise<never>((_, reject) => page.on('pageerror', reject));
  await page.goto(`${origin}/page?refused=${encodeURIComponent(refusedUrl)}`);
  const message = await Promise.race([printed, failed]);
  console.log(JSON.stringify({ version: browser.version(), checks: JSON.parse(message.text()) }));
} finally {
  await browser.close();
}
