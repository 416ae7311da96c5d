import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // One hook runs every cell of the small matrix in real time.
    hookTimeout: 120_000,
    testTimeout: 30_000,
  },
});
