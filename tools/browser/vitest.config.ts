import { defineConfig } from 'vitest/config';
import { whyNotHere } from './chromium.ts';

if (whyNotHere !== undefined) console.log(whyNotHere);

export default defineConfig({
  test: {
    include: whyNotHere === undefined ? ['test/**/*.test.ts'] : [],
    passWithNoTests: true,
    // Most of the time is spent on waiting, even if the clock of the page is moved.
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
