import { msw } from 'msw/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  // Serves the script of MSW's worker, so that nothing generated is kept here.
  plugins: [msw({ mode: 'worker-only' })],
  // The page imports the package by its name; in this repository that is its sources.
  resolve: { tsconfigPaths: true },
  server: { fs: { allow: ['../..'] } },
  // Named, for one that is found later reloads the page.
  optimizeDeps: { include: ['eventsource-parser/stream', 'is-network-error', 'msw', 'msw/browser', 'p-retry'] },
});
