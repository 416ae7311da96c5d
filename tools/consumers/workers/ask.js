// Starts the Worker, with and without the APIs of Node, and asks it.
import { Miniflare } from 'miniflare';

for (const compatibilityFlags of [[], ['nodejs_compat']]) {
  const worker = new Miniflare({
    modules: true,
    scriptPath: 'dist/worker.mjs',
    compatibilityDate: '2026-06-01',
    compatibilityFlags,
    cf: false,
  });
  try {
    const response = await worker.dispatchFetch('http://worker.example/');
    const text = await response.text();
    if (text !== 'Hello') throw new Error(`${response.status} ${text.slice(0, 300)}`);
    console.log(`answered: ${compatibilityFlags[0] ?? 'no flags'}`);
  } finally {
    await worker.dispose();
  }
}
