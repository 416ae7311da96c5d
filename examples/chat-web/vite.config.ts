import { msw } from 'msw/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  // Serves the script of MSW's worker, so that no generated file is kept here.
  plugins: [msw({ mode: 'worker-only' })],
  // In this repository the name of the package leads to its sources.
  resolve: { tsconfigPaths: true },
  server: { fs: { allow: ['../..'] } },
  // A dependency that vite finds later would reload the page.
  optimizeDeps: { include: ['eventsource-parser/stream', 'is-network-error', 'msw', 'msw/browser', 'p-retry'] },
});
