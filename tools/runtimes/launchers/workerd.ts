/**
 * Starts workerd with Miniflare and prints its report: `node workerd.ts <folder> <origin> <refused URL>`. workerd has
 * no node_modules, so it gets the installed files under the imported names. `nodejs_compat` is off, so an import of a
 * built-in of Node fails.
 */

import { createRequire } from 'node:module';
import { Miniflare } from 'miniflare';
import { readModules } from '../modules.ts';

const [folder = '', origin = '', refusedUrl = ''] = process.argv.slice(2);
const worker = new Miniflare({
  modules: await readModules(folder, 'worker.mjs'),
  compatibilityDate: '2026-06-01',
  // Sends no request for the location of this machine.
  cf: false,
});
try {
  const response = await worker.dispatchFetch('http://worker.example/', {
    method: 'POST',
    body: JSON.stringify({ origin, refusedUrl }),
  });
  const { version }: { version: string } = createRequire(import.meta.url)('workerd/package.json');
  console.log(JSON.stringify({ version, checks: JSON.parse(await response.text()) }));
} finally {
  await worker.dispose();
}
