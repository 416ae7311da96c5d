/** Starts the Chromium of the system; downloads none. */

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const path = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** undefined if a browser is installed. */
export const whyNotHere: string | undefined = existsSync(path)
  ? undefined
  : `No Chromium at ${path}: nothing was tested. Install it with "apt-get install chromium", or set CHROMIUM_PATH.`;

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
