/** Where the browser is, and how it is started: the system's Chromium, for none is downloaded. */

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const path = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** undefined where there is a browser. */
export const whyNotHere: string | undefined = existsSync(path)
  ? undefined
  : `No Chromium at ${path}: nothing was tested. "apt-get install chromium" brings one, CHROMIUM_PATH names another.`;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: path,
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
}
